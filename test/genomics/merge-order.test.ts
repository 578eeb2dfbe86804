/**
 * -m of genomics data: an input that is not in order is refused, wherever the disorder is and however the inputs are
 * merged. Headers and indexes would promise an order that the output lacks.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SortJob } from '../../src/job/job.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { InputOrder } from '../../src/run/input-order.js';
import { gpusortHere } from '../cli/here.js';
import { gpusort, withDirectory } from '../cli/run.js';
import { sorted } from '../cluster/both.js';
import { bgzf } from '../support/genomics-bam.js';
import { parsed } from '../support/in-process.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';

const HEADER = '@HD\tVN:1.6\n@SQ\tSN:c\tLN:99999\n';
const alignment = (place: number): string => `r${place}\t0\tc\t${place}\t9\t*\t*\t0\t0\tA\tI\n`;
const HINT = '-m merges inputs that are sorted. Leave out -m to sort them.\n';
const REFUSED = `gpusort: b.sam: record 3 sorts before record 2: r4\n${HINT}`;
const FILES = {
  'a.sam': HEADER + [1, 3, 5, 7].map(alignment).join(''),
  'b.sam': HEADER + [2, 6, 4, 8].map(alignment).join(''),
  'c.sam': HEADER + [9, 9].map(alignment).join(''),
  'd.sam': HEADER,
};
const NAMES = Object.keys(FILES);
const MERGE = ['-m', '--engine=cpu', '--format=sam', '-o', 'out'];

describe('-m refuses an alignment out of order', () => {
  it.each([
    [],
    ['-s'],
    ['--batch-size=2'],
    ['--chunk-size=16'],
    ['--chunk-size=16', '--batch-size=2'],
    ['--top=9'],
    ['--bottom=1'],
    ['--verify'],
    ['--output-format=bgzf'],
  ])('%s', (...options) =>
    withDirectory(async (cwd) => {
      for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
      writeFileSync(join(cwd, 'out'), 'old');
      expect(await gpusortHere([...MERGE, ...options, ...NAMES], { cwd })).toMatchObject({
        status: 2,
        stderr: REFUSED,
      });
      expect(readFileSync(join(cwd, 'out'), 'latin1')).toBe('old');
      // Those that are in order are merged.
      const others = NAMES.filter((name) => name !== 'b.sam');
      expect(await gpusortHere([...MERGE, ...options, ...others], { cwd })).toMatchObject({ status: 0, stderr: '' });
    }),
  );

  it('reversed', () =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'a.sam'), FILES['a.sam']);
      expect(await gpusortHere([...MERGE, '-r', 'a.sam'], { cwd })).toMatchObject({
        status: 2,
        stderr: `gpusort: a.sam: record 2 sorts before record 1: r3\n${HINT}`,
      });
      expect(existsSync(join(cwd, 'out'))).toBe(false);
    }));

  it('of compressed inputs, and of a pipe', () =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'b.sam'), bgzf(Buffer.from(FILES['b.sam'])));
      expect((await gpusortHere([...MERGE, 'b.sam'], { cwd })).stderr).toBe(REFUSED);
      expect(gpusort(['-m', '--format=sam'], { input: FILES['b.sam'] }).stderr).toBe(REFUSED.replace('b.sam', '-'));
    }));

  it.each([[{ shares: 2, ranges: 1 }], [{ shares: 2, ranges: 3 }]])('in tasks: %j', async (tasks) => {
    const { status, messages } = await sorted(['-m', '--format=sam', 'a.sam', 'b.sam'], FILES, tasks);
    expect({ status, isNamed: messages.includes('b.sam') }).toEqual({ status: 2, isNamed: true });
  });
});

it.each([
  ['fastq', '@b\nA\n+\nI\n@a\nA\n+\nI\n', '--by=name', '@a'],
  ['fastq', '@b\nA\n+\nI\n@a\nA\n+\nI\n', '--count', '@a'],
  ['fasta', '>b\nA\n>a\nA\nC\n', '--by=name', '>a'],
  ['bed', 'c\t5\t6\nc\t4\t9\n', '-s', 'c 4 9'],
  ['vcf', '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\nc\t5\t.\tA\tC\nc\t4\t.\tA\tC\n', '-s', 'c 4'],
  ['gff', 'c\ts\tgene\t5\t6\nc\ts\tgene\t4\t6\n', '-s', 'c s gene 4 6'],
])('-m refuses %s out of order and names the record', (format, text, option, name) =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'x'), text);
    expect(await gpusortHere(['-m', '--format', format, option, 'x'], { cwd })).toMatchObject({
      status: 2,
      stderr: `gpusort: x: record 2 sorts before record 1: ${name}\n${HINT}`,
    });
  }),
);

// Other tools keep ties in the order of their input, or order them by other fields.
it.each([
  ['sam', HEADER, ['r1\t16\tc\t5\t9\t*\t*\t0\t0\tA\tI\n', 'r2\t0\tc\t5\t9\t*\t*\t0\t0\tA\tI\n']],
  ['bed', '', ['c\t5\t9\n', 'c\t5\t6\n', 'c\t5\t7\tx\n', 'c\t6\t8\n', 'c\t6\t7\n']],
  ['vcf', '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\n', ['c\t5\t.\tT\tC\n', 'c\t5\t.\tA\tC\n']],
])('-m accepts ties of %s in any order', (format, header, records) =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'x'), header + records.join(''));
    for (const options of [[], ['--chunk-size=16'], ['--batch-size=2', 'x', 'x']]) {
      const { status, stdout, stderr } = await gpusortHere(['-m', '--format', format, ...options, 'x'], { cwd });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const lines = stdout.split('\n').filter((line) => line.startsWith('c\t') || line.startsWith('r'));
      if (options.length < 3) expect(lines.map((line) => `${line}\n`)).toEqual(records);
      else expect(lines).toHaveLength(3 * records.length);
    }
  }),
);

it('-m of other data accepts unsorted inputs, as GNU sort does', () =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'x'), 'b\na\n');
    for (const options of [[], ['-k1,1'], ['--json=a'], ['--csv', '--header=0', '-k1,1']])
      expect((await gpusortHere(['-m', ...options, 'x'], { cwd })).stdout).toBe('b\na\n');
  }));

const job = (parsed(['-m', '--format=bed', 'x'], 'gpusort') as { job: SortJob }).job;

it('ties may be in any order even if they arrive in two pieces', async () => {
  const pieces = ['c\t5\t9\n', 'c\t5\t6\n'].map(
    (line) => new Uint8Array(new KeyMaker(job.ordering).keyed(Buffer.from(line))[0]),
  );
  const queue = [...pieces];
  const source = new InputOrder(job.ordering, job.input.genomics!).checked(
    { read: async () => queue.shift() ?? null, close: () => {} },
    'x',
  );
  expect([await source.read(), await source.read(), await source.read()]).toEqual([...pieces, null]);
});

property(
  'checks an input however its text is cut into pieces',
  [integer({ min: 1, max: 40 }), integer({ min: 0, max: 1e6 })],
  async (count, seed) => {
    const below = randomBelow(seed);
    const places: number[] = [];
    // Some begin where the one before does, and their ends are in any order.
    for (let i = 0; i < count; i++)
      places.push(i > 0 && below(3) === 0 ? places[i - 1] : 11 * i + below(10) + (below(2 * count) === 0 ? -25 : 0));
    const lines = places.map((place) => `c\t${30 + place}\t${900 + below(9)}\t${'x'.repeat(below(20))}\n`);
    const [keyed] = new KeyMaker(job.ordering).keyed(Buffer.from(lines.join('')));
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < keyed.byteLength; at += pieces.at(-1)!.length)
      pieces.push(new Uint8Array(keyed, at, Math.min(keyed.byteLength - at, 1 + below(below(2) === 0 ? 30 : 400))));
    const queue = [...pieces];
    const source = new InputOrder(job.ordering, job.input.genomics!).checked(
      { read: async () => queue.shift() ?? null, close: () => {} },
      'x',
    );
    const read = async (): Promise<string> => {
      try {
        const all: Uint8Array[] = [];
        for (let piece = await source.read(); piece !== null; piece = await source.read()) all.push(piece);
        expect(Buffer.concat(all).equals(Buffer.from(keyed))).toBe(true);
        return 'in order';
      } catch (error) {
        return (error as Error).message.split(':')[1];
      }
    };
    const first = places.findIndex((place, i) => i > 0 && place < places[i - 1]);
    expect(await read()).toBe(first < 0 ? 'in order' : ` record ${first + 1} sorts before record ${first}`);
  },
  { runs: 1000 },
);
