/** Records whose keys cannot be made: the message names the input and the line, however the inputs are read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gpusortHere } from '../cli/here.js';
import { gpusort, withDirectory } from '../cli/run.js';
import { sorted } from '../cluster/both.js';

const HEADER = '@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\n';
const alignment = (name: string, place: string, tags = ''): string =>
  `${name}\t0\tc\t${place}\t9\t*\t*\t0\t0\tA\tI${tags}\n`;
const CHECK = 'Check --format. If it is right, the record lacks a field or is damaged.\n';
const interval = (i: number, begin = String(i)): string => `c\t${begin}\t${i + 1}\n`;
/** The bad record is the last of the file. */
const LINES = [...Array.from({ length: 300 }, (_, i) => interval(i)), interval(300, '3oo')].join('');
const BAD_BYTE = LINES.length - interval(300, '3oo').length + 1;
const GOOD = interval(5);

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'good.bed': GOOD,
  'bad.bed': LINES,
  'bad.bed.gz': gzipSync(LINES),
  'bad.sam': HEADER + alignment('r1', '3') + alignment('r2', ''),
  'tag.sam': HEADER + alignment('r1', '3', '\tXX:i:3') + alignment('r2', '4', '\tXX:i:x'),
  'bad.gff': '##gff-version 3\nc\ts\tg\t1\t2\n#c\nc\ts\tg\t1x\t2\n',
  'bad.vcf': '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\nd\t1\t.\tA\tC\n',
};
const IN_BED = `line 301, column 2: record 'c': not a whole number: '3oo'\n${CHECK}`;

describe('the place of a record that cannot be read', () => {
  it.each([
    ['bad.bed', `bad.bed: ${IN_BED}`],
    ['good.bed bad.bed good.bed', `bad.bed: ${IN_BED}`],
    ['good.bed bad.bed.gz', `bad.bed.gz: ${IN_BED}`],
    ['-m good.bed bad.bed', `bad.bed: ${IN_BED}`],
    ['-c bad.bed', `bad.bed: ${IN_BED}`],
    ['--check=orders bad.bed', `bad.bed: ${IN_BED}`],
    ['--verify --parallel=2 --chunk-size=1K -S64K good.bed bad.bed', `bad.bed: ${IN_BED}`],
    ['--format=sam bad.sam', `bad.sam: line 4, column 4: record 'r2': not a whole number: ''\n${CHECK}`],
    [
      '--by=tag:XX tag.sam',
      `tag.sam: line 4: record 'r2': malformed optional field: 'XX:i:x'\nOptional fields have the form TAG:TYPE:VALUE.\n`,
    ],
    ['--by=position bad.gff', `bad.gff: line 4, column 4: record 'c': not a whole number: '1x'\n${CHECK}`],
    [
      '--by=position bad.vcf',
      "bad.vcf: line 4, column 1: record 'd': contig not listed: 'd'\n" +
        'Check --format. If it is right, add the contig to the header or to the list of --contigs.\n',
    ],
  ])('%s', (words, stderr) =>
    withDirectory(async (cwd) => {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
      const format = words.includes('.bed') ? ['--format=bed'] : [];
      expect(await gpusortHere(['--engine=cpu', ...format, ...words.split(' ')], { cwd })).toMatchObject({
        status: 2,
        stderr: `gpusort: ${stderr}`,
      });
    }),
  );

  it('of a stream is its input', () => {
    expect(gpusort(['--format=bed'], { input: LINES }).stderr).toBe(
      `gpusort: -: record 'c': not a whole number: '3oo'\n${CHECK}`,
    );
  });

  it.each([
    ['a share, a part of a file', [], { shares: 3, ranges: 2 }, `byte ${BAD_BYTE}`],
    ['a share, a whole file', [], { shares: 1, ranges: 1 }, 'line 301'],
    ['a range of -m', ['-m'], { shares: 3, ranges: 3 }, 'line 301'],
  ])('in %s', async (_, words, tasks, place) => {
    const files = { 'good.bed': GOOD, 'bad.bed': LINES };
    const { status, messages } = await sorted(
      [...words, '--format=bed', ...(place.startsWith('byte') ? [] : ['good.bed']), 'bad.bed'],
      files,
      tasks,
    );
    expect({ status, messages }).toEqual({
      status: 2,
      messages: `gpusort: bad.bed: ${place}, column 2: record 'c': not a whole number: '3oo'\n${CHECK}`,
    });
  });
});
