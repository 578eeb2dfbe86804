/** --check=explain: what -c says of disorder, and of the line before it. */
import { expect, it } from 'vitest';
import { gnuSort, gpusort } from './run.js';

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

it.each(CASES)('%j', (options, input, second) => {
  const first = gnuSort(['-c', ...options], { input });
  expect(first.status).toBe(1);
  const message = first.stderr.replace(/^sort:/, 'gpusort:');
  expect(gpusort(['-c', ...options], { input })).toEqual({ ...first, stderr: message });
  expect(gpusort(['--check=explain', ...options], { input })).toEqual({ ...first, stderr: `${message}${second}\n` });
});

it('says nothing of input in order, or with equal lines, or none', () => {
  for (const input of ['a\nb\n', 'a\na\n', '']) expect(gpusort(['--check=explain'], { input })).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
});

it('shows places behind a header, the ends of segments, and binary records', () => {
  expect(gpusort(['--check=explain', '--header', '2'], { input: 'z\ny\nb\na\n' }).stderr).toBe('gpusort: -:4: disorder: a\n-:3: comes after it in order: b\n');
  expect(gpusort(['--check=explain', '--segments', 'blank'], { input: 'b\n\nc\na\n' }).stderr).toBe('gpusort: -:4: disorder: a\n-:3: comes after it in order: c\n');
  expect(gpusort(['--check=explain', '--record-size', '2', '--key', '1:1'], { input: 'xbya' }).stderr).toBe('gpusort: -:2: disorder: 7961\n-:1: comes after it in order: 7862\n');
});

it('is not had with -C', () => {
  expect(gpusort(['-C', '--check=explain'])).toMatchObject({ status: 2, stderr: "gpusort: options '-cC' are incompatible\n" });
});
