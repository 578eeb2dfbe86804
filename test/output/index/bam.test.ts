/**
 * The index of BAM files, without tools: the windows that it covers, the inputs that it refuses, and the format it
 * chooses. bam.slow.test.ts needs samtools.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bamIndex } from '../../../src/output/index/bam.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { bam, positionsOf } from './bam-text.js';
import { build, windows } from './tools.js';

function indexOf(text: Buffer): Buffer {
  const builder = bamIndex('auto');
  builder.text(text);
  builder.block(text.length, 100);
  return builder.finish();
}

it.each([
  ['M', 3],
  ['I', 1],
  ['D', 3],
  ['N', 3],
  ['S', 1],
  ['H', 1],
  ['P', 1],
  ['=', 3],
  ['X', 3],
])('indexes the windows of a read with 40,000 bases of CIGAR operation %s', (operation, count) => {
  const cigar = Buffer.alloc(4);
  cigar.writeUInt32LE((40_000 << 4) | 'MIDNSHP=X'.indexOf(operation));
  expect(windows(indexOf(bam([[0, 7]], 100_000, cigar)))).toBe(count);
});

it.each<[message: string, ...records: [contig: number, position: number][]]>([
  ['record 2: not sorted: a:5 comes after a:8', [0, 7], [0, 4]],
  ['record 4: not sorted: a:8 comes after a:10', [0, 4], [0, 5], [0, 9], [0, 7]],
  ['record 3: not sorted: a comes back after another contig', [0, 7], [1, 4], [0, 9]],
  ['record 2: not sorted: a comes after records without a contig', [-1, -1], [0, 4]],
  ['record 1: the header lists no contig 2', [2, 0]],
  ['record 1: the header lists no contig -2', [-2, 0]],
  ['record 1: its position is -1', [0, -2]],
  ['record 1: a:536870913 is after the first 512 Mbp, which is all that .bai holds', [0, 2 ** 29]],
])('refuses to index BAM: %s', (message, ...records) => {
  expect(() => indexOf(bam(records))).toThrow(`cannot index: ${message}`);
});

it('indexes reads of a contig without a position at its first position', () => {
  const one = [0, -1] as const;
  const index = indexOf(bam([one, one, [0, 0]]));
  expect(windows(index)).toBe(1);
  // Its first bin is the first of the smallest.
  expect(index.readInt32LE(12)).toBe(4681);
});

it('chooses .bai for contigs of up to 2^29 - 1 bases', () => {
  const kinds = [2 ** 29 - 1, 2 ** 29].map((bases) => {
    const builder = bamIndex('auto');
    builder.text(bam([], bases));
    return builder.kind;
  });
  expect(kinds).toEqual(['bai', 'csi']);
});

property(
  'makes the same index from positions as from text',
  [fc.nat(), fc.integer({ min: 1, max: 40 })],
  (seed, largest) => {
    const below = randomBelow(seed);
    const places: [number, number][] = Array.from({ length: 60 }, () => [
      below(2),
      below(3) === 0 ? below(90_000) : -1,
    ]);
    places.sort(([a, x], [b, y]) => a - b || x - y);
    for (let i = below(4); i > 0; i--) places.push([-1, -1]);
    const cigar = Buffer.alloc(4);
    cigar.writeUInt32LE((below(40_000) << 4) | below(9));
    const text = bam(places, 200_000, cigar);
    const [byText, byPositions] = [bamIndex('auto'), bamIndex('auto')];
    byText.text(text);
    const recordBytes = 42;
    const header = text.length - recordBytes * places.length;
    byPositions.text(text.subarray(0, header));
    const advances = 'MDN=X'.includes('MIDNSHP=X'[cigar[0]! & 15]!);
    const positions = positionsOf(places, advances ? cigar.readUInt32LE() >>> 4 : 0, recordBytes);
    for (let at = 0; at < positions.length; at += 4 * largest)
      byPositions.positions!(new Uint8Array(positions.slice(at, at + 4 * largest).buffer));
    for (const builder of [byText, byPositions]) builder.block(text.length, 100);
    expect(byPositions.finish().equals(byText.finish())).toBe(true);
  },
  { runs: 300 },
);

property(
  'refuses to index damaged BAM without a crash',
  [fc.nat(), fc.boolean(), fc.nat(3), fc.integer({ min: 1, max: 60 })],
  (seed, isCut, changes, largest) => {
    const below = randomBelow(seed);
    const text = bam(Array.from({ length: 20 }, (_, i) => [i < 10 ? 0 : 1, i % 10] as const));
    const damaged = isCut ? text.subarray(0, below(text.length)) : text;
    for (let i = 0; i < changes && damaged.length > 0; i++) damaged[below(damaged.length)] = below(256);
    try {
      build(bamIndex('auto'), { text: damaged, blocks: [[damaged.length, 50]] }, below, largest);
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad-records' });
    }
  },
  { runs: 1000 },
);
