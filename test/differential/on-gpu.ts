/** The cases of the differential test for the GPU engine: by each of its sorts, whole and in chunks, with all ways to make keys. */
import { describe } from 'vitest';
import { GPU_ALGORITHMS } from '../../src/job.js';
import { keysOnDevice } from '../../src/keys/device-keys.js';
import { ALL, nightly, SEED, tiny, ways } from './batches.js';
import type { Case } from './case.js';
import { caseOf } from './generate.js';
import { jobOf } from './in-process.js';

/** Cases for each sort, whole and in chunks: a GPU in software compiles kernels for a second now and then. */
const GPU_CASES = nightly ? 200 : 3;

/** Registers the tests. */
export function chanceOnGpu(): void {
  const some = gpuCases(2 * GPU_ALGORITHMS.length * GPU_CASES);
  const next = (): number[] => some.splice(0, GPU_CASES);
  GPU_ALGORITHMS.forEach((algorithm, i) => describe(algorithm, () => {
    describe('whole', () => ways(next(), () => ({ engine: 'gpu', algorithm, chunkBytes: null })));
    describe('in chunks', () => ways(next(), (batch) => ({ engine: 'gpu', algorithm, chunkBytes: tiny(batch + i) })));
  }));
}

/** How the GPU engine comes to the keys of a case; null where it has nothing to do: with -c and -m, without keys, or where next to nothing is to be sorted. */
function keyMaker(of: Case): (typeof KEY_MAKERS)[number] | null {
  const job = jobOf(of);
  if (job === null || job.mode !== 'sort' || job.ordering.key.kind !== 'normalised' || of.files.join('').length < 20) return null;
  if (!keysOnDevice(job.ordering.key)) return 'host';
  return job.ordering.key.parts.some(({ order }) => order === 'numeric') ? 'device, numbers' : 'device, bytes';
}
const KEY_MAKERS = ['device, numbers', 'device, bytes', 'host'] as const;

/** The first `count` cases for the GPU, each of the three kinds in turn. */
function gpuCases(count: number): number[] {
  const kinds = KEY_MAKERS.map((): number[] => []);
  const chosen: number[] = [];
  for (const number of ALL) {
    const maker = keyMaker(caseOf(SEED, number));
    if (maker !== null) kinds[KEY_MAKERS.indexOf(maker)]!.push(number);
    for (let list = kinds[chosen.length % kinds.length]!; list.length > 0 && chosen.length < count; list = kinds[chosen.length % kinds.length]!) chosen.push(list.shift()!);
    if (chosen.length === count) break;
  }
  return chosen;
}
