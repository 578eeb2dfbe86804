/**
 * The commander program made from the option table: it collects the values and prints the help. make-job.ts decides
 * what the values mean together.
 */
import { Command, type Help, Option } from 'commander';
import { type Block, DESCRIPTION, SECTIONS, SUMMARY } from './manual.js';
import { OPTIONS, type OptionRow, QUIET_CHECK } from './options.js';

/** Columns before each line of a section; commander indents by as much. */
const INDENT = 2;
/** Commander wraps a meaning only if 40 columns are left for it. */
const MAX_TERM_WIDTH = 34;

/** Reads one value of an option; `previous` is the result of the option's earlier values. */
type ValueReader = (row: OptionRow, text: string, previous: unknown) => unknown;

/** It never prints or exits by itself. -h and -V are ordering options, not help and version. */
export function createProgram(programName: string, readValue: ValueReader): Command {
  const program = new Command(programName)
    .usage('[OPTION]... [FILE]...')
    .argument('[file...]')
    .helpOption(false)
    .exitOverride()
    .configureHelp({ optionTerm, visibleArguments: () => [], styleUsage: (text) => text });
  for (const row of OPTIONS) {
    const option = new Option(flagsOf(row), row.help).helpGroup(row.group);
    if (row.argument !== undefined) option.argParser((text, previous) => readValue(row, text, previous));
    program.addOption(option);
    if (row.long !== QUIET_CHECK.long) continue;
    program.addOption(new Option(`-${QUIET_CHECK.short}`, QUIET_CHECK.help).helpGroup(row.group));
  }
  return program;
}

/** All that --help prints: commander's usage and options, then the sections of the manual in the same width. */
export function helpText(programName: string): string {
  const program = createProgram(programName, (_row, text) => text);
  program.description([SUMMARY, ...DESCRIPTION].join('\n\n'));
  const help = program.createHelp();
  help.prepareContext({ helpWidth: process.stdout.columns });
  const sections = SECTIONS.map(({ title, blocks }) => {
    return `${title}:\n${blocks.map((block) => blockText(block, help)).join('\n')}`;
  });
  // The summary stands right below the usage.
  return `${program.helpInformation().replace('\n\n', '\n')}\n${sections.join('\n')}`;
}

function blockText(block: Block, help: Help): string {
  const indent = ' '.repeat(INDENT);
  if (typeof block === 'string') return `${help.boxWrap(block, help.helpWidth! - INDENT).replace(/^/gm, indent)}\n`;
  const termWidth = Math.min(MAX_TERM_WIDTH, Math.max(...block.items.map(([term]) => term.length)));
  return block.items
    .map(([term, meaning]) => {
      // The meaning of a longer term is on the next line.
      const isLong = term.length > termWidth;
      return `${isLong ? `${indent}${term}\n` : ''}${help.formatItem(isLong ? '' : term, termWidth, meaning, help)}\n`;
    })
    .join('');
}

/** `-S, --buffer-size <SIZE>` in commander's notation. */
function flagsOf(row: OptionRow): string {
  const argument =
    row.argument === undefined ? '' : row.bare === undefined ? ` <${row.argument}>` : ` [${row.argument}]`;
  return `${row.short === undefined ? '' : `-${row.short}, `}--${row.long}${argument}`;
}

/** `-S, --buffer-size=SIZE`, as GNU writes it, with all long names in one column. */
function optionTerm(option: Option): string {
  const indent = option.short === undefined ? '    ' : '';
  return indent + option.flags.replace(/ <(.*)>$/, '=$1').replace(/ \[(.*)\]$/, '[=$1]');
}
