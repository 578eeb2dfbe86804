/** SAM that threads sort as BAM: in tiny groups of lines, against a plain sort of the records that it becomes. */
import { expect, it } from 'vitest';
import { Declined } from '../../../../src/contract/engine.js';
import { CpuBamSort } from '../../../../src/engines/cpu/bam/sort-bam.js';
import { MiB } from '../../../../src/report/units.js';
import { parseRecords } from '../../../records/bam-reference.js';
import { encodeBam } from '../../../support/genomics-bam.js';
import { alignments, CONTIGS, sam } from '../../../support/genomics-data.js';
import { silent } from '../../../support/jobs.js';
import { inOrder, type SortedBam, sorted } from '../../bam/sorting.js';

const contigs = Buffer.from(CONTIGS.map(([name]) => `${name}\n`).join(''));
const headerBytes = encodeBam(sam([])).length;

/** Lines, sorted by coordinate. */
const asBam = (lines: readonly string[]): Buffer => encodeBam(sam(lines)).subarray(headerBytes);
const expected = (lines: readonly string[]): Buffer => inOrder(parseRecords(asBam(lines), CONTIGS.length).records);
const text = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');

interface Options {
  readonly groupBytes?: number;
  readonly workers?: number;
  readonly memoryBytes?: number;
}

function sortHere(files: readonly Buffer[], options: Options = {}): Promise<SortedBam> {
  const { groupBytes, workers = 0, memoryBytes = 1024 * MiB } = options;
  const resources = { workers, helps: workers === 0, memoryBytes, level: 1 };
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const input = { bytes, keptBytes: () => 0, rows: null, references: CONTIGS.length, contigs } as const;
  return sorted(new CpuBamSort(input, resources, silent, groupBytes), files, 0, { writtenBytes: headerBytes });
}

const lines = alignments(31, 3000);

it.each([
  ['of the usual size', {}],
  ['of a few lines', { groupBytes: 2000 }],
  ['of some lines, in threads', { groupBytes: 9000, workers: 2 }],
])('is sorted in groups %s', async (_, options) => {
  const { blocks } = await sortHere([text(lines)], options);
  expect(blocks.equals(expected(lines))).toBe(true);
});

it('may be several files, the last lines of which have no newline, and files without records', async () => {
  const files = [text(lines.slice(0, 900)).subarray(0, -1), Buffer.alloc(0), text(lines.slice(900)).subarray(0, -1)];
  const { blocks } = await sortHere(files, { groupBytes: 4000 });
  expect(blocks.equals(expected(lines))).toBe(true);
});

it('may become longer than it was', async () => {
  // Lines of 21 bytes become records of 37.
  const short = Array.from({ length: 2000 }, (_, i) => `${i % 10}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`);
  expect(asBam(short).length).toBeGreaterThan(1.7 * text(short).length);
  const { blocks } = await sortHere([text(short), text(lines)], { groupBytes: 5000 });
  expect(blocks.equals(expected([...short, ...lines]))).toBe(true);
});

const long = (bytes: number): string => `long\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Z:${'x'.repeat(bytes)}`;

it('may have lines longer than a group, up to eight groups', async () => {
  const some = [...lines.slice(0, 50), long(30_000), ...lines.slice(50, 90), long(31_000)];
  const { blocks } = await sortHere([text(some)], { groupBytes: 4000 });
  expect(blocks.equals(expected(some))).toBe(true);
  await expect(sortHere([text([...some, long(32_000)])], { groupBytes: 4000 })).rejects.toThrow('a line is too long');
  await expect(sortHere([text([long(100_000)]).subarray(0, -1)], { groupBytes: 4000 })).rejects.toThrow(Declined);
});

it.each([
  ['no alignment', 'not a line of SAM', 'a line cannot be converted'],
  ['empty', '', 'a line cannot be converted'],
  ['of a contig that is not listed', 'a\t0\tother\t5\t0\t*\t*\t0\t0\t*\t*', 'a line cannot be converted'],
  [
    'of a contig, without a position',
    'a\t0\tchr1\t0\t0\t*\t*\t0\t0\t*\t*',
    'a record has a reference, but no position',
  ],
  ['beyond what keys hold', 'a\t0\tchr1\t2147483648\t0\t*\t*\t0\t0\t*\t*', 'a record is malformed'],
])('is declined if a line is %s', async (_, line, why) => {
  const all = [...lines.slice(0, 200), line, ...lines.slice(200, 300)];
  await expect(sortHere([text(all)], { groupBytes: 3000 })).rejects.toThrow(why);
});

it('is declined if it does not fit into memory', async () => {
  await expect(sortHere([text(lines)], { groupBytes: 3000, memoryBytes: 100_000 })).rejects.toThrow(
    /^its text of .* or more does not fit into .* of memory$/,
  );
});

it('is declined if it does not fit into memory once it is BAM', async () => {
  const short = text(Array.from({ length: 40_000 }, (_, i) => `${i % 10}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`));
  const options = { groupBytes: 5000, memoryBytes: 1.2e6 };
  expect(1.1 * short.length).toBeLessThan(options.memoryBytes - 10 * 9000);
  await expect(sortHere([short], options)).rejects.toThrow(/^its text of 1\.\d* MiB or more does not fit/);
});
