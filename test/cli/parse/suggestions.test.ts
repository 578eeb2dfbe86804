/** "Did you mean": the last line after an unknown option or word, under any name of the program but `sort`. */
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/cli/parse/nearest.js';
import { ourVerdict } from '../arguments.js';

describe('the nearest word', () => {
  it.each([
    ['uniqe', 'unique'],
    ['uniuqe', 'unique'],
    ['UNIQUE', 'unique'],
    ['outptu', 'output'],
    ['top', 'top'],
    ['tpo', 'top'],
  ])('for %s is %s', (word, expected) => {
    expect(nearest(word, ['output', 'unique', 'top'])).toBe(expected);
  });

  it.each(['', 'x', 'to', 'foo', 'utility', 'uniqueness', 'unlikely'])('for %j is none', (word) => {
    expect(nearest(word, ['output', 'unique', 'top'])).toBeUndefined();
  });

  it('is the one with the fewest edits, then the first', () => {
    expect(nearest('headers', ['leaders', 'header'])).toBe('leaders');
    expect(nearest('tpu', ['auto', 'gpu', 'cpu'])).toBe('gpu');
    expect(nearest('numerik', ['generic', 'numeric'])).toBe('numeric');
  });
});

describe('an error', () => {
  const HELP = "Try 'gpusort --help' for more information.\n";

  it.each([
    [['--uniqe'], "unrecognized option '--uniqe'", "'--unique'"],
    [['--outptu=x'], "unrecognized option '--outptu=x'", "'--output'"],
    [['--colour'], "unrecognized option '--colour'", "'--color'"],
    [['--ignorecase'], "unrecognized option '--ignorecase'", "'--ignore-case'"],
  ])('%j suggests an option', (args, message, meant) => {
    expect(ourVerdict(args, 'gpusort')).toEqual({
      stderr: `gpusort: ${message}\n${HELP}Did you mean ${meant}?\n`,
      status: 2,
    });
  });

  it.each([
    ['--sort=nmueric', "'numeric'", 1],
    ['--check=explian', "'explain'", 1],
    ['--engine=cup', "'cpu'", 2],
    ['--algorithm=simple-sort', "'sample-sort'", 2],
    ['--color=alwyas', "'always'", 2],
    ['--stats=jsno', "'json'", 2],
    ['--completions=zhs', "'zsh'", 2],
  ])('%s suggests the word %s', (option, meant, status) => {
    const verdict = ourVerdict([option], 'gpusort');
    expect(verdict.stderr).toMatch(
      /^gpusort: invalid argument '.*' for '--.*'\nValid arguments are:\n(?: {2}- .*\n)+Try /,
    );
    expect(verdict.stderr.endsWith(`${HELP}Did you mean ${meant}?\n`)).toBe(true);
    expect(verdict.status).toBe(status);
  });

  it.each([['--foo'], ['--nonsense=3'], ['-Q'], ['--c'], ['--engine=quantum'], ['--progress=a'], ['--rev=3']])(
    '%j suggests nothing if nothing is near, or if something else is wrong',
    (option) => {
      expect(ourVerdict([option], 'gpusort').stderr.endsWith(HELP)).toBe(true);
    },
  );

  it('suggests nothing under the name sort', () => {
    for (const option of ['--uniqe', '--sort=nmueric', '--engine=cup'])
      expect(ourVerdict([option]).stderr.endsWith("Try 'sort --help' for more information.\n")).toBe(true);
  });
});
