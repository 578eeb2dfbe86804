/** The benchmark files of genomics: the same from the same seed, pairs in step, and a shuffle that loses nothing. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alignments, SAM_HEADER, sam } from '../support/genomics-data.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { generateGenomics, shuffleAlignments } from './genomics-data.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? '/tmp', 'genomics-data-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function made(kind: string, options: object): string {
  const path = join(folder, kind);
  expect(generateGenomics(kind, path, options)).toBe(statSync(path).size);
  return readFileSync(path, 'latin1');
}

it.each([
  ['reads', 4],
  ['mates', 4],
  ['sam', 1],
  ['bed', 1],
])('%s: as many records as asked for, the same from the same seed', (kind, lines) => {
  const text = made(kind, { records: 3000 });
  expect(text.split('\n').filter((line) => line !== '' && !/^@(HD|SQ)\t/.test(line)).length).toBe(3000 * lines);
  expect(made(kind, { records: 3000 })).toBe(text);
  expect(made(kind, { records: 3000, seed: 2 })).not.toBe(text);
});

it('reads and mates have the same names, and come from both strands of one genome', () => {
  const [first, second] = ['reads', 'mates'].map((kind) => made(kind, { records: 2000 }).split('\n'));
  const names = (lines: readonly string[]): string[] =>
    lines.filter((_, i) => i % 4 === 0).map((line) => line.split(' ')[0]);
  expect(names(second)).toEqual(names(first));
  expect(new Set(first.filter((_, i) => i % 4 === 1)).size).toBeGreaterThan(1900);
});

it('shuffled alignments are the same alignments in another order', () => {
  const lines = alignments(7, 500);
  writeFileSync(join(folder, 'from'), sam(lines), 'latin1');
  const path = join(folder, 'to');
  expect(shuffleAlignments(join(folder, 'from'), path)).toBe(statSync(path).size);
  const shuffled = readFileSync(path, 'latin1');
  expect(shuffled.startsWith(SAM_HEADER)).toBe(true);
  const after = shuffled.slice(SAM_HEADER.length).split('\n').slice(0, -1);
  expect(after).not.toEqual(lines);
  expect(after.sort()).toEqual([...lines].sort());
});
