/** The index of BAM files against samtools: the same bytes but for the order of bins, and the same answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bamIndex } from '../../../src/output/index/bam.js';
import { type RandomBelow, randomBelow } from '../../support/random.js';
import { build, inBinOrder, missing, readBgzf, run, writeBgzf } from './tools.js';

const folder = mkdtempSync(join(tmpdir(), 'gpusort-index-'));
afterAll(() => rmSync(folder, { recursive: true }));
const left = missing('samtools');

interface Shape {
  readonly contigs: readonly (readonly [name: string, bases: number])[];
  readonly records: number;
  readonly readBases: number;
}

/** SAM text with reads of all kinds: unmapped, placed but unmapped, spliced, and at the edges of windows. */
function sam({ contigs, records, readBases }: Shape, below: RandomBelow): string {
  const lines = ['@HD\tVN:1.6\tSO:unsorted', ...contigs.map(([name, bases]) => `@SQ\tSN:${name}\tLN:${bases}`)];
  const used = contigs.filter(([name]) => !name.startsWith('empty'));
  for (let i = 0; i < records; i++) {
    const bases = 1 + below(readBases);
    const read = Array.from({ length: bases }, () => 'ACGT'[below(4)]).join('');
    const [name, length] = used[below(used.length)];
    const far = 1 + below(length);
    const near = Math.min(length, 16384 * (1 + below(4)) - below(3));
    const position = below(4) === 0 ? near : far;
    const fields = (flag: number, contig: string, at: number, cigar: string): string =>
      `read${i}\t${flag}\t${contig}\t${at}\t60\t${cigar}\t*\t0\t0\t${read}\t*`;
    const kind = below(20);
    if (kind === 0) lines.push(fields(4, '*', 0, '*'));
    else if (kind === 1) lines.push(fields(4, name, position, '*'));
    else if (kind === 2 && bases > 1 && position < length / 2)
      lines.push(fields(16, name, position, `1M${1 + below(Math.min(200_000, length))}${'ND'[below(2)]}${bases - 1}M`));
    else if (kind === 3) lines.push(fields(0, name, position, `${bases}I`));
    else lines.push(fields(below(2) * 16, name, position, `${bases}M`));
  }
  return `${lines.join('\n')}\n`;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'several contigs': {
    contigs: [
      ['chr1', 5_000_000],
      ['empty1', 1000],
      ['chr2', 300_000],
      ['empty2', 1000],
    ],
    records: 8000,
    readBases: 150,
  },
  'long reads, which span blocks': { contigs: [['chrL', 100_000_000]], records: 150, readBases: 40_000 },
  'many reads in few places': { contigs: [['chrM', 200_000]], records: 10_000, readBases: 100 },
  'one record': { contigs: [['chr1', 1000]], records: 1, readBases: 10 },
  'no record': { contigs: [['chr1', 1000]], records: 0, readBases: 10 },
};

let files = 0;
/** Sorts SAM text into a BAM file with blocks of the given size, 0: samtools' own, and returns its name. */
function bamFile(text: string, blockBytes: number): string {
  const name = join(folder, `${files++}.bam`);
  const file = run('samtools', ['sort', '--no-PG', '-O', 'bam', '-'], Buffer.from(text));
  writeFileSync(name, blockBytes === 0 ? file : writeBgzf(readBgzf(file).text, blockBytes));
  return name;
}

