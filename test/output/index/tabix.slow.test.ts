/**
 * The .tbi and .csi of BED, VCF and GFF against tabix: the same bytes but for the order of bins, and the same answers.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tabixIndex } from '../../../src/output/index/tabix.js';
import { randomBelow } from '../../support/random.js';
import { HEADERS, PRESETS, sorted } from './placed.js';
import { build, inBinOrder, missing, readBgzf, run, writeBgzf } from './tools.js';

const folder = mkdtempSync(join(tmpdir(), 'gpusort-index-'));
afterAll(() => rmSync(folder, { recursive: true }));
const left = missing('tabix');
let files = 0;
/** Writes a BGZF file and returns its name. */
function bgzfFile(text: string, blockBytes: number): string {
  const name = join(folder, `${files++}.gz`);
  writeFileSync(name, writeBgzf(Buffer.from(text), blockBytes));
  return name;
}

const KINDS = PRESETS.flatMap((preset) => (['tbi', 'csi'] as const).map((kind) => [kind, preset] as const));
const requested = { tbi: 'auto', csi: 'csi' } as const;

describe.skipIf(left !== '').each(KINDS)(`the .%s of %s${left}`, (kind, preset) => {
  it.each([
    [5000, 65_280],
    [5000, 500],
    [20_000, 4000],
    [1, 100],
    [0, 100],
  ])('writes the same index as tabix: %i records, blocks of %i', (count, blockBytes) => {
    const below = randomBelow(count + blockBytes);
    const lines = count === 0 ? [] : sorted(preset, count, below).map(({ line }) => `${line}\n`);
    // A comment among the records, and no newline at the end.
    if (lines.length > 100) lines.splice(50, 0, '#comment\n');
    const text = (HEADERS[preset] + lines.join('')).slice(0, lines.length > 100 ? -1 : undefined);
    const name = bgzfFile(text, blockBytes);
    const built = build(tabixIndex(preset, requested[kind]), readBgzf(readFileSync(name)), below, 10_000);
    run('tabix', [...(kind === 'csi' ? ['-C'] : []), '-f', '-p', preset, name]);
    expect(built.equals(inBinOrder(built))).toBe(true);
    expect(built.equals(inBinOrder(readFileSync(`${name}.${kind}`)))).toBe(true);
  });

  it('writes an index with which tabix finds the same records as a scan', () => {
    const below = randomBelow(5);
    const records = sorted(preset, 5000, below);
    const name = bgzfFile(HEADERS[preset] + records.map(({ line }) => `${line}\n`).join(''), 2000);
    const built = build(tabixIndex(preset, requested[kind]), readBgzf(readFileSync(name)), below);
    writeFileSync(`${name}.${kind}`, writeBgzf(built, 60_000));
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

describe.skipIf(left !== '').each(PRESETS)(`an index of %s with positions beyond 512 Mbp${left}`, (preset) => {
  it.each([65_280, 3000])('writes the same .csi as tabix without being asked: blocks of %i', (blockBytes) => {
    const below = randomBelow(blockBytes);
    const far = {
      bed: 'chr3\t700000000\t700000050',
      vcf: 'chr3\t700000001\t.\tA\tC\t.\t.\t.',
      gff: 'chr3\ts\tx\t5\t700000050\t.\t.\t.\tID=x',
    };
    // Contigs before the long one are complete, and it is itself begun, when its far record arrives.
    const near = preset === 'gff' ? '' : `${far[preset].replace('7', '4')}\n`;
    const lines = sorted(preset, 3000, below).map(({ line }) => `${line}\n`);
    const name = bgzfFile(`${HEADERS[preset]}${lines.join('')}${near}${far[preset]}\n`, blockBytes);
    const built = build(tabixIndex(preset), readBgzf(readFileSync(name)), below, 10_000);
    run('tabix', ['-C', '-f', '-p', preset, name]);
    expect(built.toString('latin1', 0, 3)).toBe('CSI');
    expect(built.equals(inBinOrder(readFileSync(`${name}.csi`)))).toBe(true);
  });
});
