/**
 * The .tbi of BED, VCF and GFF, without tools: the windows that it covers, and what it refuses. tabix.slow.test.ts
 * needs tabix.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tabixIndex } from '../../../src/output/index/tabix.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { HEADERS, PRESETS, type Preset, sorted } from './placed.js';
import { build, windows } from './tools.js';

/** The index of a text that is one block. */
function indexOf(preset: Preset, text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const builder = tabixIndex(preset);
  builder.text(bytes);
  builder.block(bytes.length, 100);
  return builder.finish();
}

/** A VCF record at position 100 with these alleles and INFO. */
const vcf = (reference: string, alternative: string, info: string): string =>
  `c\t100\t.\t${reference}\t${alternative}\t.\t.\t${info}\n`;

it.each([
  ['the reference allele', vcf('A'.repeat(20_000), 'C', '.'), 2],
  ['END', vcf('A', '<DEL>', 'END=40000'), 3],
  ['END, not a field whose name ends in END', vcf('A', '<DEL>', 'CIEND=40000;XEND=40000'), 1],
  ['END, which may not be before the record', vcf('A', '<DEL>', 'END=5'), 1],
  ['END, which may be missing', vcf('A', '<DEL>', 'END=.;AC=1'), 1],
  ['SVLEN of a deletion', vcf('A', '<DEL:ME>', 'SVTYPE=DEL;SVLEN=-40000'), 3],
  ['SVLEN, not of an insertion', vcf('A', '<INS>,<DUP>', 'SVLEN=90000,20000;AC=1'), 2],
  ['no INFO', 'c\t100\t.\tA', 1],
  ['position 0', 'c\t0\t.\tA\tC\n', 1],
])('indexes the windows of a VCF record by %s', (_, text, count) => {
  expect(windows(indexOf('vcf', text))).toBe(count);
});

it.each([
  ['bed', 'c\t0\t0\n'],
  ['gff', 'c\t\t\t0\t0\n'],
  ['vcf', 'c\t0\t.\t\tC\n'],
] as const)('treats positions before the first one of %s as the first one', (preset, text) => {
  expect(windows(indexOf(preset, text))).toBe(1);
});

it('indexes the windows that only a later record of the same bin reaches', () => {
  expect(windows(indexOf('bed', 'c\t0\t20000\nc\t10\t40000\n'))).toBe(3);
});

/** The names of contigs in an index. */
function contigsIn(index: Buffer): string[] {
  return index
    .toString('latin1', 36, 36 + index.readInt32LE(32))
    .split('\0')
    .slice(0, -1);
}

it.each([
  ['bed', (name: string) => `${name}\t5\t9\n`],
  ['gff', (name: string) => `${name}\tx\tgene\t5\t9\n`],
] as const)('indexes contigs of %s whose names begin like the description of a track', (preset, record) => {
  for (const name of ['tracks1', 'track_1', 'browser2', 'trac']) {
    expect(contigsIn(indexOf(preset, record(name) + record('zz')))).toEqual([name, 'zz']);
    for (const header of ['track', 'browser\r', 'track name=x'])
      expect(contigsIn(indexOf(preset, `${header}\n${record(name)}`))).toEqual([name]);
  }
  expect(contigsIn(indexOf('vcf', 'track\t5\t.\tA\tC\n'))).toEqual(['track']);
});

it('skips header lines and CR when it indexes BED', () => {
  const header = 'browser position c:1-2\n\n \t\r\ntrack name=x\n#x\n';
  const index = indexOf('bed', `${header}c\t16384\t16385\r\nc\t40000\r\n`);
  expect(windows(index)).toBe(3);
  // The first chunk begins after the header.
  expect(index.readInt32LE(4)).toBe(1);
  const at = 36 + index.readInt32LE(32) + 12;
  expect(Number(index.readBigUInt64LE(at))).toBe(header.length);
});

it('ends the index of GFF before its sequences', () => {
  const record = 'c\tx\tgene\t5\t9\n';
  for (const sequences of ['##FASTA\n>c\nACGT\n', '>c\nACGT\n']) {
    const index = indexOf('gff', record + sequences);
    expect([index.readInt32LE(4), windows(index)]).toEqual([1, 1]);
  }
});

it.each<[message: string, preset: Preset, text: string]>([
  ['record 2: not sorted: c:5 comes after c:8', 'bed', 'c\t7\t9\nc\t4\t5\n'],
  ['record 3: not sorted: c:8 comes after c:10', 'vcf', 'c\t5\t.\tA\nc\t10\t.\tA\nc\t8\t.\tA\n'],
  ['record 3: not sorted: c comes back after another contig', 'gff', 'c\t\t\t1\t2\nd\t\t\t1\t2\nc\t\t\t3\t4\n'],
  ['record 1: it ends before it begins, at c:8', 'bed', 'c\t7\t5\n'],
  [
    'record 1: c:4294967297 is after the first 4294967296 bases, which is all that .csi holds',
    'vcf',
    'c\t4294967297\t.\tA\n',
  ],
  ['record 2: not BED: a position is not a number', 'bed', 'c\t7\t9\nc\t-1\t5\n'],
  ['record 1: not BED: it has no start', 'bed', 'c\n'],
  ['record 2: not BED: it has no start', 'bed', 'c\t7\t9\n\n'],
  ['record 1: not GFF: it has no start', 'gff', 'c\tx\ty\n'],
  ['record 1: not VCF: it has no reference allele', 'vcf', 'c\t7\t.'],
  ["record 1: not BED: the contig's name contains NUL", 'bed', 'a\0b\t1\t2\n'],
])('refuses to index intervals: %s', (message, preset, text) => {
  expect(() => indexOf(preset, text)).toThrow(`cannot index: ${message}`);
});

describe.each(PRESETS)('damaged %s', (preset) => {
  property(
    `refuses to index damaged ${preset} without a crash`,
    [fc.nat(), fc.boolean(), fc.nat(3), fc.integer({ min: 1, max: 60 })],
    (seed, isCut, changes, largest) => {
      const below = randomBelow(seed);
      const lines = sorted(preset, 5, below).map(({ line }) => `${line}\n`);
      const text = Buffer.from(HEADERS[preset] + lines.join(''));
      const damaged = isCut ? text.subarray(0, below(text.length)) : text;
      for (let i = 0; i < changes && damaged.length > 0; i++)
        damaged[below(damaged.length)] = [9, 10, 48, 255][below(4)];
      try {
        build(tabixIndex(preset), { text: damaged, blocks: [[damaged.length, 50]] }, below, largest);
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-records' });
      }
    },
    { runs: 1000 },
  );
});
