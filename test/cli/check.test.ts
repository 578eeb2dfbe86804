/** The message of -c about disorder, and the second line of --check=explain, wherever the line before it is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { gnuSort, gpusort, withDirectory } from './run.js';

const CASES: [string[], string, string][] = [
  [[], 'a\nc\nb\n', '-:2: comes after it in order: c'],
  [['-r'], 'a\nb\n', '-:1: comes after it in order: a'],
  [['-u'], 'a\nb\nb\n', '-:2: has an equal key: b'],
  [['-u', '-k2,2'], 'x 1\ny 1\n', '-:1: has an equal key: x 1'],
  [['-k2n'], 'x 9\ny 10\nz 2', '-:2: comes after it in order: y 10'],
  [['-s', '-k1,1'], 'b 1\nb 0\na 2\n', '-:2: comes after it in order: b 0'],
  [[], 'b\n\n', '-:1: comes after it in order: b'],
  [[], '\xff\xe9\n\xe9', '-:1: comes after it in order: \xff\xe9'],
  [['-z'], 'b\n\0a\0', '-:1: comes after it in order: b\n'],
];

it.each(CASES)('--check=explain with %j shows both lines', (options, input, second) => {
  const first = gnuSort(['-c', ...options], { input });
  expect(first.status).toBe(1);
  const message = first.stderr.replace(/^sort:/, 'gpusort:');
  expect(gpusort(['-c', ...options], { input })).toEqual({ ...first, stderr: message });
  expect(gpusort(['--check=explain', ...options], { input })).toEqual({ ...first, stderr: `${message}${second}\n` });
});

it('--check=explain prints nothing for sorted, equal or no lines', () => {
  for (const input of ['a\nb\n', 'a\na\n', ''])
    expect(gpusort(['--check=explain'], { input })).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
});

it('--check=explain counts header lines, and shows segments and binary records', () => {
  expect(gpusort(['--check=explain', '--header', '2'], { input: 'z\ny\nb\na\n' }).stderr).toBe(
    'gpusort: -:4: disorder: a\n-:3: comes after it in order: b\n',
  );
  expect(gpusort(['--check=explain', '--segments', 'blank'], { input: 'b\n\nc\na\n' }).stderr).toBe(
    'gpusort: -:4: disorder: a\n-:3: comes after it in order: c\n',
  );
  expect(gpusort(['--check=explain', '--record-size', '2', '--key', '1:1'], { input: 'xbya' }).stderr).toBe(
    'gpusort: -:2: disorder: 7961\n-:1: comes after it in order: 7862\n',
  );
});

it('--check=explain is incompatible with -C', () => {
  expect(gpusort(['-C', '--check=explain'])).toMatchObject({
    status: 2,
    stderr: "gpusort: options '-cC' are incompatible\n",
  });
});

/** Options and lines in their order. A test swaps two neighbours among more lines than one read returns. */
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

it.each(ORDERS)('-c %j finds two swapped lines among many', (options, line) =>
  withDirectory((cwd) => {
    const below = randomBelow(5);
    const lines = Array.from({ length: 200_000 }, (_, i) => line(i));
    for (const place of [null, below(200_000 - 1), 199_998]) {
      const swapped = [...lines];
      if (place !== null) swapped.splice(place, 2, lines[place + 1], lines[place]);
      writeFileSync(join(cwd, 'lines'), `${swapped.join('\n')}\n`);
      const expected = gnuSort(['-c', ...options, 'lines'], { cwd });
      expect(expected.status).toBe(place === null ? 0 : 1);
      expect(gpusort(['-c', ...options, 'lines'], { cwd })).toEqual({
        ...expected,
        stderr: expected.stderr.replace(/^sort:/, 'gpusort:'),
      });
    }
  }),
);

it.each([[[]], [['-u']], [['-n']], [['-k2,2']], [['-f', '-s']]])(
  '-C %j compares lines of many megabytes, and the lines after them',
  (options) =>
    withDirectory((cwd) => {
      const long = (first: string, last: string): string => `${first}${'0'.repeat(9 << 20)}${last}`;
      const texts = [
        [long('1', '5 a'), long('1', '6 a'), long('1', '6 b')],
        [long('1', '6 b'), long('1', '6 a')],
        ['0', long('1', ''), long('1', ''), '2', '3'],
        [long('1', ''), '2', long('1', '')],
      ];
      for (const lines of texts) {
        writeFileSync(join(cwd, 'lines'), lines.join('\n'));
        const expected = gnuSort(['-C', ...options, 'lines'], { cwd });
        expect(gpusort(['-C', ...options, 'lines'], { cwd })).toEqual(expected);
      }
    }),
);
