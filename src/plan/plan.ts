/** The planner's decisions, as data: for both engines, and for each of them. Engines carry out their plan. */
import type { CountingLimits } from '../contract/engine.js';
import type { Algorithm, COLLATED_ALGORITHM, Tuning } from '../job/algorithm-table.js';
import type { FormatName, Limit, PlannedJob } from '../job/job.js';
import type { DistributionLimits, Splitters } from '../keys/splitters.js';
import type { WindowSizes } from '../runs/fan-in.js';
import type { Estimate } from './costs.js';
import type { InputFacts, MachineFacts } from './facts.js';

interface CommonPlan {
  readonly algorithm: Exclude<Algorithm, 'auto'> | typeof COLLATED_ALGORITHM;
  /** The records wanted from the whole input, at least one; null: all. */
  readonly limit: Limit | null;
  /** The maximum bytes of text sorted at once, without keys. */
  readonly chunkBytes: number;
  /** Bytes of text merged at once. */
  readonly rangeBytes: number;
  /** Threads, besides the main one, that sort or, with a GPU, make the keys that it does not make. */
  readonly workers: number;
  /** The maximum bytes of runs in the engine's memory; null: as much as the device grants. */
  readonly residentBytes: number | null;
  readonly windows: WindowSizes;
  /** Whether to keep V8's heap small because memory is small. */
  readonly smallHeap: boolean;
  /** Bytes of runs kept in host memory outside the engine before runs go to temporary files. */
  readonly hostBytes: number;
  readonly reasons: readonly string[];
}

export interface CpuPlan extends CommonPlan {
  readonly engine: 'cpu';
  /**
   * The number of buckets under `sample-sort`, or the planned number until withSplitters gets a sample;
   * 0: merge sorted chunks.
   */
  readonly buckets: number;
  /** The splitters that distribute chunks; null: sort and merge chunks. */
  readonly splitters: Splitters | null;
  /** How much of the input is distributed; later chunks are sorted. Null: nothing is distributed. */
  readonly distributed: DistributionLimits | null;
  /** Equal records are counted as they are read. Null: all records are sorted. */
  readonly counting: CountingLimits | null;
  /**
   * Bytes of the first chunks of inputs that are read sequentially, which grow as more is read; null: all chunks are of
   * the same size.
   */
  readonly firstChunkBytes: number | null;
  /** Whether the main thread sorts too. */
  readonly helps: boolean;
  /**
   * BAM is sorted as it is (src/run/sort-bam.ts); the rest of the plan applies if that turns out to be impossible.
   * Null: BAM is not sorted as it is.
   */
  readonly bam: CpuBamPlan | null;
}

interface CpuBamPlan {
  readonly reasons: readonly string[];
  /** Bytes that text and the threads' memory may take together. */
  readonly memoryBytes: number;
}

export interface GpuPlan extends CommonPlan {
  readonly engine: 'gpu';
  /** Tunings of the algorithm, as requested. */
  readonly tunings: readonly Tuning[];
  /** The estimated time of each algorithm for a chunk, ascending; empty without a sample. */
  readonly estimates: readonly Estimate[];
  /** Bytes of memory given to the input at once. */
  readonly pieceBytes: number;
  /** The maximum bytes of text with keys sorted or merged at once. */
  readonly mergeBytes: number;
  /** The maximum number of records sorted at once; null: unbounded. */
  readonly mostRecords: number | null;
  /** Whether the GPU makes the keys of lines, if they have keys. */
  readonly deviceKeys: boolean;
  /** How the GPU inflates inputs of BGZF; null: the host inflates them. */
  readonly inflates: InflatePlan | null;
  /** The level at which the GPU compresses output to BGZF; null: the host compresses it. */
  readonly deflateLevel: number | null;
  /**
   * BAM is sorted on the GPU as it is, or SAM as BAM (src/run/sort-bam.ts); the rest of the plan applies if that turns
   * out to be impossible. Null: BAM is not sorted as it is.
   */
  readonly bam: GpuBamPlan | null;
}

interface InflatePlan {
  /** The format of the text, from which the GPU makes records; null: it has none. */
  readonly source: FormatName | null;
  /** Bytes of text that the GPU must inflate in a second. */
  readonly leastRate: number;
  /** Bytes of host memory for what is kept of pipes. */
  readonly memoryBytes: number;
}

/** The format that becomes sorted BAM. */
export type BamSource = 'bam' | 'sam';

interface GpuBamPlan {
  readonly source: BamSource;
  readonly reasons: readonly string[];
  /** Bytes of text that the GPU must inflate in a second; SAM is not inflated. */
  readonly leastRate: number;
  /** Bytes of host memory for what is kept of pipes. */
  readonly memoryBytes: number;
}

export type Plan = CpuPlan | GpuPlan;

/** The facts from which the plan of an engine is made. */
export interface Basis {
  readonly job: PlannedJob;
  readonly machine: MachineFacts;
  /** Bytes that the sort may take. */
  readonly memory: number;
  readonly input: InputFacts;
}
