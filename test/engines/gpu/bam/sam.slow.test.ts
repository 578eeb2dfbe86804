/** SAM that a GPU sorts as BAM, in tiny stretches, against a plain sort of the records that it becomes. */
import { expect, it } from 'vitest';
import { GpuBamSort } from '../../../../src/engines/gpu/bam/sort-bam.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { parseRecords } from '../../../records/bam-reference.js';
import { describeGpu } from '../../../setup/gpu.js';
import { encodeBam } from '../../../support/genomics-bam.js';
import { alignments, CONTIGS, sam } from '../../../support/genomics-data.js';
import { silent } from '../../../support/jobs.js';
import { inOrder, rowsBy } from '../../bam/sorting.js';
import { useGpu } from '../helpers.js';
import { sortLinesOnDevice, TINY_LINES } from './on-device.js';

const gpu = useGpu();
const contigs = Buffer.from(CONTIGS.map(([name]) => `${name}\n`).join(''));
const headerBytes = encodeBam(sam([])).length;
const asBam = (lines: readonly string[]): Buffer => encodeBam(sam(lines)).subarray(headerBytes);
const expected = (lines: readonly string[]): Buffer => inOrder(parseRecords(asBam(lines), CONTIGS.length).records);
const text = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
/** Without exponents, which only the host reads. */
const lines = alignments(31, 2500).filter((line) => !line.includes('1e+10'));

describeGpu('SAM as BAM on the device', () => {
  it.each([
    ['tiny', TINY_LINES],
    ['usual', {}],
  ])('is sorted in stretches of %s size', async (_, sizes) => {
    const { text: output, blocks } = await sortLinesOnDevice(gpu(), [text(lines)], contigs, { sizes });
    expect([output.equals(expected(lines)), blocks.equals(expected(lines))]).toEqual([true, true]);
  });

  it('may be several files, the last lines of which have no newline, and files without records', async () => {
    const parts = [lines.slice(0, 900), [], lines.slice(900)].map(text);
    const files = parts.map((part) => part.subarray(0, -1));
    const { blocks } = await sortLinesOnDevice(gpu(), files, contigs);
    expect(blocks.equals(expected(lines))).toBe(true);
  });

  it('may have no lines', async () => {
    expect((await sortLinesOnDevice(gpu(), [text([]), text([])], contigs)).blocks).toHaveLength(0);
  });

  it('may become longer than it was', async () => {
    const short = Array.from({ length: 4000 }, (_, i) => `${i % 10}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`);
    const { blocks } = await sortLinesOnDevice(gpu(), [text(short)], contigs);
    expect(blocks.equals(asBam(short))).toBe(true);
  });

  it('is sorted by name', async () => {
    const named = Array.from({ length: 900 }, (_, i) => `read${(i * 701) % 900}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`);
    const { blocks } = await sortLinesOnDevice(gpu(), [text(named)], contigs, { rows: rowsBy('queryname') });
    const inNames = Array.from({ length: 900 }, (_, i) => `read${i}\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*`);
    expect(blocks.equals(asBam(inNames))).toBe(true);
  });

  /** A sort of lines from a pipe. */
  function openSort(most: Partial<Gpu> = {}, sizes = {}): GpuBamSort {
    const input = { rows: null, references: CONTIGS.length, contigs, leastRate: 0, level: 1 } as const;
    const kept = { bytes: null, keptBytes: () => 0 };
    return new GpuBamSort({ ...gpu(), ...most, close: () => {} }, { ...input, ...kept }, silent, sizes);
  }

  it('is read in stretches whose records fit into a binding', async () => {
    const sort = openSort({ maxBindingBytes: 1e6 }, { line: 4096 });
    await sort.close();
    expect(2 * (sort.stretchBytes + 4096)).toBeLessThan(1e6);
    expect(sort.stretchBytes % 4).toBe(0);
  });

  it('counts the bytes of lines, and those of records', async () => {
    const file = text(lines.slice(0, 20));
    const sort = openSort({}, TINY_LINES);
    try {
      sort.begin(0);
      const { chunk, from } = sort.openStretch(file.length);
      const piece = await chunk.openPiece(from);
      piece.bytes.set(file);
      piece.commit(file.length);
      await sort.add(chunk, file.length);
      await sort.end();
      const { records, bytes, sourceBytes } = await sort.prepare();
      expect({ records, bytes, sourceBytes }).toEqual({
        records: 20,
        bytes: asBam(lines.slice(0, 20)).length,
        sourceBytes: file.length,
      });
    } finally {
      await sort.close();
    }
  });

  it.each([
    ['no alignment', 'not a line of SAM', 'a line is malformed'],
    ['of a contig that is not listed', 'a\t0\tother\t5\t0\t*\t*\t0\t0\t*\t*', 'a line is malformed'],
    [
      'of a contig, without a position',
      'a\t0\tchr1\t0\t0\t*\t*\t0\t0\t*\t*',
      'a record has a reference, but no position',
    ],
    ['too long', `a\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Z:${'x'.repeat(14_000)}`, 'a line is too long'],
  ])('is declined if a line is %s', async (_, line, why) => {
    const all = [...lines.slice(0, 200), line, ...lines.slice(200, 300)];
    await expect(sortLinesOnDevice(gpu(), [text(all)], contigs)).rejects.toThrow(why);
  });
});
