/**
 * The words that follow a GPU sort's name in --algorithm, as the parameters of that sort. src/job/algorithm-table.ts
 * describes the words; the types here require a record for each.
 */
import type { Tuning, TuningOf } from '../../../job/algorithm-table.js';
import type { MergePathTuning } from '../keys/merge-path/tuning.js';
import type { MergeSortTuning } from '../keys/merge-sort/merge-sort.js';
import type { RadixSortTuning } from '../keys/radix-sort/radix-sort.js';
import type { TileMergeTuning } from '../keys/segmented-sort/tile-merges.js';
import type { SplitTuning } from '../strings/msd-radix/entries.js';
import { type OrderTuning, WINDOWS } from '../strings/string-merge/order.js';
import { DEEP_TIE_BYTES, DIGIT_BITS } from '../thresholds.js';

/** The parameters that each word of one algorithm sets. */
type TuningWords<Word extends Tuning, Parameters> = Readonly<Record<Word, Partial<Parameters>>>;

/** Parameters of merges, and the network of the block sort. */
type MergeParameters = MergePathTuning & Pick<MergeSortTuning, 'stableNetwork'>;

const MERGE: TuningWords<TuningOf<'merge'>, MergeParameters> = {
  'search-binary': { search: 'binary' },
  'search-wide': { search: 'wide' },
  'search-parts': { search: 'parts' },
  'merge-windows': { kernel: 'merge-windows' },
  'moving-windows': { kernel: 'moving-windows' },
  'stable-network': { stableNetwork: true },
};

const RADIX: TuningWords<TuningOf<'radix' | 'radix-refine'>, RadixSortTuning> = {
  'one-sweep': { sweep: 'one' },
  'two-sweeps': { sweep: 'two' },
  'no-subgroups': { subgroups: false },
};

const ORDER: TuningWords<TuningOf<'string-merge'>, OrderTuning> = {
  'prefix-4': { prefixBytes: 4 },
  'ties-in-merges': { tieBytes: DEEP_TIE_BYTES },
  'moving-windows': { windows: WINDOWS },
};

const SPLIT: TuningWords<TuningOf<'msd-radix' | 'msd-radix-hybrid'>, SplitTuning> = {
  'narrow-digits': { digitBits: DIGIT_BITS, wideDigitBits: null },
  'wide-digits': { wideDigitBits: 12 },
};

const LOCALITY: TuningWords<TuningOf<'locality'>, TileMergeTuning> = {
  'counted-jobs': { sharing: 'counted' },
};

/** The parameters that the words of one algorithm set together; empty without words. */
function parameters<Word extends Tuning, Parameters>(
  table: TuningWords<Word, Parameters>,
  words: readonly Tuning[],
): Partial<Parameters> {
  return Object.assign({}, ...words.map((word) => table[word as Word]));
}

export const mergeParameters = (words: readonly Tuning[]): Partial<MergeParameters> => parameters(MERGE, words);
export const radixParameters = (words: readonly Tuning[]): Partial<RadixSortTuning> => parameters(RADIX, words);
export const orderParameters = (words: readonly Tuning[]): Partial<OrderTuning> => parameters(ORDER, words);
export const splitParameters = (words: readonly Tuning[]): Partial<SplitTuning> => parameters(SPLIT, words);
export const localityParameters = (words: readonly Tuning[]): TileMergeTuning => parameters(LOCALITY, words);
