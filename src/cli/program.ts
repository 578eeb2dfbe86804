/**
 * The commander program made from the option table: it collects the values and prints the help. What the values mean together
 * is decided in parse.ts.
 */
import { Command, Option } from 'commander';
import { DESCRIPTION, SECTIONS } from './manual.js';
import { OPTIONS, QUIET_CHECK, type OptionRow } from './options.js';

/** Reads one value of an option; `previous` is what the option's earlier values came to. */
export type ValueReader = (row: OptionRow, text: string, previous: unknown) => unknown;

/** Neither prints nor exits by itself; -h and -V are left to sorting. */
export function createProgram(programName: string, readValue: ValueReader): Command {
  const program = new Command(programName)
    .usage('[OPTION]... [FILE]...')
    .argument('[file...]')
    .helpOption(false)
    .exitOverride()
    .configureHelp({ optionTerm, visibleArguments: () => [], styleUsage: text => text });
  for (const row of OPTIONS) {
    const option = new Option(flagsOf(row), row.help).helpGroup(row.group);
    if (row.argument !== undefined) option.argParser((text, previous) => readValue(row, text, previous));
    program.addOption(option);
    if (row.long === QUIET_CHECK.long) program.addOption(new Option(`-${QUIET_CHECK.short}`, QUIET_CHECK.help).helpGroup(row.group));
  }
  return program;
}

/** All that --help prints. */
export function helpText(programName: string): string {
  const program = createProgram(programName, (_row, text) => text);
  const sections = SECTIONS.map(({ title, lines }) => `${title}:\n${lines.map(line => line === '' ? '\n' : `  ${line}\n`).join('')}`);
  return `${DESCRIPTION.join('\n')}\n\n${program.helpInformation()}\n${sections.join('\n')}`;
}

/** `-S, --buffer-size <SIZE>` in commander's notation. */
function flagsOf(row: OptionRow): string {
  const argument = row.argument === undefined ? '' : row.bare === undefined ? ` <${row.argument}>` : ` [${row.argument}]`;
  return `${row.short === undefined ? '' : `-${row.short}, `}--${row.long}${argument}`;
}

/** `-S, --buffer-size=SIZE` as GNU writes it, long names in one column. */
function optionTerm(option: Option): string {
  const indent = option.short === undefined ? '    ' : '';
  return indent + option.flags.replace(/ <(.*)>$/, '=$1').replace(/ \[(.*)\]$/, '[=$1]');
}
