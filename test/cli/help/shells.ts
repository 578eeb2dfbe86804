/** Asks real shells what they complete a command line with, after they have read the script of --completions. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionScript } from '../../../src/cli/help/completions.js';
import type { Shell } from '../../../src/cli/parse/option-values.js';
import { environment } from '../run.js';

const LIMIT_MS = 60_000;

/** Whether the shell is installed. */
export function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/**
 * The candidates of the shell for the last word of each line, as whole words: `--sort=numeric` for `--sort=nu`. Sorted,
 * without quotes and repeats, and without the slash after a directory and the equals sign after a name. Lines hold no
 * quotes. `directory` is the current one; programs in its folder `bin` can be completed. `isSplit`: bash takes the
 * equals sign for a word of its own, as by default.
 */
export function candidates(shell: Shell, lines: readonly string[], directory: string, isSplit = true): string[][] {
  writeFileSync(join(directory, 'script'), completionScript(shell));
  const all = { bash: askBash, zsh: askZsh, fish: askFish }[shell](lines, directory, isSplit);
  return all.map((words) => [...new Set(words.map((word) => word.replace(/[/=]$/, '')))].sort());
}

function askBash(lines: readonly string[], directory: string, isSplit: boolean): string[][] {
  const asked = lines.map((line) => {
    const words = line.split(isSplit ? / |(?==)|(?<==)/ : ' ');
    const last = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
    const prefix = line.slice(line.lastIndexOf(' ') + 1, line.length - last.length);
    return { words, prefix: isSplit && line.includes('=') ? prefix : '' };
  });
  const script = [
    'source ./script',
    ...asked.map(
      ({ words }) =>
        `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _gpusort; ` +
        'printf "%s\\n" "${COMPREPLY[@]}" ---',
    ),
  ].join('\n');
  const answers = run('bash', ['--norc', '--noprofile', '-c', script], directory).split('---\n').slice(0, -1);
  return answers.map((answer, i) => nonEmpty(answer.split('\n')).map((word) => asked[i].prefix + word));
}

function askFish(lines: readonly string[], directory: string): string[][] {
  const script = ['source ./script', ...lines.map((line) => `complete -C '${line}'; echo ---`)].join('\n');
  const answers = run('fish', ['--no-config', '-c', script], directory).split('---\n').slice(0, -1);
  return answers.map((answer) => nonEmpty(answer.split('\n')).map((line) => line.split('\t')[0]));
}

/** An interactive zsh prints what its completion adds, in angle brackets. */
const INNER_ZSH = `
PS1=
autoload -U compinit && compinit -D -u
source ./script
bindkey '^I' complete-word
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits before hidden
  builtin compadd -A hits "$@"
  zparseopts -E P:=before p:=hidden
  print -rl -- "<\${IPREFIX}\${before[2]}\${hidden[2]}"$^hits">"
  builtin compadd "$@"
}
ended() { print ENDED; comppostfuncs=(ended) }
comppostfuncs=(ended)
unsetopt auto_list auto_menu
print READY
`;

const OUTER_ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./inner'
zpty -r -m shell start '*READY*'
for line in "$@"; do
  # Control-U clears the line before.
  zpty -w -n shell $'\\025'"$line"$'\\t'
  zpty -r -m shell answer '*ENDED*'
  print -r -- "$answer"
  print -r -- ---
done
`;

function askZsh(lines: readonly string[], directory: string): string[][] {
  writeFileSync(join(directory, 'inner'), INNER_ZSH);
  const answers = run('zsh', ['-f', '-c', OUTER_ZSH, 'zsh', ...lines], directory)
    .split('---\n')
    .slice(0, -1);
  return answers.map((answer) => [...answer.matchAll(/<(.*)>\r?$/gm)].map(([, word]) => word.replace(/\\(.)/g, '$1')));
}

function run(shell: string, args: readonly string[], directory: string): string {
  const { stdout, stderr, status, signal } = spawnSync(shell, args, {
    cwd: directory,
    env: { ...environment(), HOME: directory, PATH: `${directory}/bin:${process.env.PATH}`, TERM: 'dumb' },
    timeout: LIMIT_MS,
    encoding: 'utf8',
  });
  if (signal !== null || stderr !== '') throw new Error(`${shell} ended with ${signal ?? status}: ${stderr}`);
  return stdout;
}

function nonEmpty(lines: readonly string[]): string[] {
  return lines.filter((line) => line !== '');
}
