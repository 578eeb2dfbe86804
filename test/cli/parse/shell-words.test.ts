/** Words of --slurm-options, compared with those that a real shell makes from the same text. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitWords } from '../../../src/cli/parse/shell-words.js';
import { property } from '../../support/property.js';
import { shell } from '../run.js';

/** Without characters that begin an expansion or an operator in a shell: these are plain here. */
const TEXTS = [
  '',
  ' \t\n ',
  'a',
  '--partition=long  --mem=8G',
  `--comment='a "b" $c \\d' "it's" "" ''`,
  `a"b"'c'\\ d \\'e\\" \\\\`,
  '"\\$x \\` \\" \\\\ \\n \\\' \'"',
  'a \\\n b\\\nc "d\\\ne" \'f\\\ng\'',
  'caf\u00e9 "\u00e9 \u4e2d"',
];

const decoded = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');
const ours = (text: string): string[] => splitWords(bytesOf(text), '--slurm-options');

/** The words into which bash splits each text; null: it finds the text incomplete. */
function shellWords(texts: readonly string[]): (string[] | null)[] {
  const split = `(eval "words=(x $text)" && printf '%s\\1' "\${words[@]}") 2> /dev/null; printf '\\0'`;
  const { stdout } = shell(`while IFS= read -r -d '' text; do ${split}; done`, {
    input: texts.map((text) => `${bytesOf(text)}\0`).join(''),
  });
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((answer) => (answer === '' ? null : answer.split('\x01').slice(1, -1).map(decoded)));
}

it('splits words like a shell', () => {
  expect(TEXTS.map(ours)).toEqual(shellWords(TEXTS));
});

it('expands nothing', () => {
  const words = ['--constraint=gpu|cpu', '~', 'a;b', '$HOME', '*', '#x'];
  expect(ours(words.join(' '))).toEqual(words);
});

const CHARACTER = fc.constantFrom(...'aabb   \t\n\'\'""\\');
const TEXT = fc.nat(11).chain((length) => fc.string({ unit: CHARACTER, minLength: length, maxLength: length }));
property(
  'splits random texts like a shell, and refuses those that the shell calls unfinished',
  // A shell reads many of them. Smaller lists would not show more.
  [fc.noShrink(fc.array(TEXT, { minLength: 400, maxLength: 400, size: 'max' }))],
  (texts) => {
    const found = texts.map((text) => {
      try {
        return ours(text);
      } catch {
        return null;
      }
    });
    expect(found).toEqual(shellWords(texts));
    expect(found.filter((words) => words === null).length).toBeGreaterThan(20);
    expect(found.filter((words) => words !== null && words.length > 1).length).toBeGreaterThan(20);
  },
  { runs: 5 },
);

it.each([
  ["a 'b", "unclosed ' in --slurm-options"],
  ['a"b\\"', 'unclosed " in --slurm-options'],
  ['a\\', 'backslash at the end of --slurm-options'],
])('refuses the unfinished text %j', (text, message) => {
  expect(() => ours(text)).toThrow(message);
});
