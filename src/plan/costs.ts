/**
 * Estimates the cost of sorting a chunk on a GPU with each algorithm. It is a sum of a few terms: an amount of work,
 * predicted from a sample, times the measured cost of a unit (costs-table.ts). Pure.
 */

import type { KeyForm } from '../engines/gpu/engine/fixed-keys/form.js';
import { keyWords } from '../engines/gpu/keys/key-sort.js';
import {
  DEEP_PASSES,
  DEEP_TIE_BYTES,
  DIGIT_BITS,
  KEY_BYTES,
  MERGE_TILE,
  SEGMENT_TILE,
  SHALLOW_TIE_BYTES,
  SPLIT_LEVELS,
  SPLIT_TILE,
} from '../engines/gpu/thresholds.js';
import { algorithmsOn, type GpuAlgorithm } from '../job/algorithm-table.js';
import { mergedPasses } from './displacement.js';
import type { SampleStatistics } from './statistics.js';
import { type Round, splitLevels, tieRounds } from './ties.js';

/** Milliseconds for each unit of each term, by algorithm; written by `npm run calibrate`. */
export interface CostTable {
  /** The adapter that was measured, and the date. */
  readonly machine: string;
  readonly date: string;
  readonly constants: { readonly [algorithm in GpuAlgorithm]?: Readonly<Record<string, number>> };
}

/** The known facts about a chunk. */
interface Workload {
  readonly sample: SampleStatistics;
  /** The number of records. */
  readonly records: number;
  /** Records of the whole input, over which the sample is spread; by default the same. */
  readonly total?: number;
}

/** Amounts of work by name, in millions of records, megabytes, or counts. */
type Terms = Readonly<Record<string, number>>;

const MILLION = 1e6;
/**
 * MSD radix sort: bytes of text that a round of refinement settles, and the number of tied records from which a round
 * is counted. Its costs were measured when it split ties itself; today radix-refine refines them.
 */
const SPLIT_BYTES = 5;
const SPLIT_TIES = 1 << 16;

const mergePasses = (records: number, tile = MERGE_TILE): number =>
  Math.max(0, Math.ceil(Math.log2(Math.max(1, records) / tile)));

/** Prefixes are sorted in tiles and merged pass by pass; then the ties are sorted the same way, round by round. */
function stringMerge({ sample, records }: Workload): Terms {
  const n = records / MILLION;
  const passes = mergePasses(records);
  const deep = passes <= DEEP_PASSES;
  const looks = deep ? DEEP_TIE_BYTES : SHALLOW_TIE_BYTES;
  // Keys begin where records do: the common prefix is not skipped.
  const whole = { ...sample, commonPrefix: 0 };
  const rounds = tieRounds(whole, records, (round) => Math.max(KEY_BYTES, looks[Math.min(round, looks.length - 1)]));
  // With few passes, merges settle ties themselves by reading the text of records with equal keys.
  const read = deep ? tieRounds(whole, records, (round) => (round === 0 ? KEY_BYTES : Infinity))[0] : undefined;
  const { share, sharedBytes } = read ?? { share: 0, sharedBytes: 0 };
  const reads = n * (1 + passes);
  return {
    start: 1,
    records: n,
    recordPasses: n * passes,
    textPasses: reads * share,
    textScattered: reads * share * sample.scatter,
    comparedBytes: reads * Math.min(sharedBytes, DEEP_TIE_BYTES[0]),
    refinement: rounds[0]?.chance ?? 0,
    rounds: sum(rounds, ({ chance }) => chance),
    roundPasses: sum(rounds, ({ share }) => mergePasses(share * records)),
  };
}

/** Sorts packed keys digit by digit, then refines groups of ties round by round. */
function radixRefine({ sample, records }: Workload): Terms {
  const rounds = tieRounds(sample, records, () => sample.keySymbols);
  return {
    start: 1,
    records: records / MILLION,
    rounds: sum(rounds, ({ chance }) => chance),
    tied: (records / MILLION) * sum(rounds, ({ share }) => share),
  };
}

/**
 * Sorts packed keys in tiles, merges neighboring lists only where they overlap, then refines. If the first level of
 * merges leaves work, that costs as much as a round.
 */
function locality(workload: Workload): Terms {
  const { sample, records, total = records } = workload;
  const common = radixRefine(workload);
  const levels = mergePasses(records, SEGMENT_TILE);
  const passes = mergedPasses(sample.displaced, records, total, SEGMENT_TILE);
  // The first level of merges also settles the borders of later levels if the windows at borders do not overlap.
  const left = passes > 0 || sample.displaced.displacement * total > SEGMENT_TILE / 4;
  return {
    ...common,
    textBytes: common.records * sample.keyedBytes,
    rounds: common.rounds + (left ? 1 : 0),
    levels: left ? levels : Math.min(1, levels),
    recordMerges: common.records * passes,
  };
}

