/** The manual page docs/gpusort.1, made from the option table and the shared prose: `npm run man` writes it. */

import { packageVersion } from '../../system/installed.js';
import { GROUPS, type OptionGroup, type OptionRow } from '../options/option.js';
import { OPTIONS } from '../options/table.js';
import { BUGS, DESCRIPTION, type ManualBlock, SECTIONS, type Section, SUMMARY } from './manual.js';

/**
 * The page in the macros of man(7). Words are neither hyphenated nor justified, so options and commands stay intact.
 */
export function manPage(): string {
  const lines = [
    '.\\" Made from the option table by "npm run man"; do not edit.',
    `.TH GPUSORT 1 "" "gpusort ${packageVersion()}" "User Commands"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    'gpusort \\- sort large files on a GPU or the CPU',
    '.SH SYNOPSIS',
    '.B gpusort',
    '[\\fIOPTION\\fR]... [\\fIFILE\\fR]...',
    '.SH DESCRIPTION',
    ...[SUMMARY, ...DESCRIPTION].flatMap(blockLines),
    // Most readers look for a command line.
    ...SECTIONS.filter(isExamples).flatMap(sectionLines),
    '.SH OPTIONS',
    ...GROUPS.flatMap(groupLines),
    ...SECTIONS.filter((section) => !isExamples(section)).flatMap(sectionLines),
    '.SH BUGS',
    ...BUGS.flatMap(blockLines),
    '.SH AUTHORS',
    'The gpusort authors. MIT license.',
    '.SH SEE ALSO',
    '.BR sort (1)',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const isExamples = ({ topic }: Section): boolean => topic === 'examples';

const sectionLines = ({ title, blocks }: Section): string[] => [
  `.SH ${title.toUpperCase()}`,
  ...blocks.flatMap(blockLines),
];

function groupLines(group: OptionGroup): string[] {
  return [`.SS ${group}`, ...OPTIONS.filter((row) => row.group === group).flatMap(optionLines)];
}

function optionLines(row: OptionRow): string[] {
  const value = `=\\fI${row.argument}\\fR`;
  const argument = row.argument === undefined ? '' : row.bare === undefined ? value : `[${value}]`;
  const short = row.short === undefined ? '' : `\\fB\\-${row.short}\\fR, `;
  const lines = ['.TP', `${short}\\fB${escapeRoff(`--${row.long}`)}\\fR${argument}`, escapeRoff(row.help)];
  const { alias } = row;
  return alias === undefined ? lines : [...lines, '.TP', `\\fB\\-${alias.short}\\fR`, escapeRoff(alias.help)];
}

function blockLines(block: ManualBlock): string[] {
  if (typeof block === 'string') return ['.PP', ...sentences(block)];
  return block.items.flatMap(([term, meaning]) => {
    const bold = `\\fB${escapeRoff(term)}\\fR`;
    if (block.kind === 'terms') return ['.TP', bold, ...sentences(meaning)];
    // A command may be longer than a line. man(7) wraps a paragraph, but not the tag of .TP.
    return ['.PP', bold, '.RS 4', escapeRoff(meaning), '.RE'];
  });
}

/** One sentence a line, as man(7) asks. */
function sentences(text: string): string[] {
  return text.split(/(?<=\.\)?) (?=[A-Z-])/).map(escapeRoff);
}

/** Escapes backslashes and hyphens, and lines that look like requests. */
function escapeRoff(text: string): string {
  return text.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/^[.']/, '\\&$&');
}
