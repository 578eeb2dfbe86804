/** The .tbi of BED, VCF and GFF against tabix: the same bytes but for the order of bins, and the same answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tabixIndex } from '../../../src/output/index/tabix.js';
import { type RandomBelow, randomBelow } from '../../support/random.js';
import { build, inBinOrder, missing, readBgzf, run, windows, writeBgzf } from './tools.js';

const folder = mkdtempSync(join(tmpdir(), 'gpusort-index-'));
afterAll(() => rmSync(folder, { recursive: true }));
const left = missing('tabix');
const PRESETS = ['bed', 'vcf', 'gff'] as const;
type Preset = (typeof PRESETS)[number];

/** A record as a line, and the positions that it covers, counted from 0, the end exclusive. */
interface Placed {
  readonly line: string;
  readonly contig: string;
  readonly begin: number;
  readonly end: number;
}

function placed(preset: Preset, contig: string, begin: number, below: RandomBelow): Placed {
  const span = [1, 1 + below(10), 1 + below(30_000), 1 + below(2_000_000)][below(4)];
  const end = begin + span;
  const note = 'x'.repeat(below(60));
  if (preset === 'bed') return { line: `${contig}\t${begin}\t${end}\t${note}`, contig, begin, end };
  if (preset === 'gff') {
    return { line: `${contig}\tsim\texon\t${begin + 1}\t${end}\t.\t+\t.\tID=${note}`, contig, begin, end };
  }
  const head = `${contig}\t${begin + 1}\t.`;
  if (span > 50) return { line: `${head}\tA\t<DEL>\t.\tPASS\tAC=1;END=${end};NOTEND=1`, contig, begin, end };
  const reference = 'A'.repeat(span);
  return { line: `${head}\t${reference}\tC\t.\tPASS\tAC=${note.length};XEND=9`, contig, begin, end };
}

const HEADERS: Readonly<Record<Preset, string>> = {
  bed: '#one\n#two\n',
  vcf: '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n',
  gff: '##gff-version 3\n',
};

/** Records of a few contigs in order. */
function sorted(preset: Preset, count: number, below: RandomBelow): Placed[] {
  return ['chr1', 'chr10', 'chr2'].flatMap((contig, i) => {
    const places = Array.from({ length: i === 1 ? 3 : count }, () =>
      below(5) === 0 ? 16384 * (1 + below(300)) - below(3) : below(i === 0 ? 200_000_000 : 3_000_000),
    );
    return places.sort((a, b) => a - b).map((begin) => placed(preset, contig, begin, below));
  });
}

let files = 0;
/** Writes a BGZF file and returns its name. */
function bgzfFile(text: string, blockBytes: number): string {
  const name = join(folder, `${files++}.gz`);
  writeFileSync(name, writeBgzf(Buffer.from(text), blockBytes));
  return name;
}

describe.skipIf(left !== '').each(PRESETS)(`the .tbi of %s${left}`, (preset) => {
  it.each([
    [5000, 65_280],
    [5000, 500],
    [20_000, 4000],
    [1, 100],
    [0, 100],
  ])('has the bytes of that of tabix: %i records, blocks of %i', (count, blockBytes) => {
    const below = randomBelow(count + blockBytes);
    const lines = count === 0 ? [] : sorted(preset, count, below).map(({ line }) => `${line}\n`);
    // A comment among the records, and no newline at the end.
    if (lines.length > 100) lines.splice(50, 0, '#comment\n');
    const text = (HEADERS[preset] + lines.join('')).slice(0, lines.length > 100 ? -1 : undefined);
    const name = bgzfFile(text, blockBytes);
    const built = build(tabixIndex(preset), readBgzf(readFileSync(name)), below, 10_000);
    run('tabix', ['-f', '-p', preset, name]);
    expect(built.equals(inBinOrder(built))).toBe(true);
    expect(built.equals(inBinOrder(readFileSync(`${name}.tbi`)))).toBe(true);
  });

  it('makes tabix find what a scan finds', () => {
    const below = randomBelow(5);
    const records = sorted(preset, 5000, below);
    const name = bgzfFile(HEADERS[preset] + records.map(({ line }) => `${line}\n`).join(''), 2000);
    const built = build(tabixIndex(preset), readBgzf(readFileSync(name)), below);
    writeFileSync(`${name}.tbi`, writeBgzf(built, 60_000));
    for (let i = 0; i < 20; i++) {
      const contig = ['chr1', 'chr10', 'chr2'][below(3)];
      const begin = below(contig === 'chr1' ? 200_000_000 : 3_000_000);
      const end = begin + 1 + below(50_000);
      const found = run('tabix', [name, `${contig}:${begin + 1}-${end}`]).toString();
      const lines = records.filter((record) => record.contig === contig && record.begin < end && record.end > begin);
      expect(found).toBe(lines.map(({ line }) => `${line}\n`).join(''));
    }
  }, 30_000);
});

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
  ['END, not a field that ends in it', vcf('A', '<DEL>', 'CIEND=40000;XEND=40000'), 1],
  ['END, which may not be before the record', vcf('A', '<DEL>', 'END=5'), 1],
  ['END, which may be missing', vcf('A', '<DEL>', 'END=.;AC=1'), 1],
  ['SVLEN of a deletion', vcf('A', '<DEL:ME>', 'SVTYPE=DEL;SVLEN=-40000'), 3],
  ['SVLEN, not of an insertion', vcf('A', '<INS>,<DUP>', 'SVLEN=90000,20000;AC=1'), 2],
  ['no INFO', 'c\t100\t.\tA', 1],
  ['position 0', 'c\t0\t.\tA\tC\n', 1],
])('knows how far a VCF record reaches by %s', (_, text, count) => {
  expect(windows(indexOf('vcf', text))).toBe(count);
});

