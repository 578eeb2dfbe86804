/**
 * What sorting a chunk costs on a GPU, algorithm by algorithm: a sum of few terms, each an amount of work that a sample tells times what
 * a unit of it was measured to take (costs-table.ts). Pure.
 */
import { GPU_ALGORITHMS, type GpuAlgorithm } from '../job.js';
import { COST_TABLE } from './costs-table.js';
import { tieRounds, type Sample } from './sample.js';

/** Milliseconds a unit of each term, by algorithm; written by `npm run calibrate`. */
export interface CostTable {
  /** The adapter measured on, and the day. */
  readonly machine: string;
  readonly date: string;
  readonly constants: { readonly [algorithm in GpuAlgorithm]?: Readonly<Record<string, number>> };
}

/** A chunk as far as it is known. */
export interface Workload {
  readonly sample: Sample;
  /** How many such records. */
  readonly records: number;
}

/** Amounts of work by name; the units are millions of records, megabytes, and pieces. */
export type Terms = Readonly<Record<string, number>>;

const MILLION = 1e6;
/** Entries sorted in workgroup memory before merges begin: as src/gpu/merge-path.ts has it. */
const TILE = 1024;
/** How far the string merge sort compares: in the sort itself, then in each round of refinement (src/gpu/order.ts). */
const SHALLOW_LOOKS = [8, 8, 16, 32, 64, 256];
const DEEP_LOOKS = [256];
const DEEP_PASSES = 6;
const KEY_BYTES = 8;
const RADIX_BITS = 8;

const mergePasses = (records: number): number => Math.max(0, Math.ceil(Math.log2(Math.max(1, records) / TILE)));

/** Prefixes sorted tile by tile and merged, pass by pass; then the same with all that is tied, round by round. */
function stringMerge({ sample, records }: Workload): Terms {
  const n = records / MILLION;
  const passes = mergePasses(records);
  const deep = passes <= DEEP_PASSES;
  const looks = deep ? DEEP_LOOKS : SHALLOW_LOOKS;
  // Keys begin where records do.
  const whole = { ...sample, commonPrefix: 0 };
  const ties = tieRounds(whole, records, (round) => looks[Math.min(round, looks.length - 1)]!);
  // Few passes settle ties themselves: each reads the text of those that keys leave.
  const read = deep ? tieRounds(whole, records, (round) => (round === 0 ? KEY_BYTES : Infinity)) : null;
  return {
    start: 1,
    records: n,
    recordPasses: n * passes,
    textPasses: n * (read?.tied ?? 0) * (1 + passes),
    comparedBytes: n * Math.min(read?.sharedBytes ?? 0, DEEP_LOOKS[0]!) * (1 + passes),
    rounds: ties.rounds,
    roundPasses: ties.shares.reduce((sum, share) => sum + mergePasses(share * records), 0),
    tied: n * ties.tied,
    tiedPasses: ties.shares.reduce((sum, share) => sum + n * share * mergePasses(share * records), 0),
    tiedScattered: n * ties.tied * sample.scatter,
    sharedBytes: n * ties.sharedBytes,
  };
}

/** A survey of the text, packed keys sorted digit by digit, groups of ties sorted each by itself, round by round. */
function radixRefine({ sample, records }: Workload): Terms {
  const n = records / MILLION;
  const ties = tieRounds(sample, records, () => sample.keySymbols);
  return {
    start: 1,
    textBytes: n * sample.recordBytes,
    records: n,
    digits: Math.ceil(sample.differingSymbols * sample.symbolBits / RADIX_BITS),
    recordDigits: n * Math.ceil(sample.differingSymbols * sample.symbolBits / RADIX_BITS),
    rounds: ties.rounds,
    tied: n * ties.tied,
    tiedGrouped: n * ties.grouped,
    tiedScattered: n * ties.tied * sample.scatter,
    sharedBytes: n * ties.sharedBytes,
  };
}

/** The terms of each algorithm that the planner may choose. */
export const COST_TERMS: Readonly<Record<GpuAlgorithm, (workload: Workload) => Terms>> = {
  'string-merge': stringMerge,
  'radix-refine': radixRefine,
};

export interface Estimate {
  readonly algorithm: GpuAlgorithm;
  /** Of the device, for one chunk. */
  readonly milliseconds: number;
}

/** The estimate of each algorithm that the table knows, the least first. */
export function estimates(workload: Workload, table: CostTable = COST_TABLE): Estimate[] {
  return GPU_ALGORITHMS.flatMap((algorithm) => {
    const constants = table.constants[algorithm];
    if (constants === undefined) return [];
    const milliseconds = Object.entries(COST_TERMS[algorithm](workload)).reduce((sum, [term, amount]) => sum + amount * (constants[term] ?? 0), 0);
    return [{ algorithm, milliseconds }];
  }).sort((a, b) => a.milliseconds - b.milliseconds);
}
