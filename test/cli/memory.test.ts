/**
 * Peak memory of a process. -S SIZE bounds it by SIZE (at least 32 MiB) + 120 MB + twice the longest record. By day one
 * size, with more input than the bound, and a few orderings of long lines.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NIGHTLY, sampled } from '../support/tier.js';
import { shell, withDirectory } from './run.js';

const HOOK = fileURLToPath(new URL('../support/high-water.cjs', import.meta.url));
const MiB = 2 ** 20;
const LEAST_MEMORY = 32 * MiB;
/** The part of the bound that depends neither on SIZE nor on records. */
const OTHER_BYTES = 120e6;

interface HighWater {
  readonly resident: number;
  readonly newSpace: number;
  readonly output: string;
}

/** Runs the binary on `input`, as a file or through a pipe; returns the output's digest and the memory it took. */
function run(options: string, input: string, directory: string, piped = false): HighWater {
  const file = join(directory, 'high-water');
  const command = `NODE_OPTIONS="--require ${HOOK}" HIGH_WATER=${file} $GPUSORT --engine=cpu -T . ${options}`;
  const begin = piped ? `cat ${input} | ${command}` : `${command} ${input}`;
  const line = `${begin} | sha256sum; echo \${PIPESTATUS[@]}`;
  const { stdout, stderr } = shell(line, { cwd: directory });
  const [digest, status] = stdout.split('\n');
  expect({ options, status, stderr }).toEqual({ options, status: piped ? '0 0 0' : '0 0', stderr: '' });
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<HighWater, 'output'>), output: digest!.slice(0, 64) };
}

function expectBound({ resident }: HighWater, options: string, memory: number, longest: number): void {
  const bound = Math.max(memory, LEAST_MEMORY) + OTHER_BYTES + 2 * longest;
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  expect(resident, `${options}: ${megabytes(resident)} MB of ${megabytes(bound)}`).toBeLessThanOrEqual(bound);
}

const LINES_A_BLOCK = 10_000;
const LINE_BYTES = 100;
/** Coprime to the number of lines, so that multiples of it reach each line once. */
const STRIDE = 7_368_787;
/** Digits in a long line. */
const LONG = 60e6;

/** Blocks of lines of 100 bytes; line i begins with `numberOf(i)`. Each block overwrites the previous one. */
function* numberedLines(count: number, numberOf: (i: number) => number): Generator<Buffer> {
  const block = Buffer.alloc(
    LINES_A_BLOCK * LINE_BYTES,
    `${'a text that all lines have '.repeat(4).slice(0, LINE_BYTES - 1)}\n`,
  );
  for (let first = 0; first < count; first += LINES_A_BLOCK) {
    for (let i = 0; i < LINES_A_BLOCK; i++)
      block.write(String(numberOf(first + i)).padStart(12, '0'), i * LINE_BYTES, 'latin1');
    yield block;
  }
}

/** Writes `count` lines to a file in scattered order; returns the digest of the sorted lines. */
function scattered(path: string, count: number): string {
  const file = openSync(path, 'w');
  for (const block of numberedLines(count, (i) => (i * STRIDE) % count)) writeSync(file, block);
  closeSync(file);
  const digest = createHash('sha256');
  for (const block of numberedLines(count, (i) => i)) digest.update(block);
  return digest.digest('hex');
}

describe.skipIf(process.platform !== 'linux')('-S', () => {
  it(
    'bounds memory, even a small amount',
    () =>
      withDirectory((directory) => {
        const sorted = scattered(join(directory, 'lines'), NIGHTLY ? 3_000_000 : 2_000_000);
        const matrix = ['16M', '32M', '64M', '100M', '200M'].flatMap((size) =>
          [1, 2, 4].map((threads) => [size, threads] as const),
        );
        const ways = NIGHTLY ? matrix : [['32M', 2] as const];
        for (const [size, threads] of ways) {
          for (const option of NIGHTLY ? ['', ' -n', ' -k2 -s'] : ['']) {
            const options = `-S${size} --parallel=${threads}${option}`;
            const taken = run(options, 'lines', directory);
            expectBound(taken, options, parseInt(size, 10) * MiB, LINE_BYTES);
            if (option !== ' -k2 -s') expect(taken.output, options).toBe(sorted);
            // V8 forgets the limit of its new space whenever a thread starts, so gpusort must set it again.
            if (parseInt(size, 10) <= 64) expect(taken.newSpace, options).toBeLessThanOrEqual(8 * MiB);
          }
        }
      }),
    NIGHTLY ? 600_000 : 120_000,
  );

  it(
    'bounds memory with keyed lines of many megabytes',
    () =>
      withDirectory((directory) => {
        const long = `${'2'.repeat(LONG)} end\n`;
        const numbers = (from: number): string[] => Array.from({ length: 10_000 }, (_, i) => `${from + i} line\n`);
        const mixed = (from: number): string[] =>
          Array.from({ length: 10_000 }, (_, i) => `${from + ((i * 7919) % 10_000)} line\n`);
        writeFileSync(join(directory, 'one'), [...mixed(30_000), long, ...mixed(10_000)].join(''));
        writeFileSync(join(directory, 'two'), [long, ...mixed(10_000), ...mixed(30_000), long].join(''));
        const digest = (lines: readonly string[]): string => createHash('sha256').update(lines.join('')).digest('hex');
        const one = digest([...numbers(10_000), long, ...numbers(30_000)]);
        const two = digest([...numbers(10_000), long, long, ...numbers(30_000)]);
        const last = digest([...numbers(10_000), ...numbers(30_000), long, long]);
        const first = digest([long, long, ...numbers(10_000), ...numbers(30_000)]);
        const orders = [
          ['-k1,1', 'one', one],
          ['-s -k1,1', 'two', two],
          ['-u -k1,1', 'two', one],
          ['-f', 'two', two],
          ['-k1,1 -k2', 'two', two],
          ['-V', 'two', last],
          ['-n', 'two', last],
          ['-k2', 'two', first],
        ] as const;
        const ways = orders.flatMap((order) => [false, true].map((piped) => [...order, piped] as const));
        const today = sampled(ways, { count: 4, seed: 1, values: ([, input, , piped]) => [`${input} ${piped}`] });
        for (const [order, input, expected, piped] of today) {
          const options = `-S64M --parallel=2 ${order}`;
          const taken = run(options, input, directory, piped);
          expectBound(taken, `${options}, ${piped ? 'piped' : 'a file'}`, 64 * MiB, long.length);
          expect(taken.output, options).toBe(expected);
        }
      }),
    120_000,
  );
});
