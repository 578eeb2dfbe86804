/** FASTQ sorted by similarity and the space saved, the display of a guessed format, and a record over a megabyte. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK } from '../../src/codecs/bgzf.js';
import { formatBytes } from '../../src/report/units.js';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory, gpusort } from '../battery/runner.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  CONTIGS,
  fasta,
  fastq,
  longAlignment,
  type Read,
  reads,
  SAM_HEADER,
  sam,
  uniqueReads,
} from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { randomBelow } from '../support/random.js';

const sort = sortOn('cpu');
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('similar');
});
const write = (name: string, content: string | Buffer): void => writeFileSync(join(cwd, name), content, 'latin1');
const read = (name: string): Buffer => readFileSync(join(cwd, name));

/** Bytes of the sample of a text: its first block if it has at most 16; a small text is one member of gzip. */
const sampled = (form: 'gzip' | 'bgzf', text: string): number =>
  Math.min(text.length, form === 'bgzf' ? BLOCK_TEXT : Infinity);

/** The size of a compressed text by that of its sample, at level 5, which zlib compresses. */
function sizeOf(form: 'gzip' | 'bgzf', text: string): number {
  const sample = bytes(text).subarray(0, sampled(form, text));
  const blocks = form === 'bgzf' ? bgzf(sample, 5, BLOCK_TEXT).length - END_BLOCK.length : 0;
  return ((blocks || gzipSync(sample, { level: 5 }).length) / sample.length) * text.length;
}

describe('--by similar', () => {
  // Reads of both strands, that cover a genome of 40,000 bases twelve times.
  const below = randomBelow(95);
  const genome = Array.from({ length: 40_000 }, () => 'ACGT'[below(4)]).join('');
  const turned = (text: string): string =>
    [...text]
      .reverse()
      .map((base) => 'TGCA'['ACGT'.indexOf(base)])
      .join('');
  const covering = Array.from({ length: 5000 }, (_, i): Read => {
    const at = below(genome.length - 100);
    const bases = genome.slice(at, at + 100);
    return { header: `read${i}`, bases: below(2) === 0 ? bases : turned(bases), plus: '', quality: 'F'.repeat(100) };
  });
  const text = fastq(covering);
  const records = (all: string): string[] => all.match(/(?:.*\n){4}/g) ?? [];

  it('keeps each record and brings similar reads together', async () => {
    write('in', text);
    const { status, stdout } = await sort(['--format', 'fastq', '--by', 'similar', 'in'], { cwd });
    expect(status).toBe(0);
    expect(records(stdout.toString('latin1')).sort()).toEqual(records(text).sort());
    expect(gzipSync(stdout).length).toBeLessThan(0.75 * gzipSync(text).length);
  });

  it.each(['gzip', 'bgzf'] as const)('reports under --stats how much --by similar saves in %s', async (form) => {
    const half = fastq(covering.slice(0, covering.length / 2));
    write('in', half);
    write('in.gz', gzipSync(half));
    const args = ['--format', 'fastq', '--by', 'similar', '--output-format', form, '--level', '5', '-o', 'out'];
    const before = sizeOf(form, half);
    for (const name of ['in', 'in.gz']) {
      const { stderr } = await gpusort([...args, '--stats', '--engine', 'cpu', name], { cwd });
      const after = read('out').length;
      const notes = stderr.match(/similar: .*/g);
      const saved = Math.round((1 - after / before) * 100);
      expect(saved).toBeGreaterThan(20);
      expect(notes).toEqual([
        `similar: ${formatBytes(after)}; in input order about ${formatBytes(before)} (${saved} % saved), ` +
          `from a sample of ${formatBytes(sampled(form, half))} of ${formatBytes(half.length)}`,
      ]);
    }
    expect((await gpusort([...args, '--engine', 'cpu', 'in'], { cwd })).stderr).toBe('');
    const plain = ['--format', 'fastq', '--by', 'similar', '--stats', '--engine', 'cpu', 'in'];
    expect((await gpusort(plain, { cwd })).stderr).not.toContain('similar: ');
  });

  it('writes the same order by similarity in one chunk, in chunks and spilled', async () => {
    write('in', text + fastq(reads(96, 200)));
    const args = ['--format', 'fastq', '--by', 'similar', 'in'];
    const { status, stdout } = await sort(args, { cwd });
    expect(status).toBe(0);
    for (const options of [
      ['--chunk-size', '16K'],
      ['-S', '64K', '--chunk-size', '16K'],
    ])
      expectSameBytes((await sort([...args, ...options], { cwd })).stdout, stdout);
  });
});

it.each([
  ['in.fastq', 'fastq', fastq(uniqueReads(99, 50))],
  ['in', 'fasta', fasta(uniqueReads(99, 50), 30)],
])('shows the guessed format under --explain: %s is %s', async (name, format, text) => {
  write(name, text);
  const { stderr, stdout } = await gpusort(['--explain', '--by', 'natural', name], { cwd });
  expect(`${stderr}${stdout}`).toMatch(new RegExp(format, 'i'));
});

it('sorts a BAM record of more than a megabyte', async () => {
  const some = alignments(111, 300);
  const lines = [...some, longAlignment(240_000), ...some.slice(0, 20)];
  const names = CONTIGS.map(([name]) => name);
  write('in', bgzf(encodeBam(sam(lines))));
  const sorted = ordered(lines, alignmentOrder('coordinate', names));
  const expected = encodeBam(sam(sorted, sortedHeader(SAM_HEADER, 'coordinate')));
  for (const options of [[], ['-S', '2M', '--chunk-size', '64K']]) {
    const args = ['--format', 'bam', '--by', 'coordinate', ...options, 'in'];
    const { status, stdout, stderr } = await sort(args, { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(unBgzf(stdout), expected);
  }
});
