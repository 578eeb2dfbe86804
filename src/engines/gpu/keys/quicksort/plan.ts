/**
 * The sizes of quicksort's parts: a pure function of the input's size, the key type and the workgroup memory.
 */
import type { Gpu } from '../../device/device.js';
import { type FixedKeySpec, keyWords } from '../key-sort.js';

/** Tuning parameters; sizes are in keys. */
export interface QuicksortTuning {
  /** Keys that a workgroup sorts or partitions in its memory, a power of two from 64. Default: as many as fit. */
  readonly tile: number;
  /**
   * Approximate number of sequences at which phase one ends. Plus `sections` it must be below 65,535. With too few,
   * workgroups are idle; with too many, phase one takes longer, and it reads and writes device memory. On an H200 a
   * sort of 2^27 u32 keys takes 15.0 ms, with half as many 15.4, with 2,048 sections 15.5.
   */
  readonly sequences: number;
  /** Workgroups that partition in phase one. */
  readonly sections: number;
  /** Maximum length of a sequence left to one workgroup; or four times the planned length, if that is more. */
  readonly long: number;
  /** Keys per dispatch of phase two, few enough for a small GPU's watchdog. */
  readonly launchKeys: number;
  /** Levels of phase two after which a sequence is split at the average of its extreme keys, not at a median. */
  readonly deep: number;
}

export const QUICKSORT_TUNING: Omit<QuicksortTuning, 'tile'> = {
  sequences: 16384,
  sections: 8192,
  long: 1 << 16,
  launchKeys: 1 << 25,
  deep: 24,
};

/**
 * Largest tile, in keys and in bytes. On an H200 2^27 u32 keys take 15.7 ms with 2,048, 16.9 with 1,024, 19.3 with
 * 4,096; pairs take 38.0 with 1,024, 40.6 with 2,048.
 */
const MAX_TILE = 2048;
const MAX_TILE_BYTES = 16 * 1024;
/** Maximum workgroups in one dimension of a dispatch. */
const MAX_LAUNCH = 65535;
const MAX_THREADS = 256;
/** Minimum keys of a tile per thread. */
const MIN_PER_THREAD = 4;
/** Bytes of other workgroup memory: sums and the stack of phase two. There is also a key per thread. */
const OTHER_BYTES = 2048;
/** Maximum keys partitioned per submission of phase one. */
const SUBMIT_KEYS = 2 ** 29;

export interface QuickTile {
  readonly tile: number;
  readonly threads: number;
}

/** The tile size of a device and its threads; both are powers of two. */
export function quickTile(
  gpu: Pick<Gpu, 'workgroupBytes'>,
  spec: FixedKeySpec,
  tuning: Partial<QuicksortTuning>,
): QuickTile {
  const keyBytes = 4 * keyWords(spec);
  const bytes = keyBytes + (spec.values ? 4 : 0);
  const threadsOf = (tile: number): number => Math.min(MAX_THREADS, tile / MIN_PER_THREAD);
  let tile = tuning.tile ?? MAX_TILE;
  if (tuning.tile === undefined) {
    while (
      tile * bytes > MAX_TILE_BYTES ||
      tile * bytes + threadsOf(tile) * keyBytes + OTHER_BYTES > gpu.workgroupBytes
    )
      tile /= 2;
  }
  return { tile, threads: threadsOf(tile) };
}

export interface QuicksortPlan extends QuickTile {
  readonly count: number;
  /** Sequences of at most this length go to phase two. */
  readonly leastLength: number;
  readonly enough: number;
  readonly long: number;
  readonly sectionKeys: number;
  /** Maximum lengths of lists: sequences and sections of an iteration, pieces of phase two. */
  readonly maxSequences: number;
  readonly maxSections: number;
  readonly maxPieces: number;
  /** Dispatches of phase two, and pieces of each. */
  readonly launches: number;
  readonly launchPieces: number;
  /** Dispatches that usually cover all pieces: twice as many pieces as the planned number of sequences. */
  readonly expectedLaunches: number;
  /**
   * Iterations of the first round, and of each further round while sequences are left that are too long. Further rounds
   * occur only if `mayBeLeft`.
   */
  readonly iterations: number;
  readonly moreIterations: number;
  readonly mayBeLeft: boolean;
  readonly iterationsPerSubmit: number;
}

/** The plan for a sort of `count` keys, at least 2. */
export function planQuicksort(
  { tile, threads }: QuickTile,
  tuning: Partial<QuicksortTuning>,
  count: number,
): QuicksortPlan {
  const { sequences, sections, long: longTuned, launchKeys } = { ...QUICKSORT_TUNING, ...tuning };
  const leastLength = Math.max(tile, Math.ceil(count / sequences));
  const long = Math.max(longTuned, 4 * leastLength);
  const sectionKeys = tile * Math.ceil(count / sections / tile);
  const maxSequences = Math.max(1, Math.floor(count / leastLength));
  // Three more than halving would need. Surplus iterations are empty dispatches, which cost little.
  const iterations = Math.ceil(Math.log2(maxSequences)) + 3;
  const moreIterations = 4;
  // An upper bound: iterations have 1, 2, 4 ... sequences, fewer than 2 * maxSequences in all but the last three.
  const partitions = 5 * maxSequences;
  const launchPieces = Math.min(MAX_LAUNCH, Math.max(1, Math.floor(launchKeys / leastLength)));
  // Each partition leaves three parts; settled ones are listed in pieces of `long`.
  const maxPieces = count <= tile ? 1 : 3 * partitions + Math.ceil(count / long) + 1;
  return {
    tile,
    threads,
    count,
    leastLength,
    enough: sequences,
    long,
    sectionKeys,
    maxSequences,
    launchPieces,
    iterations,
    moreIterations,
    maxSections: Math.ceil(count / sectionKeys) + maxSequences,
    maxPieces,
    launches: Math.ceil(maxPieces / launchPieces),
    expectedLaunches: Math.ceil((2 * maxSequences) / launchPieces),
    mayBeLeft: count > long,
    iterationsPerSubmit: Math.max(1, Math.floor(SUBMIT_KEYS / count)),
  };
}
