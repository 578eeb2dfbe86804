/**
 * SAM and BAM of several lanes whose headers list other sequences, through the program: sorted, merged, converted,
 * indexed, from files, pipes and tasks of a cluster. The reference joins the lanes by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory, script } from '../battery/runner.js';
import { sorted as sortedIn } from '../cluster/both.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, CONTIGS, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { TEMPLATE_HEADER, templateCoordinateOrder, templates } from '../support/genomics-templates.js';
import { sampled } from '../support/tier.js';
import { expectText, inForm, joined, refusal } from './lane-files.js';

const lengths = new Map([...CONTIGS, ['decoy', 77] as const]);
const listed = (names: readonly string[]): string =>
  names.map((name) => `@SQ\tSN:${name}\tLN:${lengths.get(name)}\n`).join('');
const headerOf = (names: readonly string[], more: string): string =>
  `@HD\tVN:1.6\tSO:unsorted\n${listed(names)}${more}`;

/** Alignments whose contigs, and those of their mates, are among some. */
const linesOf = (seed: number, names: readonly string[], tag: string): string[] =>
  alignments(seed, 150)
    .filter((line) => [2, 6].every((column) => ['*', '=', ...names].includes(line.split('\t')[column])))
    .map((line) => line + tag);

const [chr2, chr10, chr1, chrM, hla] = CONTIGS.map(([name]) => name);
/** Lists with a common order, which is that of the first names. The third one lists nothing. */
const LISTS = [[chr2, chr1, chrM], [chr2, chr1, chrM, hla], [], [chrM, 'decoy', chr10]];
const UNITED = [chr2, chr1, chrM, hla, 'decoy', chr10];
/** The same, but the order of the first names does not suit all. */
const INTERLEAVED = [
  [chr1, chrM, 'decoy'],
  [chr2, chr1, hla, 'decoy'],
  [chr10, chrM],
];
const UNITED_INTERLEAVED = [chr2, chr1, chr10, chrM, hla, 'decoy'];
/** Lists without a common order. */
const CONTRARY = [
  [chr2, chr10, chr1],
  [chr1, chr10, chr2, chrM],
];

interface Lanes {
  readonly lanes: readonly string[];
  /** The header and the records that they have together, and the order of contigs. */
  readonly header: string;
  readonly records: readonly string[];
  readonly names: readonly string[];
}

/** Lanes with these lists. The second one has a read group whose ID is that of the first, but another line. */
function lanesOf(seed: number, lists: readonly (readonly string[])[], names: readonly string[]): Lanes {
  const groups = ['@RG\tID:g\tSM:a\n', '@RG\tID:g\tSM:b\n'];
  const lines = lists.map((list, i) => linesOf(seed + i, list, i < 2 ? '\tRG:Z:g' : ''));
  return {
    lanes: lists.map((list, i) => sam(lines[i], headerOf(list, groups[i] ?? ''))),
    header: headerOf(names, `${groups[0]}${groups[1].replace('ID:g', 'ID:g-2')}`),
    records: lines.flatMap((some, i) => (i === 1 ? some.map((line) => line.replace('RG:Z:g', 'RG:Z:g-2')) : some)),
    names,
  };
}

const expectedBy = ({ header, records, names }: Lanes, by: string): string =>
  sam(ordered(records, alignmentOrder(by, names)), sortedHeader(header, by));
/** The lanes, each in an order by its own list. */
const inOrder = ({ lanes }: Lanes, lists: readonly (readonly string[])[], by: string): string[] =>
  lanes.map((lane, i) => {
    const lines = lane.split('\n').slice(0, -1);
    const isHeader = (line: string): boolean => line.startsWith('@');
    return sam(
      ordered(
        lines.filter((line) => !isHeader(line)),
        alignmentOrder(by, lists[i]),
      ),
      lines
        .filter(isHeader)
        .map((line) => `${line}\n`)
        .join(''),
    );
  });

const JOINABLE = [
  ['whose first names are in order', LISTS, lanesOf(11, LISTS, UNITED)],
  ['that are interleaved', INTERLEAVED, lanesOf(21, INTERLEAVED, UNITED_INTERLEAVED)],
] as const;

