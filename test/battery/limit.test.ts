/** --top and --bottom through the program, on each engine: the bytes of `sort | head` and `sort | tail`. */
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasGpu } from '../setup/gpu.js';
import { parsed, runHere } from '../support/in-process.js';
import { closeGpu, withOneGpu } from '../support/one-gpu.js';
import { randomBelow } from '../support/random.js';
import { sortRecords } from './matrix.js';
import { expectSameBytes, freshDirectory, gpusort, PROGRAM, script } from './runner.js';

vi.mock(import('../../src/gpu/device/device.js'), async (original) => withOneGpu(await original()));

const below = randomBelow(44);
let cwd = '';
/** Lines that come several times, some larger than the chunks below; the second file ends without a newline. */
const words = Array.from({ length: 9000 }, (_, i) => (i % 1500 === 7 ? 'long'.repeat(3000 + below(2)) : `${below(60)} ${'w'.repeat(below(20))}${below(90)}`));
beforeAll(() => {
  cwd = freshDirectory('limit');
  writeFileSync(join(cwd, 'a'), `${words.slice(0, 5000).join('\n')}\n`);
  writeFileSync(join(cwd, 'b'), words.slice(5000).join('\n'));
  writeFileSync(join(cwd, 'empty'), '');
});

const ORDERS = ['', '-r', '-u', '-s', '-z', '-k1,1n', '-k1,1n -s', '-k1,1nr -u', '-k2b'];
const COUNTS = [0, 1, 10, 700, 8999, 1_000_000];
const nightly = process.env.GPUSORT_NIGHTLY === '1';
/** Chunks so small that there are many, and that runs go to files. */
const WAYS = ['', '--chunk-size 8K', '--chunk-size 8K -S 64K -T .'];

async function same(ours: string, reference: string): Promise<void> {
  const [actual, expected] = await Promise.all([script(ours, { cwd }), script(reference, { cwd })]);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, expected.stdout);
}

/** The same for `words` of a run on the GPU, in this process: by day it compiles its kernels once. Binary records, below, are sorted by processes. */
async function sameHere(words: string, reference: string): Promise<void> {
  const home = process.cwd();
  process.chdir(cwd);
  try {
    const ours = await runHere(() => parsed(['--engine', 'gpu', '-o', 'out', ...words.split(' ').filter((word) => word !== '')], 'gpusort'), 'gpusort');
    expect({ words, ...ours }).toEqual({ words, status: 0, messages: '' });
    expectSameBytes(readFileSync('out'), (await script(reference, { cwd })).stdout);
    rmSync('out');
  } finally {
    process.chdir(home);
  }
}

describe.each(hasGpu() ? ['cpu', 'gpu'] : ['cpu'])('with --engine %s', (engine) => {
  afterAll(closeGpu);
  // By day each order meets two numbers; on a software GPU every second order one that is not 0.
  const cases = ORDERS.flatMap((order, i) => COUNTS.map((count, j) => [order, count, WAYS[(i + j) % WAYS.length]!] as const)
    .filter((_, j) => nightly || (engine === 'cpu' ? j % 3 === i % 3 : j === (i + 1) % COUNTS.length && i % 2 === 0)));
  it.each(cases)('sort %s, %d records, %s', async (order, count, way) => {
    const z = order === '-z' ? '-z' : '';
    if (engine === 'gpu' && !nightly && process.env.GPUSORT_TEST_BIN === undefined) {
      await sameHere(`${way} ${order} --top ${count} a empty b`, `sort ${order} a empty b | head ${z} -n ${count}`);
      await sameHere(`${way} ${order} --bottom ${count} a b`, `sort ${order} a b | tail ${z} -n ${count}`);
      return;
    }
    await same(`gpusort --engine ${engine} ${way} ${order} --top ${count} a empty b`, `sort ${order} a empty b | head ${z} -n ${count}`);
    await same(`cat a b | gpusort --engine ${engine} ${way} ${order} --bottom ${count}`, `cat a b | sort ${order} | tail ${z} -n ${count}`);
  });

  it('binary records', async () => {
    const records = Buffer.from(Uint8Array.from({ length: 12 * 3000 }, () => below(4)));
    for (const options of [['--key', '0:3'], ['--key', '0:3', '-s'], ['--key', '0:3', '-u'], ['-r']]) {
      const expected = sortRecords(records, 12, options);
      const limits = [['--top', 50], ['--bottom', 50], ['--top', 0], ['--bottom', 10_000]] as const;
      for (const [name, count] of engine === 'gpu' && !nightly ? limits.slice(0, 2) : limits) {
        const { stdout, stderr } = await gpusort(['--engine', engine, '--chunk-size', '4K', '--record-size', '12', ...options, name, String(count)], { stdin: records });
        expect(stderr).toBe('');
        expectSameBytes(stdout, name === '--top' ? expected.subarray(0, count * 12) : expected.subarray(Math.max(0, expected.length - count * 12)));
      }
      if (engine === 'gpu') break;
    }
  });
});

