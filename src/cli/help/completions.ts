/** All that --completions prints: a script for a shell, made from the option table. */
import { type OptionRow, summaryOf } from '../options/option.js';
import { OPTIONS } from '../options/table.js';
import type { Shell } from '../parse/option-values.js';
import { bashScript } from './bash.js';
import type { CompletedOption } from './completed-option.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Readonly<Record<Shell, (options: readonly CompletedOption[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that completes the command `gpusort` in `shell`. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell](OPTIONS.map(completed));
}

function completed(row: OptionRow): CompletedOption {
  const { long, short, help, alias } = row;
  return {
    long,
    ...(short !== undefined && { short }),
    summary: summaryOf(help),
    ...(alias !== undefined && { alias: { short: alias.short, summary: summaryOf(alias.help) } }),
    ...(row.argument !== undefined && {
      argument: {
        name: row.argument,
        isOptional: row.bare !== undefined,
        words: [...(row.words?.choices.flat() ?? []), ...(row.words?.own ?? [])],
        completes: row.completes ?? 'nothing',
      },
    }),
  };
}
