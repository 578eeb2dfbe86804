/**
 * Jobs on inputs near their order: their output, compared with GNU sort. battery.gpu.test.ts runs them on its device.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { generate } from '../../tools/bench/generate.mjs';
import { expectSameOutput, sortHere } from '../battery/here.js';
import { freshDirectory } from '../battery/runner.js';

const NUMBERS = ['--engine=gpu', '--array=u64be'];
const LOGS = ['log64', 'log4096', 'appended'];

/** Registers the tests. */
export function nearSortedJobs(): void {
  const directory = freshDirectory('near-sorted');
  const made = (kind: string, lines: number): string => {
    generate(kind, join(directory, kind), { lines });
    return kind;
  };

  it.each([
    ['u64be-near256', 'locality'],
    ['u64be', 'radix'],
  ])('of %s are sorted by %s', async (kind, algorithm) => {
    const file = join(directory, made(kind, 40_000));
    const { status, stdout, stderr } = await sortHere([...NUMBERS, `--algorithm=${algorithm}`, file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const hex = (bytes: Buffer): string[] =>
      Array.from({ length: bytes.length / 8 }, (_, i) => bytes.toString('hex', 8 * i, 8 * i + 8));
    expect(hex(stdout)).toEqual(hex(readFileSync(file)).sort());
  });

  it.each(LOGS)('of %s give the same bytes as GNU sort', async (kind) => {
    made(kind, 20_000);
    for (const options of ['', ' --algorithm locality --chunk-size=64K'])
      await expectSameOutput(`gpusort --engine gpu${options} ${kind}`, `sort ${kind}`, directory);
  });
}
