/** Peak memory of a process, for all sizes of -S, and for lines of many megabytes. limits.test.ts has one size. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { digested, digestOf, expectBounded, LINE_BYTES, scattered, WITH_CODECS } from './limited.js';
import { withDirectory } from './run.js';

const LINES = 2_000_000;
const SIZES = [16, 32, 64, 100, 200].flatMap((mebibytes) =>
  [1, 2, 4].flatMap((threads) => ['', '-n', '-k2 -s'].map((order) => ({ mebibytes, threads, order }))),
);
const isUsual = ({ mebibytes, threads, order }: (typeof SIZES)[number]): boolean =>
  mebibytes === 32 && threads === 2 && order === '';

/** Digits in a long line. */
const LONG = 60e6;
const ORDERS = [
  ['-k1,1', 'one', 'one'],
  ['-s -k1,1', 'two', 'two'],
  ['-u -k1,1', 'two', 'one'],
  ['-f', 'two', 'two'],
  ['-k1,1 -k2', 'two', 'two'],
  ['-V', 'two', 'last'],
  ['-n', 'two', 'last'],
  ['-k2', 'two', 'first'],
] as const;

const GENERATOR = fileURLToPath(new URL('../../tools/bench/genomics-data.mjs', import.meta.url));
/** Records of SAM, whose BAM is larger than the largest -S. */
const ALIGNMENTS = 700_000;
/** -S in MiB, and the form of the output. */
const CODEC_RUNS = [
  [64, '--level 4'],
  [128, '--output-format sam'],
  [256, '--level 0'],
] as const;

describe.skipIf(process.platform !== 'linux')('-S bounds memory', () => {
  it(
    'with more input than the bound',
    () =>
      withDirectory((directory) => {
        const sorted = scattered(join(directory, 'lines'), LINES);
        for (const { mebibytes, threads, order } of sampled(SIZES, { count: 1, seed: 1, always: isUsual })) {
          const options = `--parallel=${threads} ${order}`;
          // By the second field, lines stay as they are scattered.
          const expected = order === '-k2 -s' ? null : sorted;
          expectBounded({ mebibytes, options, input: 'lines' }, LINE_BYTES, expected, directory);
        }
      }),
    600_000,
  );

  it(
    'with alignments, whose codec threads count',
    () =>
      withDirectory((directory) => {
        execFileSync(process.execPath, [GENERATOR, 'sam', join(directory, 'sam'), '--records', String(ALIGNMENTS)]);
        const { status, stderr } = digested(
          '$GPUSORT --by coordinate --output-format bam --level 1 -o bam sam',
          directory,
        );
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        for (const [mebibytes, form] of CODEC_RUNS) {
          const run = { mebibytes, options: `--parallel=2 --by queryname ${form}`, input: 'bam' };
          expectBounded({ ...run, otherBytes: WITH_CODECS }, LINE_BYTES, null, directory);
        }
        // As it is, with its compressed bytes.
        for (const by of ['coordinate', 'queryname']) {
          const run = { mebibytes: 512, options: `--parallel=2 --by ${by} --level 1`, input: 'bam', piped: true };
          expectBounded({ ...run, otherBytes: WITH_CODECS }, LINE_BYTES, null, directory);
        }
      }),
    600_000,
  );

  it(
    'with keyed lines of many megabytes',
    () =>
      withDirectory((directory) => {
        const long = `${'2'.repeat(LONG)} end\n`;
        const numbers = (from: number): string[] => Array.from({ length: 10_000 }, (_, i) => `${from + i} line\n`);
        const mixed = (from: number): string[] =>
          Array.from({ length: 10_000 }, (_, i) => `${from + ((i * 7919) % 10_000)} line\n`);
        writeFileSync(join(directory, 'one'), [...mixed(30_000), long, ...mixed(10_000)].join(''));
        writeFileSync(join(directory, 'two'), [long, ...mixed(10_000), ...mixed(30_000), long].join(''));
        const sorted = {
          one: digestOf([...numbers(10_000), long, ...numbers(30_000)]),
          two: digestOf([...numbers(10_000), long, long, ...numbers(30_000)]),
          last: digestOf([...numbers(10_000), ...numbers(30_000), long, long]),
          first: digestOf([long, long, ...numbers(10_000), ...numbers(30_000)]),
        };
        const ways = ORDERS.flatMap((order) => [false, true].map((piped) => [...order, piped] as const));
        const drawn = sampled(ways, { count: 4, seed: 1, values: ([, input, , piped]) => [`${input} ${piped}`] });
        for (const [order, input, expected, piped] of drawn) {
          const run = { mebibytes: 64, options: `--parallel=2 ${order}`, input, piped };
          expectBounded(run, long.length, sorted[expected], directory);
        }
      }),
    120_000,
  );
});
