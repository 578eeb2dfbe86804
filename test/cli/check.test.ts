/** -c, -C and --check=explain: the message about disorder, wherever the line before it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { asGpusort, gnuSort, gpusort, withDirectory } from './run.js';

describe('--check=explain', () => {
  it.each<[string[], string, string]>([
    [[], 'a\nc\nb\n', 'f:2: comes after it in order: c'],
    [['-r'], 'a\nb\n', 'f:1: comes after it in order: a'],
    [['-u'], 'a\nb\nb\n', 'f:2: has an equal key: b'],
    [['-u', '-k2,2'], 'x 1\ny 1\n', 'f:1: has an equal key: x 1'],
    [['-k2n'], 'x 9\ny 10\nz 2', 'f:2: comes after it in order: y 10'],
    [['-s', '-k1,1'], 'b 1\nb 0\na 2\n', 'f:2: comes after it in order: b 0'],
    [[], 'b\n\n', 'f:1: comes after it in order: b'],
    [[], '\xff\xe9\n\xe9', 'f:1: comes after it in order: \xff\xe9'],
    [['-z'], 'b\n\0a\0', 'f:1: comes after it in order: b\n'],
  ])('with %j shows both lines', (options, input, second) =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'f'), input, 'latin1');
      const first = asGpusort(gnuSort(['-c', ...options, 'f'], { cwd }));
      expect(first.status).toBe(1);
      expect(await gpusortHere(['-c', ...options, 'f'], { cwd })).toEqual(first);
      const both = { ...first, stderr: `${first.stderr}${second}\n` };
      expect(await gpusortHere(['--check=explain', ...options, 'f'], { cwd })).toEqual(both);
    }),
  );

  it.each<[string[], string, string]>([
    [['--header', '2'], 'z\ny\nb\na\n', 'gpusort: f:4: disorder: a\nf:3: comes after it in order: b\n'],
    [['--segments', 'blank'], 'b\n\nc\na\n', 'gpusort: f:4: disorder: a\nf:3: comes after it in order: c\n'],
    [['--record-size', '2', '-k', '1:1'], 'xbya', 'gpusort: f:2: disorder: 7961\nf:1: comes after it in order: 7862\n'],
    [[], 'a\nb\n', ''],
    [[], 'a\na\n', ''],
    [[], '', ''],
  ])('with %j of %j says %j', (options, input, lines) =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'f'), input);
      const { status, stderr } = await gpusortHere(['--check=explain', ...options, 'f'], { cwd });
      expect({ status, stderr }).toEqual({ status: lines === '' ? 0 : 1, stderr: lines });
    }),
  );

  it('adds a line to standard error, and is incompatible with -C', () => {
    expect(gpusort(['--check=explain'], { input: 'b\na\n' })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'gpusort: -:2: disorder: a\n-:1: comes after it in order: b\n',
    });
    expect(gpusort(['-C'], { input: 'b\na\n' })).toMatchObject({ status: 1, stdout: '', stderr: '' });
    expect(gpusort(['-C', '--check=explain']).stderr).toBe("gpusort: options '-cC' are incompatible\n");
  });
});

/** Options and lines in their order. A test swaps two neighbors among more lines than one read returns. */
const ORDERS: [string[], (i: number) => string][] = [
  [[], (i) => `${i + 1e6} line`],
  [['-u'], (i) => `${i + 1e6}`],
  [['-n'], (i) => `${i}`],
  [['-k2,2n', '-s'], (i) => `x ${i / 4}`],
  [['-t,', '-k2,2', '-k1,1nr'], (i) => `${-i},${1000 + Math.floor(i / 1000)}`],
  [['-V'], (i) => `v1.${i}`],
  [['-f'], (i) => `${i % 2 ? 'L' : 'l'}ine${i + 1e6}`],
  [['-r'], (i) => `${9e6 - i}`],
];
const LINES = 200_000;
const PLACES = [null, randomBelow(5)(LINES - 1), LINES - 2];
const SWAPS = ORDERS.flatMap(([options, line]) => PLACES.map((place) => ({ options, line, place })));

it.each(sampled(SWAPS, { count: 24, seed: 2, values: ({ place }) => [place] }))(
  '-c $options finds two swapped lines among many: $place',
  ({ options, line, place }) =>
    withDirectory(async (cwd) => {
      const lines = Array.from({ length: LINES }, (_, i) => line(i));
      if (place !== null) lines.splice(place, 2, lines[place + 1], lines[place]);
      writeFileSync(join(cwd, 'lines'), `${lines.join('\n')}\n`);
      const expected = gnuSort(['-c', ...options, 'lines'], { cwd });
      expect(expected.status).toBe(place === null ? 0 : 1);
      expect(await gpusortHere(['-c', ...options, 'lines'], { cwd })).toEqual(asGpusort(expected));
    }),
);

const long = (first: string, last: string): string => `${first}${'0'.repeat(9 << 20)}${last}`;
const TEXTS = {
  'that differ at their end': () => [long('1', '5 a'), long('1', '6 a'), long('1', '6 b')],
  'in disorder at their end': () => [long('1', '6 b'), long('1', '6 a')],
  'between short ones': () => ['0', long('1', ''), long('1', ''), '2', '3'],
  'after a shorter one': () => [long('1', ''), '2', long('1', '')],
};
const LONG = [[], ['-u'], ['-n'], ['-k2,2'], ['-f', '-s']].flatMap((options) =>
  Object.entries(TEXTS).map(([what, make]) => ({ options, what, make })),
);

it.each(sampled(LONG, { count: Infinity, seed: 4 }))(
  '-C $options compares lines of many megabytes $what',
  ({ options, make }) =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'lines'), make().join('\n'));
      const { status } = gnuSort(['-C', ...options, 'lines'], { cwd });
      expect((await gpusortHere(['-C', ...options, 'lines'], { cwd })).status).toBe(status);
    }),
);
