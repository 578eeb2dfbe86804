/** Tunings that change nothing are accepted, and the reasons of the plan say so. */
import { expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/request.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { SURROUNDINGS } from '../cli/arguments.js';

const MACHINE = { processors: 4, mostWorkers: 4, availableBytes: 16 * 2 ** 30, allowedBytes: Infinity };
const GPU = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 31 - 4 } as const;

/** What the plan of a sort of `bytes` says of its tunings. */
function saidOf(options: string, bytes: number | null): string[] {
  const request = parseArguments(options.split(' '), SURROUNDINGS);
  if (request.action !== 'sort') throw new Error(request.action);
  const input = { bytes, sample: null };
  return makePlan(request.job, MACHINE, input, GPU).reasons.filter((reason) => reason.startsWith('tuning '));
}

it.each<readonly [options: string, bytes: number, idle: readonly string[]]>([
  ['--algorithm string-merge:ties-in-merges', 2 ** 21, ['ties-in-merges']],
  ['--algorithm string-merge:ties-in-merges', 2 ** 21 + 1, []],
  ['--algorithm string-merge:ties-in-merges --chunk-size 64K', 2 ** 21, []],
  ['--algorithm string-merge:ties-in-merges,prefix-4 --record-size 100', 100 * 2 ** 21, ['ties-in-merges']],
  ['--algorithm string-merge:ties-in-merges --record-size 100', 100 * 2 ** 21 + 100, []],
  ['--algorithm msd-radix:wide-digits', 2 ** 18, ['wide-digits']],
  ['--algorithm msd-radix:wide-digits', 2 ** 18 + 1, []],
  ['--algorithm msd-radix:narrow-digits', 1e9, ['narrow-digits']],
  ['--algorithm msd-radix-hybrid:narrow-digits', 1e9, ['narrow-digits']],
  ['--array u32+u32 --algorithm merge:stable-network,search-wide', 1e9, ['stable-network']],
  ['--array u32 --algorithm merge:stable-network,search-wide', 1e9, []],
])('%s, %d bytes', (options, bytes, idle) => {
  expect(saidOf(options, bytes).map((reason) => /^tuning (\S+) changes nothing: ./.exec(reason)?.[1])).toEqual(idle);
});

it('an input of unknown size may have any number of records', () => {
  expect(saidOf('--algorithm string-merge:ties-in-merges', null)).toEqual([]);
  expect(saidOf('--algorithm msd-radix:wide-digits', null)).toEqual([]);
});