describe.skipIf(left !== '').each(['bai', 'csi'] as const)(`a .%s of BAM${left}`, (kind) => {
  it.each(Object.keys(SHAPES).flatMap((shape) => [0, 700, 20_000].map((blockBytes) => [shape, blockBytes] as const)))(
    'writes the same index of BAM as samtools: %s, blocks of %i',
    (shape, blockBytes) => {
      const below = randomBelow(shape.length + blockBytes);
      const name = bamFile(sam(SHAPES[shape], below), blockBytes);
      const built = build(bamIndex(kind), readBgzf(readFileSync(name)), below);
      run('samtools', ['index', kind === 'csi' ? '-c' : '-b', name, `${name}.${kind}`]);
      expect(built.equals(inBinOrder(built))).toBe(true);
      expect(built.equals(inBinOrder(readFileSync(`${name}.${kind}`)))).toBe(true);
    },
    60_000,
  );

  it('writes an index of BAM with which samtools finds the same records as a scan', () => {
    const below = randomBelow(7);
    const name = bamFile(sam(SHAPES['several contigs'], below), 3000);
    const built = build(bamIndex(kind), readBgzf(readFileSync(name)), below);
    const index = join(folder, `own.${kind}`);
    writeFileSync(index, kind === 'csi' ? writeBgzf(built, 60_000) : built);
    const spans = run('samtools', ['view', name])
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => ({ line, ...spanOf(line) }));
    for (let i = 0; i < 20; i++) {
      const contig = ['chr1', 'chr2', 'empty1'][below(3)];
      const first = 1 + below(i % 2 === 0 ? 5_000_000 : 100_000);
      const last = first + below(100_000);
      const found = run('samtools', ['view', '-X', name, index, `${contig}:${first}-${last}`]).toString();
      const lines = spans.filter((span) => span.contig === contig && span.first <= last && span.last >= first);
      expect(found).toBe(lines.map(({ line }) => `${line}\n`).join(''));
    }
  }, 60_000);
});

/** The contig and positions of a SAM line. */
function spanOf(line: string): { contig: string; first: number; last: number } {
  const [, flag, contig, position, , cigar] = line.split('\t');
  const spanned = [...cigar.matchAll(/(\d+)[MDN=X]/g)].reduce((sum, [, length]) => sum + Number(length), 0);
  const first = Number(position);
  return { contig, first, last: first + Math.max((Number(flag) & 4) === 0 ? spanned : 1, 1) - 1 };
}

it.skipIf(left !== '')(`counts records of BAM like samtools idxstats${left}`, () => {
  const below = randomBelow(3);
  const name = bamFile(sam(SHAPES['several contigs'], below), 0);
  writeFileSync(`${name}.bai`, build(bamIndex('bai'), readBgzf(readFileSync(name)), below));
  const own = run('samtools', ['idxstats', name]).toString();
  run('samtools', ['index', name]);
  expect(own).toBe(run('samtools', ['idxstats', name]).toString());
});

it.skipIf(left !== '')(`indexes a read whose CIGAR is in the tag CG like samtools${left}`, () => {
  const operations = 70_000;
  const cigar = '1M1D'.repeat(operations / 2);
  const read = 'A'.repeat(operations / 2);
  const text = `@SQ\tSN:c\tLN:1000000\nr\t0\tc\t5\t9\t${cigar}\t*\t0\t0\t${read}\t*\tXX:Z:text\tXA:A:x\tXB:B:s,1,2\n`;
  const name = bamFile(text, 0);
  const built = build(bamIndex('bai'), readBgzf(readFileSync(name)), randomBelow(1), 1000);
  run('samtools', ['index', name]);
  expect(built.equals(inBinOrder(readFileSync(`${name}.bai`)))).toBe(true);
});

it.skipIf(left !== '')(`chooses .csi for contigs that a .bai cannot hold${left}`, () => {
  const below = randomBelow(9);
  const shape = { contigs: [['long', 2 ** 31 - 1]] as const, records: 500, readBases: 100 };
  const name = bamFile(sam(shape, below), 0);
  const builder = bamIndex('auto');
  const bgzf = readBgzf(readFileSync(name));
  const built = build(builder, bgzf, below);
  expect(builder.kind).toBe('csi');
  run('samtools', ['index', '-c', name]);
  expect(built.equals(inBinOrder(readFileSync(`${name}.csi`)))).toBe(true);
  expect(() => build(bamIndex('bai'), bgzf, below)).toThrow(
    'cannot index: contig long is longer than 512 Mbp: use the CSI index',
  );
});
