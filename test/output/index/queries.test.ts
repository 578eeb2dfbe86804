/** What a .tbi holds, and queries of it by the specification's rules, against a scan: needs no tools. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tabixIndex } from '../../../src/output/index/tabix.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { sorted } from './placed.js';
import { build } from './tools.js';

/** The part of an index about one contig. Offsets are virtual. */
interface Contig {
  readonly chunks: { readonly bin: number; readonly begin: bigint; readonly end: bigint }[];
  readonly entries: bigint[];
}

/** Reads the contigs of a .tbi. */
function parse(index: Buffer): Contig[] {
  let at = 36 + index.readInt32LE(32);
  const number = (): number => index.readInt32LE((at += 4) - 4);
  const offset = (): bigint => index.readBigUInt64LE((at += 8) - 8);
  return Array.from({ length: index.readInt32LE(4) }, () => {
    const chunks: Contig['chunks'] = [];
    for (let bins = number(); bins > 0; bins--) {
      const bin = number();
      for (let count = number(); count > 0; count--) chunks.push({ bin, begin: offset(), end: offset() });
    }
    return { chunks, entries: Array.from({ length: number() }, offset) };
  });
}

/** Whether bin `bin` of a .tbi spans any of the positions. */
function overlaps(bin: number, begin: number, end: number): boolean {
  for (let level = 0, first = 0; level <= 5; first += 8 ** level++) {
    const width = 2 ** (29 - 3 * level);
    const at = (bin - first) * width;
    if (bin >= first && bin < first + 8 ** level) return at < end && at + width > begin;
  }
  return false;
}

it.each([
  ['blocks of 65,280', 65_280, 3000],
  ['small blocks', 300, 3000],
  ['one record a block', 40, 1000],
])('finds every record that overlaps a query and reads few others: %s', (_, blockBytes, count) => {
  const below = randomBelow(blockBytes);
  const records = Array.from({ length: count }, () => {
    const begin = below(40_000_000);
    return { begin, end: begin + 1 + below([10, 1000, 50_000, 3_000_000][below(4)]) };
  }).sort((a, b) => a.begin - b.begin);
  const places: number[] = [];
  let text = '';
  for (const { begin, end } of records) {
    places.push(text.length);
    text += `chr1\t${begin}\t${end}\n`;
  }
  const blocks: [number, number][] = [];
  for (let at = 0; at < text.length; at += blockBytes)
    blocks.push([Math.min(blockBytes, text.length - at), 20 + below(60_000)]);
  const starts = [0];
  for (const [i, [, compressed]] of blocks.entries()) starts.push(starts[i] + compressed);
  const offsetOf = (place: number): bigint =>
    (BigInt(starts[Math.floor(place / blockBytes)]) << 16n) | BigInt(place % blockBytes);

  const [contig] = parse(build(tabixIndex('bed'), { text: Buffer.from(text), blocks }, below, 5000));
  let read = 0;
  let found = 0;
  for (let i = 0; i < 100; i++) {
    const begin = below(40_000_000);
    const end = begin + 1 + below(100_000);
    const window = begin >>> 14;
    const least = contig.entries[Math.min(window, contig.entries.length - 1)];
    const chunks = contig.chunks.filter((chunk) => overlaps(chunk.bin, begin, end) && chunk.end > least);
    for (const [j, record] of records.entries()) {
      const offset = offsetOf(places[j]);
      const isRead = offset >= least && chunks.some((chunk) => chunk.begin <= offset && offset < chunk.end);
      const isFound = record.begin < end && record.end > begin;
      if (isFound) expect(isRead, `${begin}-${end}: record ${j}`).toBe(true);
      read += Number(isRead);
      found += Number(isFound);
    }
  }
  expect(found).toBeGreaterThan(100);
  if (blockBytes < 1000) expect(read).toBeLessThan(count * 50);
});

it('stores the number of records of each contig, and where they begin and end', () => {
  const text = '#header\na\t1\t2\na\t5\t9\nb\t1\t2\n';
  const [a, b] = parse(
    build(
      tabixIndex('bed'),
      {
        text: Buffer.from(text),
        blocks: [
          [20, 100],
          [6, 50],
        ],
      },
      randomBelow(1),
    ),
  );
  const metadata = ({ chunks }: Contig): bigint[] =>
    chunks.filter(({ bin }) => bin === 37450).flatMap(({ begin, end }) => [begin, end]);
  expect(metadata(a)).toEqual([8n, 100n << 16n, 2n, 0n]);
  expect(metadata(b)).toEqual([100n << 16n, 150n << 16n, 1n, 0n]);
});

it('begins the records of a contig after a block without text', () => {
  const blocks = [
    [6, 100],
    [0, 30],
    [6, 50],
  ] as const;
  const [, b] = parse(build(tabixIndex('bed'), { text: Buffer.from('a\t1\t2\nb\t1\t2\n'), blocks }, randomBelow(1)));
  expect(b.entries).toEqual([130n << 16n]);
});

it('fills index windows that no record reaches with the next entry', () => {
  const text = Buffer.from('a\t0\t1\na\t40000\t40001\n');
  const [{ entries }] = parse(build(tabixIndex('bed'), { text, blocks: [[text.length, 50]] }, randomBelow(1)));
  expect(entries).toEqual([0n, 6n, 6n]);
});

it('leaves 0 in windows that only an empty record at their end touches', () => {
  const text = Buffer.from('#\na\t5\t9\na\t49152\t49152\n');
  const [{ entries }] = parse(build(tabixIndex('bed'), { text, blocks: [[text.length, 50]] }, randomBelow(1)));
  expect(entries).toEqual([2n, 0n, 0n]);
});

property(
  'makes the same index whether blocks are known early or late',
  [fc.nat(), fc.constantFrom(40, 300, 2000)],
  (seed, largest) => {
    const below = randomBelow(seed);
    const text = Buffer.from(
      sorted('bed', 200, below)
        .map(({ line }) => `${line}\n`)
        .join(''),
    );
    const [early, late] = [tabixIndex('bed'), tabixIndex('bed')];
    late.text(text);
    for (let at = 0; at < text.length; ) {
      const [from, compressedBytes] = [at, 20 + below(60_000)];
      at = Math.min(text.length, at + 1 + below(largest));
      early.text(text.subarray(from, at));
      for (const builder of [early, late]) builder.block(at - from, compressedBytes);
    }
    expect(early.finish().equals(late.finish())).toBe(true);
  },
  { runs: 100 },
);

it('fails to finish an index that is missing blocks of the output', () => {
  const builder = tabixIndex('bed');
  builder.text(Buffer.from('a\t1\t2\n'));
  expect(() => builder.finish()).toThrow('internal error: the index is missing blocks of the output');
});
