/** The manual page docs/gpusort.1, made from the option table: `npm run man` writes it. */
import { DESCRIPTION, SECTIONS } from './manual.js';
import { GROUPS, OPTIONS, QUIET_CHECK, type OptionRow } from './options.js';
import { packageVersion } from './version.js';

/** The page in the macros of man(7). */
export function manPage(): string {
  const lines = [
    '.\\" Made from the option table by "npm run man"; do not edit.',
    `.TH GPUSORT 1 "" "gpusort ${packageVersion()}" "User Commands"`,
    '.SH NAME',
    'gpusort \\- sort large files on the GPU or the CPU',
    '.SH SYNOPSIS',
    '.B gpusort',
    '[\\fIOPTION\\fR]... [\\fIFILE\\fR]...',
    '.SH DESCRIPTION',
    ...DESCRIPTION.map(escape),
    '.SH OPTIONS',
    ...GROUPS.flatMap(group => [`.SS ${group.replace(/:$/, '')}`, ...OPTIONS.filter(row => row.group === group).flatMap(optionLines)]),
    ...SECTIONS.flatMap(({ title, lines }) => [`.SH ${title.toUpperCase()}`, '.nf', ...lines.map(escape), '.fi']),
    '.SH SEE ALSO',
    '.BR sort (1)',
  ];
  return lines.map(line => `${line}\n`).join('');
}

function optionLines(row: OptionRow): string[] {
  const argument = row.argument === undefined ? '' : row.bare === undefined ? `=\\fI${row.argument}\\fR` : `[=\\fI${row.argument}\\fR]`;
  const short = row.short === undefined ? '' : `\\fB\\-${row.short}\\fR, `;
  const lines = ['.TP', `${short}\\fB${escape(`--${row.long}`)}\\fR${argument}`, escape(row.help)];
  return row.long === QUIET_CHECK.long ? [...lines, '.TP', `\\fB\\-${QUIET_CHECK.short}\\fR`, escape(QUIET_CHECK.help)] : lines;
}

/** Backslashes and hyphens as they are, and no line taken for a request. */
function escape(text: string): string {
  return text.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/^[.']/, '\\&$&');
}