describe.each(JOINABLE)('lanes with lists of sequences %s', (_, lists, all) => {
  const orders = sampled(['coordinate', 'queryname', 'tag:RG'], { count: 3, seed: lists.length });
  it.each(orders)('are sorted by %s as one file', async (by) => {
    const expected = expectedBy(all, by);
    const args = ['--by', by, '--verify', '--chunk-size', '4K'];
    expectText(await joined(args, all.lanes, ['sam']), expected);
    expectText(await joined(args, all.lanes, ['bam']), encodeBam(expected).toString('latin1'));
  });

  const ways = sampled(['--verify --batch-size=2', '--chunk-size=4K'], { count: 2, seed: lists.length });
  it.each(ways)('are merged with %s', async (options) => {
    const expected = expectedBy(all, 'coordinate');
    const lanes = inOrder(all, lists, 'coordinate');
    const args = ['-m', ...options.split(' ')];
    expectText(await joined(args, lanes, ['sam', 'sam.gz']), expected);
    expectText(await joined(args, lanes, ['bam']), encodeBam(expected).toString('latin1'));
  });
});

describe('lanes with other lists of sequences', () => {
  const [, lists, all] = JOINABLE[1];

  it('are converted', async () => {
    const expected = expectedBy(all, 'coordinate');
    const bam = unBgzf(Buffer.from(await joined(['--output-format', 'bam'], all.lanes, ['sam', 'sam.gz']), 'latin1'));
    expectSameBytes(bam, encodeBam(expected));
  });

  it('are sorted and merged by tasks of a cluster', async () => {
    const expected = expectedBy(all, 'coordinate');
    const lanes = inOrder(all, lists, 'coordinate');
    for (const [form, ...mode] of [['sam'], ['sam', '-m'], ['bam'], ['bam', '-m']] as const) {
      const files = Object.fromEntries(lanes.map((lane, i) => [`${i}.${form}`, inForm(lane, form)]));
      const words = ['--format', form, ...mode, ...Object.keys(files)];
      const { status, messages, output } = await sortedIn(words, files, { shares: 3, ranges: 2 });
      expect({ status, messages }).toEqual({ status: 0, messages: '' });
      if (form === 'bam') expectSameBytes(unBgzf(output), encodeBam(expected));
      else expectText(output.toString('latin1'), expected);
    }
  });

  it('have the index of the joined file', async () => {
    const cwd = freshDirectory('lanes');
    const names = all.lanes.map((lane, i) => {
      writeFileSync(join(cwd, `${i}.bam`), inForm(lane, 'bam'));
      return `${i}.bam`;
    });
    writeFileSync(join(cwd, 'one.bam'), bgzf(encodeBam(expectedBy(all, 'coordinate'))));
    for (const inputs of [names, ['one.bam']])
      expect(
        await sortOn('cpu')(['--index', '-o', `out${inputs.length}.bam`, ...inputs, '--by', 'coordinate'], { cwd }),
      ).toMatchObject({ status: 0, stderr: '' });
    for (const suffix of ['bam', 'bam.bai'])
      expectSameBytes(
        readFileSync(join(cwd, `out${names.length}.${suffix}`)),
        readFileSync(join(cwd, `out1.${suffix}`)),
      );
  });
});

it('lanes with other lists of sequences are read from pipes, wherever these stand', async () => {
  const [, , all] = JOINABLE[1];
  const expected = expectedBy(all, 'coordinate');
  const cwd = freshDirectory('lanes');
  for (const [form, inputs] of [
    ['sam', '<(cat 0) 1 - < <(cat 2)'],
    ['sam', '- 1 2 < 0'],
    ['bam', '0 <(cat 1) - < <(cat 2)'],
    ['bam', '- <(cat 1) 2 < 0'],
  ] as const) {
    for (const [i, lane] of all.lanes.entries()) writeFileSync(join(cwd, `${i}`), inForm(lane, form), 'latin1');
    const { status, stdout, stderr } = await script(`gpusort --engine cpu --format ${form} ${inputs}`, { cwd });
    expect({ inputs, status, stderr }).toEqual({ inputs, status: 0, stderr: '' });
    expectText(
      (form === 'bam' ? unBgzf(stdout) : stdout).toString('latin1'),
      form === 'bam' ? encodeBam(expected).toString('latin1') : expected,
    );
  }
});

