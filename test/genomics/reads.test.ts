/**
 * FASTQ and FASTA through the program: pairs in step, and records that are refused with their file and line.
 * orders.test.ts has the orders, similar.slow.test.ts the order by similarity.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { fasta, fastq, pairs, type Read, reads, uniqueReads } from '../support/genomics-data.js';
import { ordered, READ_ORDERS } from '../support/genomics-models.js';
import { randomBelow } from '../support/random.js';
import { oracle } from './oracles.js';

const sort = sortOn('cpu');
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('reads');
});
const write = (name: string, content: string | Buffer): void => writeFileSync(join(cwd, name), content, 'latin1');
const read = (name: string): Buffer => readFileSync(join(cwd, name));

describe('pairs', () => {
  const [first, second] = pairs(91, 260);
  const third = reads(93, 260).map((index, i) => ({ ...index, header: first[i].header.split(/[ /]/)[0], plus: '' }));
  const order = (by: string, change = {}): number[] =>
    ordered(
      first.map((_, i) => i),
      (a, b) => READ_ORDERS[by](first[a], first[b]),
      change,
    );
  const picked = (of: readonly Read[], indices: readonly number[]): Buffer => bytes(fastq(indices.map((i) => of[i])));
  const ways: readonly (readonly [name: string, by: string, options: readonly string[], change: object])[] = [
    ['in one chunk', 'seq', [], {}],
    ['in chunks', 'natural', ['--chunk-size', '16K'], {}],
    ['spilled', 'length', ['-S', '64K', '--chunk-size', '16K'], {}],
    ['under -r', 'name', ['-r'], { reverse: true }],
    ['under -u', 'seq', ['-u'], { unique: true }],
  ];
  beforeEach(() => {
    write('R1', fastq(first));
    write('R2', fastq(second));
    write('I1', fastq(third));
  });

  it.each(ways)('keeps the two files of pairs in step, %s', async (_, by, options, change) => {
    const args = ['--format', 'fastq', '--by', by, ...options, '-o', 'S1', '--mate', 'R2', '--mate-out', 'S2', 'R1'];
    expect(await sort(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
    expectSameBytes(read('S1'), picked(first, order(by, change)));
    expectSameBytes(read('S2'), picked(second, order(by, change)));
  });

  it('keeps three files of mates in step', async () => {
    const mates = ['--mate', 'R2', '--mate-out', 'S2', '--mate', 'I1', '--mate-out', 'SI'];
    const args = ['--format', 'fastq', '--by', 'seq', '-o', 'S1', ...mates, 'R1'];
    expect(await sort(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
    expectSameBytes(read('S1'), picked(first, order('seq')));
    expectSameBytes(read('S2'), picked(second, order('seq')));
    expectSameBytes(read('SI'), picked(third, order('seq')));
  });

  it('keeps the mates of an interleaved file together', async () => {
    const units = (indices: readonly number[]): string => indices.map((i) => fastq([first[i], second[i]])).join('');
    write('both', units(first.map((_, i) => i)));
    const { status, stdout, stderr } = await sort(['--format', 'fastq', '--by', 'seq', '--interleaved', 'both'], {
      cwd,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(stdout, bytes(units(order('seq'))));
  });

  it.each([
    ['names differ', (): string => fastq(second.with(40, { ...second[40], header: 'other' }))],
    ['one file has fewer records', (): string => fastq(second.slice(0, -1))],
    ['one file has more records', (): string => fastq([...second, second[0]])],
  ])('refuses files of pairs if %s', async (_, mates) => {
    write('R2', mates());
    write('S1', 'before 1\n');
    write('S2', 'before 2\n');
    const args = ['--format', 'fastq', '--by', 'seq', '-o', 'S1', '--mate', 'R2', '--mate-out', 'S2', 'R1'];
    const { status, stderr } = await sort(args, { cwd });
    expect(stderr).toContain('R2');
    expect({ status, lines: stderr.split('\n').filter((line) => line.startsWith('gpusort: ')).length }).toEqual({
      status: 2,
      lines: 1,
    });
    expect([read('S1').toString(), read('S2').toString()]).toEqual(['before 1\n', 'before 2\n']);
  });
});

describe('records larger than a chunk', () => {
  // One read in 30 is longer than any chunk; some of these are equal.
  const below = randomBelow(97);
  const long = Array.from({ length: 6 }, () => Array.from({ length: 9000 }, () => 'ACGT'[below(4)]).join(''));
  const some = reads(98, 240).map((one, i): Read => {
    if (i % 30 !== 7) return one;
    const bases = long[below(long.length)];
    return { ...one, bases, quality: 'F'.repeat(bases.length) };
  });
  const ways: readonly (readonly [options: readonly string[], change: object])[] = [
    [[], {}],
    [['-r'], { reverse: true }],
    [['-u'], { unique: true }],
    [['-S', '64K'], {}],
    [['-m', '-S', '64K'], {}],
  ];
  it.each(ways)('writes reads larger than a chunk with their newlines: %j', async (options, change) => {
    for (const by of ['seq', 'length']) {
      const order = (list: readonly Read[], how = {}): Read[] => ordered(list, READ_ORDERS[by], how);
      for (const [format, textOf] of [
        ['fastq', fastq],
        ['fasta', (list: readonly Read[]): string => fasta(list, 70)],
      ] as const) {
        const parts = [some.slice(0, 100), some.slice(100)];
        for (const [i, part] of parts.entries()) write(`in${i}`, textOf(options[0] === '-m' ? order(part) : part));
        const args = ['--format', format, '--by', by, '--chunk-size', '4K', ...options, 'in0', 'in1'];
        const { status, stdout, stderr } = await sort(args, { cwd });
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        expectSameBytes(stdout, bytes(textOf(order(some, change))));
      }
    }
  });
});

describe('refused records', () => {
  const good = fastq(reads(97, 30));
  const lines = 30 * 4;
  it.each([
    ['cut off after the bases', 'fastq', `${good}@last\nACGT\n`],
    ['cut off after the plus sign', 'fastq', `${good}@last\nACGT\n+\n`],
    ['wrapped', 'fastq', `${good}@last\nACGT\nACGT\n+\nIIII\nIIII\n${good}`],
    ['without an at sign', 'fastq', `${good}last\nACGT\n+\nIIII\n`],
    ['without a plus sign', 'fastq', `${good}@last\nACGT\nIIII\n+\n`],
    ['of bases and qualities that differ in length', 'fastq', `${good}@last\nACGT\n+\nIII\n`],
  ])('refuses a FASTQ record %s', async (_, format, text) => {
    write('in', text);
    const { status, stderr } = await sort(['--format', format, '--by', 'seq', 'in'], { cwd });
    const at = Number(/^gpusort: in: line (\d+)\b/.exec(stderr)?.[1]);
    expect({ status, stderr, inRecord: at > lines && at <= lines + 6 }).toEqual({ status: 2, stderr, inRecord: true });
  });

  it('refuses text before the first sequence of FASTA', async () => {
    write('in', `ACGT\n${fasta(reads(97, 3))}`);
    const { status, stderr } = await sort(['--format', 'fasta', '--by', 'seq', 'in'], { cwd });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(/^gpusort: in: line 1 /) });
  });
});

describe('ends of files', () => {
  const some = reads(98, 40).filter(({ quality }) => quality !== '');
  it.each([
    ['FASTQ', 'fastq', fastq(some), fastq(ordered(some, READ_ORDERS.seq))],
    ['FASTA', 'fasta', fasta(some, 20), fasta(ordered(some, READ_ORDERS.seq), 20)],
  ])('sorts %s without its last newline', async (_, format, text, expected) => {
    write('in', text.slice(0, -1));
    const { status, stdout, stderr } = await sort(['--format', format, '--by', 'seq', 'in'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectSameBytes(stdout, bytes(expected));
  });

  it.each(['fastq', 'fasta'])('sorts an empty file of %s', async (format) => {
    write('in', '');
    expect(await sort(['--format', format, '--by', 'name', 'in'], { cwd })).toEqual({
      status: 0,
      stdout: Buffer.alloc(0),
      stderr: '',
    });
  });
});

describe('the format', () => {
  const some = fastq(uniqueReads(99, 50));
  it.each([
    ['by name', 'in.fastq', 'fastq', some],
    ['by name', 'in.fq', 'fastq', some],
    ['by content', 'in', 'fastq', some],
    ['by content', 'in', 'fasta', fasta(uniqueReads(99, 50), 30)],
  ])('guesses the format of reads %s: %s is %s', async (_, name, format, text) => {
    write(name, text);
    const { stdout } = await sort(['--by', 'natural', name], { cwd });
    expectSameBytes((await sort(['--format', format, '--by', 'natural', name], { cwd })).stdout, stdout);
  });

  it('sorts FASTQ as lines without --by and --format', async () => {
    write('in.fastq', some);
    expectSameBytes((await sort(['in.fastq'], { cwd })).stdout, bytes(oracle('sort in', { in: some })));
  });
});

it('treats reads with the same id as equal under --by id -u', async () => {
  write('x', '@a two\nC\n+\n!\n@a one\nG\n+\n!\n');
  const { status, stdout } = await sort(['--format', 'fastq', '--by', 'id', '-u', 'x'], { cwd });
  expect([status, stdout.toString()]).toEqual([0, '@a two\nC\n+\n!\n']);
});

it('treats FASTA sequences as equal however they are wrapped', async () => {
  write('x', '>a\nAC\nGT\n>b\nACGT\n');
  const { status, stdout } = await sort(['--format', 'fasta', '--by', 'seq', '-u', 'x'], { cwd });
  expect([status, stdout.toString()]).toEqual([0, '>a\nAC\nGT\n']);
});
