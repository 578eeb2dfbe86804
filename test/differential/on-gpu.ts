/** The differential test on the GPU engine: cases for each algorithm, whole and in chunks, with all key makers. */
import { describe } from 'vitest';
import { keysOnDevice } from '../../src/engines/gpu/records/keyed-lines/key-support.js';
import { algorithmsOn } from '../../src/job/algorithm-table.js';
import { GpusortError } from '../../src/system/errors.js';
import { parsed } from '../support/in-process.js';
import { sampled } from '../support/tier.js';
import { agrees, TINY_CHUNKS } from './agreement.js';
import { agreesWithModel } from './binary.js';
import { type Case, wordsOf } from './case.js';
import { cases } from './cases.js';

const KEY_MAKERS = ['device, numbers', 'device, bytes', 'host'] as const;
/** The number of algorithms with cases of their own. A software GPU may compile kernels for a second in each case. */
const SEEDS = 3;

/** Where the GPU engine makes a case's keys; null: the case is refused, -c, -m, without keys, or under 20 bytes. */
function keyMaker(of: Case): (typeof KEY_MAKERS)[number] | null {
  try {
    const request = parsed(wordsOf(of), 'sort', of.posix);
    if (request.action !== 'sort' || request.job.mode !== 'sort' || of.files.join('').length < 20) return null;
    const { key } = request.job.ordering;
    if (key.kind !== 'normalized') return null;
    if (!keysOnDevice(key)) return 'host';
    return key.parts.some(({ order }) => order === 'numeric') ? 'device, numbers' : 'device, bytes';
  } catch (error) {
    if (error instanceof GpusortError) return null;
    throw error;
  }
}

/** Registers the tests. */
export function randomCasesOnGpu(): void {
  const all = algorithmsOn('gpu', 'lines').flatMap((algorithm, i) =>
    [null, TINY_CHUNKS[i % TINY_CHUNKS.length]].flatMap((chunkBytes) =>
      KEY_MAKERS.map((maker) => ({ algorithm, chunkBytes, maker, seed: 1 + (i % SEEDS) })),
    ),
  );
  // The battery has all algorithms.
  const values = ({ chunkBytes, maker }: (typeof all)[number]) => [chunkBytes !== null, maker];
  for (const { algorithm, chunkBytes, maker, seed } of sampled(all, { count: 9, seed: 1, values }))
    agrees(
      `${algorithm} agrees with GNU sort ${chunkBytes === null ? 'in one chunk' : 'in chunks'}, with keys made by: ${maker}`,
      [{ engine: 'gpu', algorithm, chunkBytes }],
      { runs: 1, seed },
      cases.filter((of) => keyMaker(of) === maker),
    );
}

/** Registers the tests of binary records: the sorts of fixed keys. */
export function binaryCasesOnGpu(): void {
  const all = (['merge', 'radix', 'quicksort', 'locality', 'segmented'] as const).flatMap((algorithm, i) => [
    { algorithm, i, cut: false },
    { algorithm, i, cut: true },
  ]);
  const values = ({ algorithm, cut }: (typeof all)[number]) => [algorithm, cut];
  for (const { algorithm, i, cut } of sampled(all, { count: 5, seed: 1, values }))
    describe(algorithm, () =>
      agreesWithModel(
        cut ? 'in chunks' : 'in one chunk',
        [
          {
            engine: 'gpu',
            algorithm,
            ...(cut && { chunkBytes: TINY_CHUNKS[i % TINY_CHUNKS.length] }),
            // Too little for resident runs.
            ...(cut && i % 2 === 0 && { gpuMemoryBytes: 1 << 16 }),
          },
        ],
        { runs: 3, seed: 4 + i },
      ),
    );
}