it.each([
  ['bed', 'c\t0\t0\n'],
  ['gff', 'c\t\t\t0\t0\n'],
  ['vcf', 'c\t0\t.\t\tC\n'],
] as const)('counts what lies before the first position of %s as that position', (preset, text) => {
  expect(windows(indexOf(preset, text))).toBe(1);
});

it('skips the header lines of BED, and CR', () => {
  const header = 'browser position c:1-2\ntrack name=x\n#x\n';
  const index = indexOf('bed', `${header}c\t16384\t16385\r\nc\t40000\r\n`);
  expect(windows(index)).toBe(3);
  // The first chunk begins after the header.
  expect(index.readInt32LE(4)).toBe(1);
  const at = 36 + index.readInt32LE(32) + 12;
  expect(Number(index.readBigUInt64LE(at))).toBe(header.length);
});

it.each<[message: string, preset: Preset, text: string]>([
  ['record 2: not sorted: c:5 comes after c:8', 'bed', 'c\t7\t9\nc\t4\t5\n'],
  ['record 3: not sorted: c comes back after another contig', 'gff', 'c\t\t\t1\t2\nd\t\t\t1\t2\nc\t\t\t3\t4\n'],
  ['record 1: it ends before it begins, at c:8', 'bed', 'c\t7\t5\n'],
  ['record 1: c:536870913 is after the first 512 Mbp, which is all that .tbi holds', 'vcf', 'c\t536870913\t.\tA\n'],
  ['record 2: not BED: a position is not a number', 'bed', 'c\t7\t9\nc\t-1\t5\n'],
  ['record 1: not BED: it has no start', 'bed', '\n'],
  ['record 1: not GFF: it has no start', 'gff', 'c\tx\ty\n'],
  ['record 1: not VCF: it has no reference allele', 'vcf', 'c\t7\t.'],
  ["record 1: not BED: the contig's name contains NUL", 'bed', 'a\0b\t1\t2\n'],
])('refuses %s', (message, preset, text) => {
  expect(() => indexOf(preset, text)).toThrow(`cannot index: ${message}`);
});

it.each(PRESETS)('refuses damaged %s without a crash', (preset) => {
  const below = randomBelow(13);
  const lines = sorted(preset, 5, below).map(({ line }) => `${line}\n`);
  const text = Buffer.from(HEADERS[preset] + lines.join(''));
  for (let round = 0; round < 1000; round++) {
    const damaged = Buffer.from(text.subarray(0, round % 3 === 0 ? below(text.length) : text.length));
    for (let i = below(4); i > 0 && damaged.length > 0; i--)
      damaged[below(damaged.length)] = [9, 10, 48, 255][below(4)];
    try {
      build(tabixIndex(preset), { text: damaged, blocks: [[damaged.length, 50]] }, below, 1 + below(60));
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad-records' });
    }
  }
});
