/**
 * Chooses splitters among samples, each of which stands for a number of bytes: shared by partition.ts, for the runs of
 * one machine, and src/cluster/splitters.ts. (The splitters of src/keys/splitters.ts are keys, not records: all records
 * with one key go to one bucket.)
 */
import type { SampledRecord } from '../contract/engine.js';

/** Samples per range, of all runs together. */
export const SAMPLES_PER_RANGE = 24;
/** Maximum total bytes of the records of splitters, which are held at once. */
const SPLITTER_BYTES = 64 << 20;

/**
 * At most `count` of the samples, which are in order: the first at or after each of `before(0)`, `before(1)` ... bytes.
 */
export function chooseEvenly<T extends { readonly weight: number }>(
  samples: readonly T[],
  count: number,
  before: (number: number) => number,
): T[] {
  const chosen: T[] = [];
  let [passed, number] = [0, 0];
  for (const sample of samples) {
    passed += sample.weight;
    if (number === count || passed < before(number)) continue;
    chosen.push(sample);
    // One sample may stand for more than a range.
    while (number < count && passed >= before(number)) number++;
  }
  return chosen;
}

/**
 * All samples, or every second, fourth, ... to keep their records below SPLITTER_BYTES; but at least `least` of them,
 * if there are that many. The ranges between them are larger.
 */
export function fewBytes<T extends SampledRecord>(samples: readonly T[], least: 1 | 2): readonly T[] {
  const bytes = samples.reduce((sum, sample) => sum + sample.bytes, 0);
  if (bytes <= SPLITTER_BYTES || samples.length <= least) return samples;
  return fewBytes(
    samples.filter((_, i) => (i + least) % 2 === 0),
    least,
  );
}
