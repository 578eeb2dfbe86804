/**
 * LSD radix sort of fixed-size keys: 8 bits per pass, least significant digit first, stable. Each pass goes over the
 * keys in one sweep or in two (one-sweep.ts, two-sweeps.ts).
 */
import { submitPass } from '../../device/dispatch.js';
import { DIGIT_BITS } from '../../thresholds.js';
import { checkKeyCount, type KeySort, keyWords } from '../key-sort.js';
import { loadOneSweep, oneSweep } from './one-sweep.js';
import { decideSweep, RADIX_TUNING, type RadixSortTuning, scatterShape } from './shapes.js';
import { loadTwoSweeps, twoSweeps } from './two-sweeps.js';

export { RADIX_TUNING, type RadixSortTuning };

/** Keys moved per submission: less than a second or two on a small GPU, which may also have to draw. */
const SUBMISSION_KEYS = 2 ** 31;

/**
 * Passes over the lowest digits are submitted before the host knows which digits differ, so that the device does not
 * wait: two if they move fewer than AHEAD_KEYS keys, otherwise one. They are wasted only if these digits are the same
 * in all keys, which is rare. The answer takes the host about 0.5 ms, in which an H200 moves 2^25 keys in more than one
 * pass.
 */
const AHEAD_KEYS = 2 ** 26;
const aheadShifts = (count: number): readonly number[] => (count < AHEAD_KEYS ? [0, 8] : [0]);

/** A stable LSD radix sort, a pass per 8-bit digit in which keys differ. At most 2^30 keys; one sweep takes fewer. */
export function radixSort(tuning: RadixSortTuning = RADIX_TUNING): KeySort {
  return {
    load: (gpu, spec) => {
      const decided = decideSweep(gpu, tuning);
      return Promise.all([
        decided.sweep === 'one' ? loadOneSweep(gpu, spec) : loadTwoSweeps(gpu, spec),
        scatterShape(gpu, spec, decided).kernel.load(),
      ]);
    },
    sort: async (scratch, spec, from, spare, count) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      if (count < 2) return from;
      const decided = decideSweep(gpu, tuning);
      const shape = scatterShape(gpu, spec, decided);
      const passes = await (decided.sweep === 'one'
        ? oneSweep(scratch, spec, shape, count)
        : twoSweeps(scratch, spec, shape, count, tuning.blocks));
      let [source, target] = [from, spare];
      const submitPasses = (shifts: readonly number[]): void => {
        const atOnce = Math.max(1, Math.floor(SUBMISSION_KEYS / count));
        for (let first = 0; first < shifts.length; first += atOnce) {
          submitPass(gpu, 'sort', 'radix sort', (pass) => {
            for (const shift of shifts.slice(first, first + atOnce)) {
              passes.record(pass, source, target, shift);
              [source, target] = [target, source];
            }
          });
        }
      };
      // A recording cannot wait for the answer.
      const answer = passes.survey(from, count >= tuning.skipFrom && gpu.encoder === null);
      let differing = Array<number>(keyWords(spec)).fill(0xffffffff);
      if (answer !== null) {
        const ahead = count >= tuning.aheadFrom ? aheadShifts(count) : [];
        submitPasses(ahead);
        differing = await answer;
        for (const shift of ahead) differing[differing.length - 1] &= ~(0xff << shift);
      }
      submitPasses(digitShifts(differing));
      passes.end();
      return source;
    },
  };
}

/**
 * The lowest bits of the digits that cover all bits in which keys differ, in ascending order. `differing` are the words
 * of the codes, highest first (kernels/wgsl/keys/radix-sort/differing-bits.wgsl; one sweep reports all bits of the
 * digits that differ). A digit begins at any bit that differs: 8 scattered bits may take 8 passes, 20 adjacent ones
 * take 3.
 */
export function digitShifts(differing: readonly number[]): number[] {
  const bits = 32 * differing.length;
  const differs = (bit: number): boolean => ((differing[differing.length - 1 - (bit >> 5)] >>> (bit & 31)) & 1) === 1;
  const shifts: number[] = [];
  for (let bit = 0; bit < bits; bit++) {
    if (!differs(bit)) continue;
    // Near the highest bit a digit has fewer than 8 bits; that is fine.
    shifts.push(bit);
    bit += DIGIT_BITS - 1;
  }
  return shifts;
}