/** Splits packed keys from the most significant digit on until buckets fit a tile; then refines ties round by round. */
function msdRadix({ sample, records }: Workload): Terms {
  const symbolBits = Math.max(1, Math.ceil(Math.log2(Math.max(1, sample.alphabet))));
  const symbols = Math.floor((8 * KEY_BYTES) / symbolBits);
  const keys = { tile: SPLIT_TILE, digitBits: DIGIT_BITS, symbolBits, symbols };
  const levels = splitLevels(sample, records, keys);
  const ahead = Math.max(1, Math.ceil(Math.log2(records / SPLIT_TILE) / DIGIT_BITS));
  const rounds = tieRounds(sample, records, (round) => (round === 0 ? symbols : SPLIT_BYTES));
  // A round of few ties is the last one. Its cost is small.
  const few = rounds.findIndex(({ share }) => share * records < SPLIT_TIES);
  return {
    start: 1,
    waits: levels === 0 ? 0 : 1 + Math.max(0, Math.ceil((levels - ahead) / SPLIT_LEVELS)),
    refinement: rounds[0]?.chance ?? 0,
    splitRounds: sum(few < 0 ? rounds : rounds.slice(0, few), ({ chance }) => chance),
  };
}

function sum(rounds: readonly Round[], value: (round: Round) => number): number {
  return rounds.reduce((total, round) => total + value(round), 0);
}

/** The terms of each algorithm that the planner may choose; `segmented` is not a choice. */
export const COST_TERMS: Readonly<Partial<Record<GpuAlgorithm, (workload: Workload) => Terms>>> = {
  'string-merge': stringMerge,
  'radix-refine': radixRefine,
  'msd-radix': msdRadix,
  locality,
};

export interface Estimate {
  readonly algorithm: GpuAlgorithm;
  /** Device time for one chunk. */
  readonly milliseconds: number;
}

/** Estimates for all algorithms in the table, in ascending order. */
export function estimates(workload: Workload, table: CostTable): Estimate[] {
  return algorithmsOn('gpu')
    .flatMap((algorithm) => {
      const constants = table.constants[algorithm];
      const terms = COST_TERMS[algorithm];
      if (constants === undefined || terms === undefined) return [];
      const milliseconds = Object.entries(terms(workload)).reduce(
        (sum, [term, amount]) => sum + amount * (constants[term] ?? 0),
        0,
      );
      return [{ algorithm, milliseconds }];
    })
    .sort((a, b) => a.milliseconds - b.milliseconds);
}

/** Milliseconds for a million records and a unit of work: for each record, each word of its key, and its value. */
interface UnitCost {
  readonly record: number;
  readonly word: number;
  readonly value: number;
}

/**
 * The unit is a byte of the key for `radix`, one level of merges for `locality`, otherwise a bit of the record count.
 * Source: the kernels' benchmark on an H200 (docs/plots/h200-kernels.json) with 2^27 uniform keys of one and two words,
 * with values and without. Fitted by least squares of relative errors, which are at most 10 %.
 */
const COSTS = {
  merge: { record: 0.0001, word: 0.0024, value: 0.0024 },
  radix: { record: 0.0067, word: 0.001, value: 0.0014 },
  quicksort: { record: 0, word: 0.0042, value: 0.0062 },
  locality: { record: 0, word: 0.006, value: 0.0087 },
} as const satisfies { readonly [algorithm in GpuAlgorithm]?: UnitCost };

/** Locality sort: units of work to sort tiles, besides merges; and milliseconds for each level that it submits. */
const TILE_UNITS = 2;
const LEVEL_MS = 0.088;

/** Estimates for all sorts of fixed records by keys of at most 128 bits, for one chunk, in ascending order. */
export function fixedKeyEstimates({ sample, records, total = records }: Workload, form: KeyForm): Estimate[] {
  const words = keyWords(form.spec);
  const levels = Math.max(0, Math.ceil(Math.log2(records / SEGMENT_TILE)));
  const merged = mergedPasses(sample.displaced, records, total, SEGMENT_TILE);
  const bits = Math.log2(Math.max(2, records));
  const units = {
    merge: bits,
    radix: Math.max(1, form.keyBytes - Math.min(sample.commonPrefix, form.keyBytes - 1)),
    quicksort: bits,
    locality: TILE_UNITS + merged,
  } as const;
  return Object.entries(COSTS)
    .map(([name, { record, word, value }]) => {
      const algorithm = name as keyof typeof COSTS;
      const unit = record + words * word + (form.spec.values ? value : 0);
      const submitted = algorithm === 'locality' && merged > 0 ? levels * LEVEL_MS : 0;
      return { algorithm, milliseconds: (records / MILLION) * unit * units[algorithm] + submitted };
    })
    .sort((a, b) => a.milliseconds - b.milliseconds);
}
