/** The differential test on the GPU engine: cases for each algorithm, whole and in chunks, with all key makers. */
import { describe } from 'vitest';
import { algorithmsOn } from '../../src/algorithm-table.js';
import { keysOnDevice } from '../../src/gpu/keyed-lines/key-support.js';
import { NIGHTLY } from '../support/tier.js';
import { ALL, SEED, tiny, ways } from './batches.js';
import { binaryCases } from './binary-ways.js';
import type { Case } from './case.js';
import { caseOf } from './generate.js';
import { jobOf } from './in-process.js';

/** Cases for each algorithm, whole and in chunks. Few by day: a software GPU may compile kernels for a second. */
const GPU_CASES = NIGHTLY ? 200 : 3;
/** By day, all algorithms share so few cases: each key maker is compiled for each case. */
const CASES_BY_DAY = 9;

/** Cases of binary records for each algorithm, whole and in chunks; forty times as many each night. */
const BINARY_CASES = 3;

/** Registers the tests. */
export function randomCasesOnGpu(): void {
  const some = gpuCases(NIGHTLY ? 2 * algorithmsOn('gpu', 'lines').length * GPU_CASES : CASES_BY_DAY);
  const next = (): number[] => {
    const taken = some.splice(0, GPU_CASES);
    if (!NIGHTLY) some.push(...taken);
    return taken;
  };
  algorithmsOn('gpu', 'lines').forEach((algorithm, i) =>
    describe(algorithm, () => {
      const whole = next();
      // By day the same cases again.
      const cut = NIGHTLY ? next() : whole;
      describe('in one chunk', () => ways(whole, () => ({ engine: 'gpu', algorithm, chunkBytes: null })));
      describe('in chunks', () => ways(cut, (batch) => ({ engine: 'gpu', algorithm, chunkBytes: tiny(batch + i) })));
    }),
  );
}

/** Registers the tests of binary records: the sorts of fixed keys, each on cases of its own. */
export function binaryCasesOnGpu(): void {
  (['merge', 'radix', 'quicksort', 'locality', 'segmented'] as const).forEach((algorithm, i) =>
    describe(algorithm, () => {
      const from = 40_000 + 10_000 * i;
      binaryCases(from, from + BINARY_CASES, () => ({ engine: 'gpu', algorithm }));
      // By day the same cases again, as above.
      const cut = NIGHTLY ? from + 5000 : from;
      binaryCases(cut, cut + BINARY_CASES, (batch) => ({
        engine: 'gpu',
        algorithm,
        chunkBytes: tiny(batch + i),
        // Too little for resident runs.
        ...(i % 2 === 0 && { gpuMemoryBytes: 1 << 16 }),
      }));
    }),
  );
}

/** Where the GPU engine makes a case's keys; null: the case is refused, -c, -m, without keys, or under 20 bytes. */
function keyMaker(of: Case): (typeof KEY_MAKERS)[number] | null {
  const job = jobOf(of);
  if (job === null || job.mode !== 'sort' || job.ordering.key.kind !== 'normalised' || of.files.join('').length < 20)
    return null;
  if (!keysOnDevice(job.ordering.key)) return 'host';
  return job.ordering.key.parts.some(({ order }) => order === 'numeric') ? 'device, numbers' : 'device, bytes';
}
const KEY_MAKERS = ['device, numbers', 'device, bytes', 'host'] as const;

/** The first `count` cases for the GPU, taking each of the three key makers in turn. */
function gpuCases(count: number): number[] {
  const kinds = KEY_MAKERS.map((): number[] => []);
  const chosen: number[] = [];
  for (const number of ALL) {
    const maker = keyMaker(caseOf(SEED, number));
    if (maker !== null) kinds[KEY_MAKERS.indexOf(maker)].push(number);
    for (
      let list = kinds[chosen.length % kinds.length];
      list.length > 0 && chosen.length < count;
      list = kinds[chosen.length % kinds.length]
    )
      chosen.push(list.shift()!);
    if (chosen.length === count) break;
  }
  return chosen;
}
