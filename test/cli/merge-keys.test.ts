/**
 * -m with keys: lines split by key batches, reads or windows; keys much longer than lines; files of all sizes. By day
 * each in one or two of four ways.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { gnuSort, gpusort, withDirectory } from './run.js';

const below = randomBelow(23);
const line = (longest: number): string => `${below(1e6)} ${'abcdefgh'.slice(below(8))}${'x'.repeat(below(longest))}`;

const CASES: [string[], files: number, lines: number, longest: number][] = [
  [['-n'], 3, 60_000, 9],
  [['-k2,2', '-s'], 40, 2000, 60],
  [['-u', '-k1.1,1.3'], 30, 3000, 20],
  [Array.from({ length: 9 }, () => '-k2,2'), 30, 1000, 80],
  [['-f'], 4, 12, 300_000],
  [['-k2,2', '-r'], 300, 120, 40],
];
const WAYS = [[], ['--parallel', '1'], ['--chunk-size=64K'], ['-S', '8M']];
const TODAY = sampled(
  CASES.flatMap(([options]) => WAYS.map((way) => ({ options, way }))),
  { count: 9, seed: 2, values: ({ options, way }) => [options.join(' '), way.join(' ')] },
);

it.each(CASES)('-m %j merges %i files as GNU sort does', (options, files, lines, longest) =>
  withDirectory((cwd) => {
    const names = Array.from({ length: files }, (_, i) => `${i}`);
    for (const [i, name] of names.entries()) {
      // File 1 is empty. Below, file 2 loses its last newline.
      const count = i === 1 ? 0 : lines - below(lines / 2);
      writeFileSync(join(cwd, name), Array.from({ length: count }, () => `${line(longest)}\n`).join(''));
      gnuSort([...options, '-o', name, name], { cwd });
    }
    writeFileSync(join(cwd, '2'), gnuSort([...options, '2'], { cwd }).stdout.slice(0, -1), 'latin1');
    const expected = gnuSort(['-m', ...options, '-o', 'expected', ...names], { cwd });
    for (const { way } of TODAY.filter((one) => one.options === options)) {
      expect(gpusort(['-m', '--engine', 'cpu', ...way, ...options, '-o', 'merged', ...names], { cwd })).toEqual(
        expected,
      );
      expect(
        gpusort(['--engine', 'cpu', '-C', ...options.filter((option) => option !== '-u'), 'merged'], { cwd }).status,
      ).toBe(0);
      expect(readFileSync(join(cwd, 'merged')).equals(readFileSync(join(cwd, 'expected')))).toBe(true);
    }
  }),
);
