/** The completion script for fish. */
import type { CompletedArgument, CompletedOption } from './completed-option.js';

export function fishScript(options: readonly CompletedOption[]): string {
  return [
    '# Completions of gpusort for fish, printed by: gpusort --completions=fish',
    ...options.flatMap(({ long, short, summary, alias, argument }) => [
      command(
        ...(short === undefined ? [] : [`-s ${short}`]),
        `-l ${long}`,
        ...argumentOf(argument),
        describe(summary),
      ),
      ...(alias === undefined ? [] : [command(`-s ${alias.short}`, describe(alias.summary))]),
    ]),
    '',
  ].join('\n');
}

function command(...words: string[]): string {
  return `complete -c gpusort ${words.join(' ')}`;
}

function argumentOf(argument: CompletedArgument | undefined): string[] {
  if (argument === undefined) return [];
  const { words, completes } = argument;
  const candidates = [
    ...words,
    ...(completes === 'directory' ? ['(__fish_complete_directories)'] : []),
    ...(completes === 'program' ? ['(__fish_complete_command)'] : []),
  ];
  return [...filesOf(argument), ...(candidates.length === 0 ? [] : [`-a ${quote(candidates.join(' '))}`])];
}

/** -r: the next word may be the argument. -F and -f: files are, and are not, among the candidates; -x is -r and -f. */
function filesOf({ completes, isOptional }: CompletedArgument): string[] {
  if (completes === 'file') return isOptional ? [] : ['-r', '-F'];
  return [isOptional ? '-f' : '-x'];
}

function describe(summary: string): string {
  return `-d ${quote(summary)}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
