/** All that --help prints, made from the option table and the shared prose. Commander lays it out. */
import { Command, type Help, Option } from 'commander';
import type { OptionRow } from '../options/option.js';
import { OPTIONS } from '../options/table.js';
import { type Block, DESCRIPTION, SECTIONS, SUMMARY } from './manual.js';

/** Columns before each line of a section; commander indents by as much. */
const INDENT = 2;
/** Commander wraps a meaning only if 40 columns are left for it. */
const MAX_TERM_WIDTH = 34;

/** Usage and options, then the sections of the manual in the same width. */
export function helpText(programName: string): string {
  const program = describedProgram(programName);
  const help = program.createHelp();
  help.prepareContext({ helpWidth: process.stdout.columns });
  const sections = SECTIONS.map(({ title, blocks }) => {
    return `${title}:\n${blocks.map((block) => blockText(block, help)).join('\n')}`;
  });
  // The summary stands right below the usage.
  return `${program.helpInformation().replace('\n\n', '\n')}\n${sections.join('\n')}`;
}

/** A program that is never run. -h is an ordering option, not help. */
function describedProgram(programName: string): Command {
  const program = new Command(programName)
    .usage('[OPTION]... [FILE]...')
    .description([SUMMARY, ...DESCRIPTION].join('\n\n'))
    .argument('[file...]')
    .helpOption(false)
    .configureHelp({ optionTerm, visibleArguments: () => [], styleUsage: (text) => text });
  for (const row of OPTIONS) {
    program.addOption(new Option(flagsOf(row), row.help).helpGroup(row.group));
    if (row.alias !== undefined)
      program.addOption(new Option(`-${row.alias.short}`, row.alias.help).helpGroup(row.group));
  }
  return program;
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