it('refuses lists of sequences in no common order, in every mode', async () => {
  const message =
    `gpusort: b: the header lists ${chr1} before ${chr10}, but after it in a\n` +
    'Put one of them in the order of the other first, for example with ReorderSam of Picard.\n';
  for (const form of ['sam', 'bam'] as const) {
    const [a, b] = CONTRARY.map((list) => inForm(sam([], headerOf(list, '')), form));
    for (const mode of [[], ['-m'], ['--by', 'queryname'], ['-m', '--by', 'queryname']])
      expect(await refusal(['--format', form, ...mode], { a: a!, b: b! })).toBe(message);
    const words = ['--format', form, 'a', 'b'];
    expect((await sortedIn(words, { a: a!, b: b! }, { shares: 2, ranges: 2 })).messages).toBe(message);
  }
});

it('refuses a sequence with another length or another digest in a later list, in every mode', async () => {
  const first = sam([], headerOf([chr2, chr1], ''));
  for (const [change, message] of [
    ['LN:11', `b: sequence 1 of the header is ${chr1} of 11 bases, but ${chr1} of ${lengths.get(chr1)} bases in a`],
    [`LN:${lengths.get(chr1)}\tM5:b`, `b: sequence 1 of the header, ${chr1}, has M5 b, but a in a`],
  ]) {
    const a = first.replace(/(SN:chr1\t.*)/, '$1\tM5:a');
    const b = `@SQ\tSN:${chr1}\t${change}\n@SQ\tSN:decoy\tLN:77\n`;
    for (const [form, ...mode] of [['sam'], ['sam', '-m'], ['bam'], ['bam', '-m']] as const)
      expect(await refusal(['--format', form, ...mode], { a: inForm(a, form), b: inForm(b, form) })).toContain(
        `${message}\nAlign all inputs to one reference.`,
      );
  }
});

it('names a record of BAM whose reference its own header does not list', async () => {
  const a = inForm(sam([], headerOf([chr2, chr1, chrM], '')), 'bam');
  const bytes = encodeBam(sam(['r\t0\tdecoy\t5\t9\t*\t*\t0\t0\tAC\tII'], headerOf(['decoy'], '')));
  bytes.writeInt32LE(1, bytes.indexOf('r\0') - 32);
  for (const mode of [[], ['-m']])
    expect(await refusal(['--format', 'bam', ...mode], { a, b: bgzf(bytes) })).toBe(
      'gpusort: b: record 1 refers to reference 1, but the header lists 1\n',
    );
});

it('finds a record that cannot be converted in the lane that has it', async () => {
  const a = inForm(sam([], headerOf([chr2, chr1], '')), 'bam');
  const b = inForm(sam(['r\t0\tdecoy\t5\t9\t3M\t=\t7\t0\tAC\tII'], headerOf(['decoy'], '')), 'bam');
  expect(await refusal(['--format', 'bam', '--output-format', 'sam'], { a, b })).toContain("b: record 1: record 'r': ");
});

it('names a record of SAM by its line in its own lane, and knows contigs of later lanes', async () => {
  const line = 'r\t0\tdecoy\tx\t9\t*\t*\t0\t0\tAC\tII';
  const files = {
    a: sam(['r\t0\tdecoy\t5\t9\t*\t*\t0\t0\tAC\tII'], headerOf([chr2], '')),
    b: sam([line], headerOf([chr1, 'decoy'], '')),
  };
  expect(await refusal(['--format', 'sam'], files)).toContain('b: line 4, column 4');
});

it('knows the libraries of all lanes by template-coordinate', async () => {
  const groups = TEMPLATE_HEADER.match(/@RG.*\n/g)!;
  const lines = templates(51, 400);
  const isFirst = (line: string): boolean => !/RG:Z:[ad]/.test(line);
  const without = TEMPLATE_HEADER.replace(/@RG.*\n/g, '');
  const halves = [lines.filter(isFirst), lines.filter((line) => !isFirst(line))];
  const header = (own: readonly string[]): string => without + own.join('');
  const lanes = [sam(halves[0], header([groups[0], groups[2]])), sam(halves[1], header([groups[1], groups[3]]))];
  const expected = sam(
    ordered(halves.flat(), templateCoordinateOrder),
    header([groups[0], groups[2], groups[1], groups[3]]).replace(
      'SO:unsorted',
      'SO:unsorted\tGO:query\tSS:unsorted:template-coordinate',
    ),
  );
  const args = ['--by', 'template-coordinate', '--verify'];
  expectText(await joined(args, lanes, ['sam']), expected);
  expectText(await joined(args, lanes, ['sam.gz']), expected);
  expectText(await joined(args, lanes, ['bam']), encodeBam(expected).toString('latin1'));
});
