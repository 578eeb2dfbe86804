/**
 * Reports on the order of an input: --stats of sorted inputs, -c of segments and of long lines, --check=orders.
 * features.ts sorts inputs that are nearly in order.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { NEARLY_SORTED_OPTIONS, nearlySorted } from './features.js';
import { sortHere } from './here.js';
import { freshDirectory, gpusort, run } from './runner.js';

const STATS = ['--engine', 'cpu', '--chunk-size', '4K', '--stats'];

// Under -u, chunks with duplicates do not count as sorted.
const options = NEARLY_SORTED_OPTIONS.filter((words) => !words.some((word) => /^-r?u/.test(word)));
it.each(sampled(options, { count: 4, seed: 1 }))('--stats reports chunks in order: %s', async (...words) => {
  const stdin = nearlySorted('in order', words).make();
  const { stdout, stderr } = await gpusort([...STATS, ...words], { stdin });
  expect(stdout.equals((await run('sort', words, { stdin })).stdout)).toBe(true);
  expect(Number(/(\d+) of \d+ chunks were already in (?:order|reverse)/.exec(stderr)?.[1])).toBeGreaterThan(20);
});

it('--stats reports reversed lines, and binary records in order', async () => {
  const sorted = Array.from({ length: 5000 }, (_, i) => `${String(i).padStart(7, '0')}.`);
  const text = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const lines = await gpusort(STATS, { stdin: text(sorted.toReversed()) });
  expect(lines.stdout.equals(text(sorted))).toBe(true);
  expect(lines.stderr).toMatch(/1[0-9] of 1[0-9] chunks were already in reverse/);
  const stdin = Buffer.from(sorted.join(''));
  const records = await gpusort([...STATS, '--record-size', '8', '--key', '0:7'], { stdin });
  expect(records.stdout.equals(stdin)).toBe(true);
  expect(records.stderr).toMatch(/were already in order/);
});

/** A line with this beginning, too long to be compared in a window. */
const long = (begin: string): string => begin + 'x'.repeat(17 << 20);

it.each([
  ['disorder in a segment', ['--segments', 'blank'], 'b\n\nc\na\n', '4: disorder: a'],
  ['order in each segment', ['--segments', 'blank'], 'b\nc\n\na\n', null],
  ['different keys in each segment', ['-u', '--segment-by', '1,1'], 'b 1\na 1\na 2\nb 1\n', null],
  ['a long line in order', [], `a\n${long('b')}\nc\n`, null],
  ['disorder after a long line', [], `a\n${long('c')}\nb\n`, '3: disorder: b'],
  ['disorder in the segment of a long line', ['--segment-by', '1,1'], `b 1\n${long('a 2')}\na 1\n`, '3: disorder: a 1'],
  ['a long line that begins a segment', ['--segment-by', '1,1'], `b 1\n${long('a 1')}\nb 0\n`, null],
  ['a key that equals that of a long line', ['-u', '-k1,1'], `a 1\n${long('b ')}\nb 2\n`, '3: disorder: b 2'],
])('-c finds %s', async (_, words, input, disorder) => {
  const cwd = freshDirectory('check');
  writeFileSync(join(cwd, 'in'), input);
  const { status, stderr } = await sortHere(['-c', ...words, 'in'], { cwd });
  expect([status, stderr]).toEqual(disorder === null ? [0, ''] : [1, `gpusort: in:${disorder}\n`]);
});

/** Intervals on two chromosomes, in order, of a few megabytes: more than are compared at once. */
const INTERVALS = Array.from(
  { length: 200_000 },
  (_, i) => `chr${i < 120_000 ? 1 : 2}\t${1_000_000 + i}\t${1_000_010 + i}\n`,
);
/** The same lines, with each of these places swapped with the next. */
const swapped = (...places: readonly number[]): string => {
  const lines = [...INTERVALS];
  for (const at of places) [lines[at], lines[at + 1]] = [lines[at + 1], lines[at]];
  return lines.join('');
};

it.each([
  ['the number of a record far into the input', [], swapped(150_000), 150_002],
  ['disorder of the plain order under -r', ['-r'], swapped(50), 52],
])('--check=orders reports %s', async (_, words, input, record) => {
  const cwd = freshDirectory('orders');
  writeFileSync(join(cwd, 'list'), 'chr1\nchr2\n');
  const args = ['--format', 'bed', '--contigs', 'list', ...words, '--check=orders'];
  const { stdout, stderr } = await sortHere(args, { cwd, stdin: Buffer.from(input) });
  expect(stderr).toBe('');
  expect(stdout.toString()).toContain(`not in order: record ${record} sorts before record ${record - 1}: `);
});

it('--check=orders reports the first disorder in one order of alignments that are in another', async () => {
  const cwd = freshDirectory('orders');
  const positions = Array.from({ length: 100_000 }, (_, i) => 1000 + i);
  for (const at of [50, 90_000]) [positions[at], positions[at + 1]] = [positions[at + 1], positions[at]];
  const records = positions.map((at, i) => `r${1_000_000 + i}\t0\tchr1\t${at}\t60\t4M\t*\t0\t0\tACGT\t*\n`);
  writeFileSync(join(cwd, 'in'), `@SQ\tSN:chr1\tLN:1000000\n${records.join('')}`);
  const { stdout } = await sortHere(['--format', 'sam', '--check=orders', 'in'], { cwd });
  expect(stdout.toString()).toMatch(/^coordinate: not in order: record 52 sorts before record 51: /m);
  expect(stdout.toString()).toMatch(/^queryname \(natural\): in order$/m);
});
