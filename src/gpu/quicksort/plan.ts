/**
 * How large quicksort's parts are for an input: a pure function of its size. Knows no device but the memory of a workgroup.
 */
import type { Gpu } from '../device/device.js';
import { keyWords, type KeySpec } from '../keys.js';

/** What can be chosen; sizes in keys. */
export interface QuicksortTuning {
  /** Keys that a workgroup sorts or partitions in its memory, a power of two from 64; else as many as fit. */
  readonly tile: number;
  /**
   * Phase one ends with about this many sequences; with `sections`, less than 65,535. Too few leave workgroups without work, too many
   * are more of phase one, which reads and writes memory at large.
   */
  readonly sequences: number;
  /** Workgroups that partition in phase one. */
  readonly sections: number;
  /** No longer sequence is left to one workgroup; or four times what sequences should have, if that is more. */
  readonly long: number;
  /** Elements of one launch of phase two, which shall end soon enough for a small GPU's watchdog. */
  readonly launchKeys: number;
  /** Levels of phase two after which a sequence is cut at the average of its first and last key, not at a median. */
  readonly deep: number;
}

export const TUNING: Omit<QuicksortTuning, 'tile'> = { sequences: 8192, sections: 2048, long: 1 << 16, launchKeys: 1 << 25, deep: 24 };

/** Largest tile, in keys and in bytes. On an H200 2^27 u32 keys take 19.4 ms with 2,048, 23.0 with 4,096; pairs 38.0 with 1,024, 40.6 with 2,048. */
const MAX_TILE = 2048;
const MAX_TILE_BYTES = 16 * 1024;
/** Workgroups that one dimension of a launch may have. */
const MAX_LAUNCH = 65535;
const MAX_THREADS = 256;
/** Elements of the tile a thread handles at least. */
const MIN_PER_THREAD = 4;
/** Bytes of workgroup memory besides: sums and the stack of phase two; and a key a thread. */
const OTHER_BYTES = 2048;
/** Partitioned elements a submission of phase one. */
const SUBMIT_KEYS = 2 ** 29;

export interface QuickTile { readonly tile: number; readonly threads: number }

/** The tile of a device, and threads for it; powers of two. */
export function quickTile(gpu: Pick<Gpu, 'workgroupBytes'>, spec: KeySpec, tuning: Partial<QuicksortTuning>): QuickTile {
  const keyBytes = 4 * keyWords(spec);
  const bytes = keyBytes + (spec.values ? 4 : 0);
  const threadsOf = (tile: number): number => Math.min(MAX_THREADS, tile / MIN_PER_THREAD);
  let tile = tuning.tile ?? MAX_TILE;
  if (tuning.tile === undefined) {
    while (tile * bytes > MAX_TILE_BYTES || tile * bytes + threadsOf(tile) * keyBytes + OTHER_BYTES > gpu.workgroupBytes) tile /= 2;
  }
  return { tile, threads: threadsOf(tile) };
}

export interface QuicksortPlan extends QuickTile {
  readonly count: number;
  /** Shorter sequences and ones of this length go to phase two. */
  readonly leastLength: number;
  readonly enough: number;
  readonly long: number;
  readonly sectionKeys: number;
  /** How long lists can become: sequences and sections of an iteration, pieces of phase two. */
  readonly maxSequences: number;
  readonly maxSections: number;
  readonly maxPieces: number;
  /** Launches of phase two, and pieces of each. */
  readonly launches: number;
  readonly launchPieces: number;
  /** Launches that have all pieces as a rule: of twice as many as there shall be sequences. */
  readonly expectedLaunches: number;
  /** Iterations to begin with, and more of them while sequences are left that are too long; there are none unless `mayBeLeft`. */
  readonly iterations: number;
  readonly moreIterations: number;
  readonly mayBeLeft: boolean;
  readonly iterationsPerSubmit: number;
}

/** What a sort of `count` keys, 2 or more, works with. */
export function planQuicksort({ tile, threads }: QuickTile, tuning: Partial<QuicksortTuning>, count: number): QuicksortPlan {
  const { sequences, sections, long: longTuned, launchKeys } = { ...TUNING, ...tuning };
  const leastLength = Math.max(tile, Math.ceil(count / sequences));
  const long = Math.max(longTuned, 4 * leastLength);
  const sectionKeys = tile * Math.ceil(count / sections / tile);
  const maxSequences = Math.max(1, Math.floor(count / leastLength));
  // Three more than halves would need; at their end empty launches, which cost little.
  const iterations = Math.ceil(Math.log2(maxSequences)) + 3;
  const moreIterations = 4;
  // At most: lists of sequences are 1, 2, 4 ... long, less than 2 * maxSequences in all but the last three iterations.
  const partitions = 5 * maxSequences;
  const launchPieces = Math.min(MAX_LAUNCH, Math.max(1, Math.floor(launchKeys / leastLength)));
  // Each partition leaves three parts; settled ones are listed in pieces of `long`.
  const maxPieces = count <= tile ? 1 : 3 * partitions + Math.ceil(count / long) + 1;
  return {
    tile, threads, count, leastLength, enough: sequences, long, sectionKeys, maxSequences, launchPieces, iterations, moreIterations,
    maxSections: Math.ceil(count / sectionKeys) + maxSequences,
    maxPieces,
    launches: Math.ceil(maxPieces / launchPieces),
    expectedLaunches: Math.ceil((2 * maxSequences) / launchPieces),
    mayBeLeft: count > long,
    iterationsPerSubmit: Math.max(1, Math.floor(SUBMIT_KEYS / count)),
  };
}
