/** Words of --by that mean an order by another name: the job, the header and the index are those of the order. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sort } from '../../src/index.js';
import { FORMAT_NAMES, type SortJob } from '../../src/job/job.js';
import { formatReasons } from '../../src/plan/explain.js';
import { FORMATS } from '../../src/records/formats.js';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { encodeBam } from '../support/genomics-bam.js';
import { alignments, bed, genes, sam, VCF_HEADER, variants } from '../support/genomics-data.js';
import { parsed } from '../support/in-process.js';

const run = sortOn('cpu');
const lines = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('');
const INPUTS: Readonly<Record<string, string | Buffer>> = {
  sam: sam(alignments(91, 60)),
  bam: encodeBam(sam(alignments(91, 60))),
  bed: lines(bed(92, 60, 6)),
  vcf: VCF_HEADER + lines(variants(93, 60)),
  gff: lines(genes(94, 60)),
};

/** The output of a file in a format, which the program must write without messages. */
async function output(format: string, ...args: readonly string[]): Promise<Buffer> {
  const cwd = freshDirectory('synonyms');
  writeFileSync(join(cwd, 'in'), INPUTS[format], 'latin1');
  const { status, stdout, stderr } = await run(['--format', format, ...args, 'in'], { cwd });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
  return stdout;
}

function jobOf(format: string, by: string): SortJob {
  const request = parsed(['--format', format, '--by', by], 'gpusort');
  if (request.action !== 'sort') throw new Error(request.action);
  return request.job;
}

const genomicsOf = (format: string, by: string): unknown => jobOf(format, by).input.genomics;

it.each(FORMAT_NAMES)('%s has no synonym that names an order, and each makes the job of its order', (format) => {
  const { orders, fieldOrders, synonyms } = FORMATS[format];
  const known = [...orders, ...fieldOrders];
  expect(Object.keys(synonyms).filter((word) => known.includes(word))).toEqual([]);
  for (const [word, name] of Object.entries(synonyms)) {
    expect(known).toContain(name);
    for (const [by, meant] of [
      [word, name],
      [`${word}:r`, `${name}:r`],
      [`${known[1] ?? name},${word}:r,${word}`, `${known[1] ?? name},${name}:r,${name}`],
    ])
      expect(genomicsOf(format, by)).toEqual(genomicsOf(format, meant));
  }
});

it.each([
  ['sam', 'position', 'coordinate'],
  ['sam', 'name', 'queryname'],
  ['sam', 'tag:CB,read-name:r', 'tag:CB,queryname:r'],
  ['bam', 'pos', 'coordinate'],
  ['bam', 'qname', 'queryname'],
  ['bam', 'minimizer', 'minimiser'],
  ['bed', 'coordinate', 'position'],
  ['bed', 'chrom,size:r', 'contig,length:r'],
  ['vcf', 'coord:r', 'position:r'],
  ['gff', 'coordinate', 'position'],
])('sorts and checks %s by %s as by %s', async (format, word, name) => {
  expectSameBytes(await output(format, '--by', word), await output(format, '--by', name));
  expectSameBytes(
    await output(format, '--check=orders', '--by', word),
    await output(format, '--check=orders', '--by', name),
  );
});

it('is the order of --explain, of --index, of --contigs and of --as', async () => {
  expect(formatReasons(jobOf('bed', 'coordinate:r'))).toContain('order position:r');
  const bgzf = ['--output-format', 'bgzf', '-o', 'out.gz'];
  await output('bed', '--by', 'coordinate', '--index', '--contigs', 'natural', ...bgzf);
  await output('sam', '--by', 'name', '--as', 'picard');
});

it('is taken by the library', async () => {
  const cwd = freshDirectory('synonyms');
  writeFileSync(join(cwd, 'in'), INPUTS.sam, 'latin1');
  await sort(join(cwd, 'in'), join(cwd, 'out'), { format: 'sam', by: 'name', engine: 'cpu' });
  expectSameBytes(readFileSync(join(cwd, 'out')), await output('sam', '--by', 'queryname'));
});

it.each([
  ['sam', 'coordinats', 'coordinate'],
  ['sam', 'minimizr', 'minimiser'],
  ['bed', 'cordinates', 'position'],
])('%s: a word like a synonym, %s, is refused with the name of the order', (format, word, meant) => {
  expect(() => genomicsOf(format, word)).toThrow(
    expect.objectContaining({
      message: `invalid order '${word}' for ${format}`,
      hint: expect.stringMatching(`Did you mean '${meant}'\\?$`),
    }),
  );
});
