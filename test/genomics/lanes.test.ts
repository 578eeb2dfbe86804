/**
 * SAM and BAM of several lanes, whose headers differ, through the program: sorted and merged, from files, pipes and
 * tasks of a cluster. The reference joins the lanes by hand and sorts them with the model of the order.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sort } from '../../src/index.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { sorted as sortedIn } from '../cluster/both.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, CONTIG_LINES, CONTIGS, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { expectText, inForm, joined, refusal } from './lane-files.js';

const names = CONTIGS.map(([name]) => name);
const ORDERS = ['coordinate', 'queryname', 'tag:RG'];

/** A lane of an aligner: `from` is in its own lines. */
function headerOf(sample: string, from: string): string {
  return (
    `@HD\tVN:1.6\tSO:unsorted\n${CONTIG_LINES}@RG\tID:lane\tSM:${sample}\tPG:bwa\n@RG\tID:both\tSM:all\n` +
    `@PG\tID:bwa\tPN:bwa\tCL:bwa mem ${from}\n@PG\tID:fix\tPP:bwa\n@CO\t${from}\n`
  );
}

const tagsOf = (suffix: string): string[] => [
  ...[`RG:Z:lane${suffix}\tPG:Z:fix${suffix}`, 'RG:Z:both', `PG:Z:bwa${suffix}`, 'RG:Z:none', 'XX:Z:lane', ''],
];
const linesOf = (seed: number, suffix: string): string[] =>
  alignments(seed, 120).map((line, i) => {
    const tag = tagsOf(suffix)[i % 6];
    return tag === '' ? line : `${line}\t${tag}`;
  });

const LANES = [
  sam(linesOf(1, ''), headerOf('s1', 'a.fq')),
  sam(linesOf(2, ''), headerOf('s1', 'b.fq')),
  '',
  sam(linesOf(3, ''), headerOf('s2', 'd.fq')),
];
/** The header and the lines that these lanes have together: the third one is empty. */
const HEADER =
  `@HD\tVN:1.6\tSO:unsorted\n${CONTIG_LINES}@RG\tID:lane\tSM:s1\tPG:bwa\n@RG\tID:both\tSM:all\n` +
  '@RG\tID:lane-2\tSM:s1\tPG:bwa-2\n@RG\tID:lane-4\tSM:s2\tPG:bwa-4\n' +
  '@PG\tID:bwa\tPN:bwa\tCL:bwa mem a.fq\n@PG\tID:fix\tPP:bwa\n' +
  '@PG\tID:bwa-2\tPN:bwa\tCL:bwa mem b.fq\n@PG\tID:fix-2\tPP:bwa-2\n' +
  '@PG\tID:bwa-4\tPN:bwa\tCL:bwa mem d.fq\n@PG\tID:fix-4\tPP:bwa-4\n' +
  '@CO\ta.fq\n@CO\tb.fq\n@CO\td.fq\n';
const RECORDS = [...linesOf(1, ''), ...linesOf(2, '-2'), ...linesOf(3, '-4')];
const expectedBy = (by: string): string => sam(ordered(RECORDS, alignmentOrder(by, names)), sortedHeader(HEADER, by));

const bodyOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('@'));
const headOf = (text: string): string => (text.match(/^@.*\n/gm) ?? []).join('');
/** A lane in an order. */
const inOrder = (lane: string, by: string): string =>
  lane === '' ? '' : sam(ordered(bodyOf(lane), alignmentOrder(by, names)), headOf(lane));

