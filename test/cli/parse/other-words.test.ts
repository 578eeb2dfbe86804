/** The table of words of other tools: each row is found, and names options that exist. */
import { describe, expect, it } from 'vitest';
import { OPTIONS } from '../../../src/cli/options/table.js';
import { namingOurs, warningWithOurs } from '../../../src/cli/parse/other-tools.js';
import { GENERAL_WORDS, nameIn } from '../../../src/cli/parse/other-words.js';
import { splitWords } from '../../../src/cli/parse/shell-words.js';
import { GpusortError } from '../../../src/system/errors.js';
import { errorOf, SURROUNDINGS } from '../arguments.js';

const HELP = "Try 'gpusort --help' for more information.";

describe('each row of the table', () => {
  const plain = GENERAL_WORDS.filter(({ given }) => given === undefined);
  it.each(plain.flatMap(({ there }) => there))('%s is refused with its remedy', (there) => {
    const { hint, exitCode } = errorOf([nameIn(there), 'x'], { programName: 'gpusort' });
    expect(hint).toMatch(/^(?:Use .* instead of|Leave out) .*\.\n/);
    expect(hint!.split('\n')[0]).toContain(there);
    expect(exitCode).toBe(2);
  });

  it('is not hidden by another row', () => {
    const names = plain.flatMap(({ there }) => there.map(nameIn));
    expect(new Set(names).size).toBe(names.length);
  });

  it('finds its own examples', () => {
    for (const { there: examples, here, given, failed } of GENERAL_WORDS.filter((word) => word.given !== undefined))
      for (const there of examples) {
        const words = splitWords(there, there);
        const found = new RegExp(`(?<=\\n)(?:${given})(?=\\n)`).exec(`\n${words.join('\n')}\n`);
        expect(found, there).not.toBeNull();
        const texts = failed!.map((text) => text.replace(/\{(\w+)\}/g, (_, name: string) => found!.groups![name]));
        for (const text of texts) {
          const [, remedy] = warningWithOurs(text, words, 'gpusort').split('\n');
          expect(remedy, `${there}: ${text}`).toMatch(/^(?:Use .* instead of|Leave out) /);
          if (there === examples[0] && here !== null) expect(remedy).toContain(`Use ${here} instead of `);
        }
      }
  });

  it('names options that exist', () => {
    const longs = new Set(OPTIONS.map(({ long }) => `--${long}`));
    const shorts = new Set(OPTIONS.flatMap(({ short }) => (short === undefined ? [] : [`-${short}`])));
    for (const { here } of GENERAL_WORDS)
      for (const option of (here ?? '')
        .split('|')
        .at(-1)!
        .match(/(?<=^| )--?[a-zA-Z][\w-]*/g) ?? [])
        if (!here!.startsWith('find')) expect(option.startsWith('--') ? longs : shorts, here!).toContain(option);
  });

  it('has all words for which the library suggests an option', () => {
    const names = new Set(plain.flatMap(({ there }) => there.map(nameIn)));
    const elsewhere = OPTIONS.flatMap(({ elsewhere: words = [] }) => words.map((word) => `--${word}`));
    expect(elsewhere.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('a remedy', () => {
  const hintOf = (...words: string[]): string | undefined => errorOf(words, { programName: 'gpusort' }).hint;

  it('is left out under the name sort, after -- and in errors about other words', () => {
    expect(errorOf('-j 4', SURROUNDINGS).hint).toBe("Try 'sort --help' for more information.");
    expect(warningWithOurs('x.bam: sorting compressed bytes', ['-n', 'x.bam'], 'sort')).toBe(
      'x.bam: sorting compressed bytes',
    );
    expect(hintOf('-Q', '--', '-j')).toBe(HELP);
    expect(hintOf('-k', '1x', '-d', ',')).toBeUndefined();
    expect(hintOf('--gpu-memory', '4X', '--gpu', '1')).toBeUndefined();
    const missing = new GpusortError('cannot-read', 'cannot read: other: No such file or directory');
    expect(namingOurs(missing, ['-s', 'price', 'other'], 'gpusort')).toBe(missing);
    expect(namingOurs(missing, ['-n', 'other'], 'gpusort')).toBe(missing);
  });

  it('yields to a guess at a word of gpusort', () => {
    expect(hintOf('--sort=nmueric')).toMatch(/^Valid[\s\S]*Did you mean 'numeric'\?$/);
  });

  it('comes before the lines of GNU sort', () => {
    expect(hintOf('-j', '4')).toBe(`Use --parallel N instead of -j.\n${HELP}`);
    expect(hintOf('--format', 'csv')).toMatch(
      /^Use --csv instead of --format csv\.\nValid arguments are:\n {2}- 'fastq'/,
    );
  });
});