describe('with -m', () => {
  it.each(['', '-u', '-r', '-k1,1n', '-u -k1,1n', '--batch-size 2'])('%s', async (options) => {
    await script(`sort ${options} a > sa; sort ${options} b > sb`, { cwd });
    for (const count of nightly ? [0, 1, 300, 1_000_000] : [1, 300]) {
      await same(`gpusort -m ${options} --top ${count} sa sb empty sb`, `sort -m ${options} sa sb empty sb | head -n ${count}`);
      await same(`gpusort -m ${options} --bottom ${count} sa sb empty sb`, `sort -m ${options} sa sb empty sb | tail -n ${count}`);
    }
  });

  it('stops reading when it has enough', async () => {
    const { status, stdout, stderr } = await script('yes b | gpusort -m --top 3 - a', { cwd, hangMs: 20_000 });
    expect({ status, stderr, lines: stdout.toString().split('\n').length }).toEqual({ status: 0, stderr: '', lines: 4 });
  });
});

it('replaces one of its inputs', async () => {
  await same('cp a c; gpusort --top 20 c -o c; cat c', 'sort a | head -n 20');
  await same('cp a c; gpusort --bottom 20 c b -o c; cat c', 'sort a b | tail -n 20');
});

it('keeps small what it holds back: last records in memory, more in temporary files that are gone afterwards', async () => {
  // 80 MB, of which more is held back than fits in memory.
  const child = spawn(PROGRAM[0]!, [...PROGRAM.slice(1), '--engine', 'cpu', '--bottom', '700000', '-T', freshDirectory('held'), '-o', join(cwd, 'tail')], { stdio: ['pipe', 'inherit', 'inherit'], cwd });
  const line = (i: number): string => `${String((i * 7919) % 800_000).padStart(9, '0')}${'.'.repeat(90)}\n`;
  for (let i = 0; i < 800_000; i += 1000) {
    const more = child.stdin.write(Array.from({ length: 1000 }, (_, j) => line(i + j)).join(''));
    if (!more) await new Promise((resolve) => { child.stdin.once('drain', resolve); });
  }
  child.stdin.end();
  expect(await new Promise((resolve) => { child.on('close', resolve); })).toBe(0);
  const { stdout } = await script('wc -l < tail; head -c 9 tail; echo; LC_ALL=C sort -c tail && tail -n 1 tail | head -c 9', { cwd });
  expect(stdout.toString()).toBe('700000\n000100000\n000799999');
});

it.each([
  ['--top 5 --bottom 5', "options '--top' and '--bottom' are incompatible"],
  ['-c --top 5', "options '-c' and '--top' are incompatible"],
  ['-C --bottom 5', "options '-C' and '--bottom' are incompatible"],
  ['--segments blank --top 5', "options '--top' and '--segments' are incompatible"],
  ['-t, --segment-by 1,1 --bottom 5', "options '--bottom' and '--segment-by' are incompatible"],
  ['--top x', "invalid --top argument 'x'"],
  ['--bottom 5k', "invalid suffix in --bottom argument '5k'"],
])('refuses %s', async (options, message) => {
  expect(await script(`gpusort ${options} a`, { cwd })).toMatchObject({ status: 2, stderr: `gpusort: ${message}\n` });
});

it('leaves no files behind', () => {
  expect(readdirSync(cwd).filter((name) => name.startsWith('gpusort-'))).toEqual([]);
});
