/** -m with keys: lines split by key batches, reads or windows; keys much longer than lines; files of all sizes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { gnuSort, withDirectory } from './run.js';

const CASES: readonly (readonly [options: readonly string[], files: number, lines: number, longest: number])[] = [
  [['-n'], 3, 60_000, 9],
  [['-k2,2', '-s'], 40, 2000, 60],
  [['-u', '-k1.1,1.3'], 30, 3000, 20],
  [Array.from({ length: 9 }, () => '-k2,2'), 30, 1000, 80],
  [['-f'], 4, 12, 300_000],
  [['-k2,2', '-r'], 300, 120, 40],
];
const WAYS = [[], ['--parallel', '1'], ['--chunk-size=64K'], ['-S', '8M']].flatMap((way) =>
  CASES.map((inputs) => ({ way, options: inputs[0], inputs })),
);
const DRAWN = sampled(WAYS, {
  count: 9,
  seed: 2,
  values: ({ way, inputs: [, , lines, longest] }) => [way.join(' '), longest > 1e5 ? 'long' : lines > 10_000],
});

it.each(DRAWN)('-m $options $way merges files as GNU sort does', ({ way, inputs: [options, files, lines, longest] }) =>
  withDirectory(async (cwd) => {
    const below = randomBelow(23);
    const line = (): string => `${below(1e6)} ${'abcdefgh'.slice(below(8))}${'x'.repeat(below(longest))}`;
    const texts = Array.from({ length: files * lines * 0.75 }, line);
    const stable = options.filter((option) => option !== '-u');
    writeFileSync(join(cwd, 'all'), `${texts.join('\n')}\n`);
    gnuSort([...stable, '-o', 'all', 'all'], { cwd });
    const sorted = readFileSync(join(cwd, 'all'), 'latin1').split(/(?<=\n)/);
    // Each file gets some of the sorted lines; file 1 is empty, and file 2 lacks its last newline.
    const parts = Array.from({ length: files }, (): string[] => []);
    for (const text of sorted) parts[(below(files - 1) + 2) % files].push(text);
    for (const [i, part] of parts.entries())
      writeFileSync(join(cwd, `${i}`), i === 2 ? part.join('').slice(0, -1) : part.join(''), 'latin1');
    const names = parts.map((_, i) => `${i}`);
    const expected = gnuSort(['-m', ...options, '-o', 'expected', ...names], { cwd });
    const args = ['-m', '--engine', 'cpu', ...way, ...options, '-o', 'merged', ...names];
    expect(await gpusortHere(args, { cwd })).toEqual(expected);
    expect((await gpusortHere(['--engine', 'cpu', '-C', ...stable, 'merged'], { cwd })).status).toBe(0);
    expect(readFileSync(join(cwd, 'merged')).equals(readFileSync(join(cwd, 'expected')))).toBe(true);
  }),
);