describe('lanes with different headers', () => {
  it.each(ORDERS)('are sorted by %s as one file', async (by) => {
    const args = ['--by', by, '--verify', '--chunk-size', '4K'];
    expectText(await joined(args, LANES, ['sam']), expectedBy(by));
    expectText(await joined(args, LANES, ['bam']), encodeBam(expectedBy(by)).toString('latin1'));
  });

  it.each(['--verify --batch-size=2', '--chunk-size=4K'])('are merged with %s', async (options) => {
    const lanes = LANES.map((lane) => inOrder(lane, 'coordinate'));
    const expected = expectedBy('coordinate');
    expectText(await joined(['-m', ...options.split(' ')], lanes, ['sam']), expected);
    expectText(await joined(['-m', ...options.split(' ')], lanes, ['bam']), encodeBam(expected).toString('latin1'));
  });

  it('have their IDs by their places in the command, whether they are compressed, from a pipe or files', async () => {
    const by = 'coordinate';
    expectText(await joined(['--by', by], LANES, ['sam.gz', 'sam']), expectedBy(by));
    expectText(await joined(['--by', by], LANES, ['sam', 'sam.gz', 'sam']), expectedBy(by));
    const [first, ...others] = LANES;
    expectText(await joined(['--by', by], others, ['sam'], Buffer.from(first, 'latin1')), expectedBy(by));
  });

  it('keep the first line of each ID with --combine-rg and --combine-pg', async () => {
    const combine = ['--by', 'coordinate', '--combine-rg', '--combine-pg'];
    const records = [1, 2, 3].flatMap((seed) => linesOf(seed, ''));
    const header = `${headerOf('s1', 'a.fq')}@CO\tb.fq\n@CO\td.fq\n`;
    const expected = sam(ordered(records, alignmentOrder('coordinate', names)), sortedHeader(header, 'coordinate'));
    expectText(await joined(combine, LANES, ['sam']), expected);
    expectText(await joined(combine, LANES, ['bam']), encodeBam(expected).toString('latin1'));
  });

  it('are sorted and merged by tasks of a cluster', async () => {
    for (const [form, ...mode] of [['sam'], ['sam', '-m'], ['bam'], ['sam.gz']] as const) {
      const files = Object.fromEntries(
        LANES.map((lane, i) => [`${i}.${form}`, inForm(inOrder(lane, 'coordinate'), form)]),
      );
      const words = ['--format', form === 'bam' ? 'bam' : 'sam', ...mode, ...Object.keys(files)];
      const { status, messages, output } = await sortedIn(words, files, { shares: 3, ranges: 2 });
      expect({ status, messages }).toEqual({ status: 0, messages: '' });
      const expected = expectedBy('coordinate');
      if (form === 'bam') expectSameBytes(unBgzf(output), encodeBam(expected));
      else expectText(output.toString('latin1'), expected);
    }
  });

  it('are sorted by the library', async () => {
    const cwd = freshDirectory('lanes');
    const files = LANES.map((lane, i) => {
      writeFileSync(join(cwd, `${i}.sam`), lane, 'latin1');
      return join(cwd, `${i}.sam`);
    });
    await sort(files, join(cwd, 'out'), { format: 'sam', engine: 'cpu' });
    expectText(readFileSync(join(cwd, 'out'), 'latin1'), expectedBy('coordinate'));
    await sort(files, join(cwd, 'out'), { format: 'sam', engine: 'cpu', combineRg: true });
    expect(readFileSync(join(cwd, 'out'), 'latin1').match(/^@RG/gm)).toHaveLength(2);
  });
});

describe('refused', () => {
  it.each([['--combine-rg'], ['--combine-pg']])('is %s without a format of alignments', async (option) => {
    expect(await refusal([option], { x: '' })).toBe(
      `gpusort: ${option} needs --format or --by\nAdd --format FORMAT.\n`,
    );
    expect(await refusal([option, '--format', 'bed'], { x: '' })).toBe(
      `gpusort: ${option} is not for bed\nIt is for sam and bam.\n`,
    );
  });

  it('is a lane of another reference', async () => {
    const other = LANES[1].replace('LN:16569', 'LN:16570');
    const message =
      /^gpusort: b: sequence \d of the header is chrM of 16570 bases, but chrM of 16569 bases in a\nAlign/;
    for (const mode of [[], ['-m']]) {
      expect(await refusal(['--format', 'sam', ...mode], { a: LANES[0], b: other })).toMatch(message);
      const files = { a: encodeBam(LANES[0]), b: encodeBam(other) };
      expect(await refusal(['--format', 'bam', ...mode], files)).toMatch(message);
    }
  });

  it('is a record with the number of its line in its own lane', async () => {
    const longer = LANES[1].replace('@CO\t', '@CO\tmore\n@CO\t');
    const broken = longer.replace(/^([^@\t]*\t\d+\tchr\w+)\t\d+/m, '$1\tx');
    const line = broken.split('\n').findIndex((one) => /^[^@\t]*\t\d+\tchr\w+\tx/.test(one)) + 1;
    const gz = gzipSync(Buffer.from(broken, 'latin1'));
    expect(await refusal(['--format', 'sam'], { a: gzipSync(Buffer.from(LANES[0], 'latin1')), b: gz })).toContain(
      `b: line ${line}, column 4`,
    );
  });
});
