/**
 * --top and --bottom through the program: the output must equal `sort | head` and `sort | tail`. battery.gpu.test.ts
 * runs the cases of the GPU engine.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NIGHTLY } from '../support/tier.js';
import { limitInputs, limits } from './limit-cases.js';
import { expectSameBytes, freshDirectory, PROGRAM, script } from './runner.js';

const cwd = limitInputs();

async function same(ours: string, reference: string): Promise<void> {
  const [actual, expected] = await Promise.all([script(ours, { cwd: cwd() }), script(reference, { cwd: cwd() })]);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, expected.stdout);
}

describe('with --engine cpu', () => limits('cpu'));

describe('with -m', () => {
  it.each(['', '-u', '-r', '-k1,1n', '-u -k1,1n', '--batch-size 2'])(
    'writes the same as sort -m with head and tail: %s',
    async (options) => {
      await script(`sort ${options} a > sa; sort ${options} b > sb`, { cwd: cwd() });
      for (const count of NIGHTLY ? [0, 1, 300, 1_000_000] : [1, 300]) {
        await same(
          `gpusort -m ${options} --top ${count} sa sb empty sb`,
          `sort -m ${options} sa sb empty sb | head -n ${count}`,
        );
        await same(
          `gpusort -m ${options} --bottom ${count} sa sb empty sb`,
          `sort -m ${options} sa sb empty sb | tail -n ${count}`,
        );
      }
    },
  );

  it('stops reading once --top has its records', async () => {
    const { status, stdout, stderr } = await script('yes b | gpusort -m --top 3 - a', { cwd: cwd(), hangMs: 20_000 });
    expect({ status, stderr, lines: stdout.toString().split('\n').length }).toEqual({
      status: 0,
      stderr: '',
      lines: 4,
    });
  });
});

it('replaces one of its inputs', async () => {
  await same('cp a c; gpusort --top 20 c -o c; cat c', 'sort a | head -n 20');
  await same('cp a c; gpusort --bottom 20 c b -o c; cat c', 'sort a b | tail -n 20');
});

it('spills records that --bottom holds back, and removes the files', async () => {
  // 80 MB of input. --bottom holds back 70 MB, more than the 64 MiB that it keeps in memory.
  const child = spawn(
    PROGRAM[0],
    [
      ...PROGRAM.slice(1),
      '--engine',
      'cpu',
      '--bottom',
      '70000',
      '-T',
      freshDirectory('held'),
      '-o',
      join(cwd(), 'tail'),
    ],
    { stdio: ['pipe', 'inherit', 'inherit'], cwd: cwd() },
  );
  const line = (i: number): string => `${String((i * 7919) % 80_000).padStart(9, '0')}${'.'.repeat(990)}\n`;
  for (let i = 0; i < 80_000; i += 100) {
    const more = child.stdin.write(Array.from({ length: 100 }, (_, j) => line(i + j)).join(''));
    if (!more)
      await new Promise((resolve) => {
        child.stdin.once('drain', resolve);
      });
  }
  child.stdin.end();
  expect(
    await new Promise((resolve) => {
      child.on('close', resolve);
    }),
  ).toBe(0);
  const { stdout } = await script(
    'wc -l < tail; head -c 9 tail; echo; LC_ALL=C sort -c tail && tail -n 1 tail | head -c 9',
    { cwd: cwd() },
  );
  expect(stdout.toString()).toBe('70000\n000010000\n000079999');
});

it.each([
  ['--top 5 --bottom 5', "options '--top' and '--bottom' are incompatible"],
  ['-c --top 5', "options '-c' and '--top' are incompatible"],
  ['-C --bottom 5', "options '-C' and '--bottom' are incompatible"],
  ['--segments blank --top 5', "options '--top' and '--segments' are incompatible"],
  ['-t, --segment-by 1,1 --bottom 5', "options '--bottom' and '--segment-by' are incompatible"],
  ['--top x', "invalid --top argument 'x'"],
  ['--bottom 5k', "invalid suffix in --bottom argument '5k'"],
])('rejects %s', async (options, message) => {
  expect(await script(`gpusort ${options} a`, { cwd: cwd() })).toMatchObject({
    status: 2,
    stderr: `gpusort: ${message}\n`,
  });
});

it('leaves no temporary files', () => {
  expect(readdirSync(cwd()).filter((name) => name.startsWith('gpusort-'))).toEqual([]);
});
