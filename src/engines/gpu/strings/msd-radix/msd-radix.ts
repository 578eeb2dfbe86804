/**
 * The MSD radix sort of strings: radix-refine (../radix-refine/) whose first sort splits packed keys digit by digit,
 * most significant first (entries.ts). The first digit is counted while keys are packed. Aleksandr Drozd, Satoshi
 * Matsuoka: MSD Radix String Sort on GPU: Longer Keys, Shorter Alphabets; ../../hybrid/ is their hybrid, in which the
 * host sorts the remainder.
 */
import type { Gpu } from '../../device/device.js';
import { type BufferBinding, bind } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { KeyArrays } from '../../keys/key-sort.js';
import {
  countersBytes,
  firstCounters,
  loadSplit,
  SHORT_BITS,
  SPLIT_TUNING,
  type SplitTuning,
  savesLevel,
  splitEntries,
  splitKernels,
} from './entries.js';

/** A sort of packed keys and record numbers that needs the first digit counted while keys are packed. */
export interface SplitSort {
  /** The widths that the first digit may have, in bits. */
  digitBits(gpu: Gpu): readonly number[];
  load(gpu: Gpu): Promise<unknown>;
  openSplits(scratch: Scratch, count: number): Promise<Splits>;
}

/** Bits of the first digit: `wide` if symbols take at most `short` bits, else `narrow`. */
export interface FirstDigit {
  readonly narrow: number;
  readonly wide: number;
  readonly short: number;
}

/** One such sort of a known number of keys. */
export interface Splits {
  readonly firstDigit: FirstDigit;
  /** As for SplitSort, for this number of keys. */
  readonly digitBits: readonly number[];
  /** The code that packs the keys clears these counters and counts the first digit in them. */
  readonly counters: BufferBinding;
  /**
   * Sorts `from` by key and number; `spare` is overwritten. Resolves to whether there may be equal keys whose records
   * continue. Waits for the device.
   */
  sort(from: KeyArrays, spare: KeyArrays, packing: GPUBuffer): Promise<{ unresolved: boolean }>;
}

export function msdRadix(given: Partial<SplitTuning> = {}): SplitSort {
  const tuning = { ...SPLIT_TUNING, ...given };
  return {
    digitBits: (gpu) => {
      const { digit, wide } = splitKernels(gpu, tuning);
      return wide === null ? [digit.bits] : [digit.bits, wide.bits];
    },
    load: (gpu) => loadSplit(splitKernels(gpu, tuning)),
    openSplits: async (scratch, count) => {
      const kernels = splitKernels(scratch.gpu, tuning);
      const { digit } = kernels;
      const wide = savesLevel(kernels, count) ? kernels.wide : null;
      const counters = await scratch.take(countersBytes(kernels, count), 'bucket counters');
      return {
        firstDigit: { narrow: digit.bits, wide: wide?.bits ?? 0, short: wide === null ? 0 : SHORT_BITS },
        digitBits: wide === null ? [digit.bits] : [digit.bits, wide.bits],
        counters: bind(counters, 4 * firstCounters(kernels)),
        sort: async (from, spare, packing) => {
          const sorted = await splitEntries(scratch, kernels, from, spare, {
            count,
            packing,
            counters,
            symbolBits: null,
          });
          scratch.drop(counters);
          return sorted;
        },
      };
    },
  };
}
