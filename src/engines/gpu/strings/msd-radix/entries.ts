/**
 * MSD radix sort of entries on the device: a 64-bit key of packed symbols, and a record number. Many workgroups split a
 * big bucket together, one workgroup splits a middle bucket, and buckets that fit a tile are finished in workgroup
 * memory. Knows nothing of text. Aleksandr Drozd, Satoshi Matsuoka: MSD Radix String Sort on GPU: Longer Keys, Shorter
 * Alphabets.
 */

import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import {
  type Bindings,
  type BufferBinding,
  bind,
  Kernel,
  loadKernels,
  readBack,
  readWords,
  submitPass,
} from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { KeyArrays } from '../../keys/key-sort.js';
import { DIGIT_BITS, SPLIT_LEVELS, SPLIT_TILE } from '../../thresholds.js';

/** Parameters that affect speed but not results. */
export interface SplitTuning {
  /**
   * Entries per workgroup: a power of two from 64 to 2,048, 14 to 15 bytes each; null: as many as the device allows.
   */
  readonly tile: number | null;
  /** Bits of a digit, 4 to 10. A digit can cover several packed symbols. */
  readonly digitBits: number;
  /**
   * Bits of the first digit, up to 12, of short alphabets (the paper's six nucleotides), if the device has enough
   * workgroup memory and the buckets then fit tiles (savesLevel). Null: like all digits, which is faster: with 12 bits
   * the kernels take 4, 23 and 8 % longer on an H200 (2^20, 2^21 and 2^22 strings of DNA, 22 November 2026). A tile
   * then has half as many entries as there are digits, so almost every entry needs a global counter and a place of its
   * own. The level that this saves reads and writes runs of entries.
   */
  readonly wideDigitBits: number | null;
  /** Maximum size, in tiles, of a bucket that one workgroup splits. */
  readonly middleTiles: number;
}

/** One workgroup splits 8 tiles in a few microseconds. With larger buckets the device would wait for the last one. */
export const SPLIT_TUNING: SplitTuning = { tile: null, digitBits: DIGIT_BITS, wideDigitBits: null, middleTiles: 8 };

/** The kernels, and the sizes that they are compiled for. */
export interface SplitKernels {
  readonly tile: number;
  readonly mostMiddle: number;
  readonly digit: Digit;
  /** A wide first digit; null: there is none. */
  readonly wide: Digit | null;
  readonly split: Kernel;
  readonly finish: Kernel;
}

/** A width of digits. */
interface Digit {
  readonly bits: number;
  readonly bins: number;
  /** Constants of kernels that work with it. */
  readonly constants: KernelConstants;
  /** The kernels that split big buckets. */
  readonly bigs: ReturnType<typeof bigKernels>;
}

function bigKernels(gpu: Gpu, constants: KernelConstants) {
  return {
    root: new Kernel(gpu, 'strings/msd-radix/root', constants),
    count: new Kernel(gpu, 'strings/msd-radix/count', constants),
    offsets: new Kernel(gpu, 'strings/msd-radix/offsets', constants),
    move: new Kernel(gpu, 'strings/msd-radix/move', constants),
  };
}

function digitOf(gpu: Gpu, tile: number, bits: number): Digit {
  const constants = { consts: { TILE: tile, DIGIT_BITS: bits } };
  return { bits, bins: 2 ** bits, constants, bigs: bigKernels(gpu, constants) };
}

/** Maximum bits of a symbol for wide digits: 8 symbols, such as ACGTN and an end. */
export const SHORT_BITS = 3;
const LARGE_TILE_BYTES = 32768;
/**
 * The words of the state that are copied from a packing (items.wgsl, radix-refine/packing.wgsl): the bits of the first
 * digit, and which keys contain the ends of their records.
 */
const UNRESOLVED = 1;
const STATE_PACKED = 2;
const PACKING_SPLIT = 3;
const PACKED_WORDS = 3;
const STATE_HEAD = 8;
/**
 * An upper bound: keys and numbers have 96 bits in all, and a level consumes a digit of at least 4 bits. Before each
 * digit one more level may have to find the first bit that differs.
 */
const LEVELS = 60;
const STATE_WORDS = STATE_HEAD + 4 * (LEVELS + 1);

export function splitKernels(gpu: Gpu, tuning: SplitTuning): SplitKernels {
  const tile = tuning.tile ?? (gpu.workgroupBytes >= LARGE_TILE_BYTES ? SPLIT_TILE : SPLIT_TILE / 2);
  const wideBits = tuning.wideDigitBits;
  const hasWide =
    wideBits !== null && wideBits > tuning.digitBits && wideBytes(tile, 2 ** wideBits) <= gpu.workgroupBytes;
  const digit = digitOf(gpu, tile, tuning.digitBits);
  return {
    tile,
    mostMiddle: tuning.middleTiles * tile,
    digit,
    wide: hasWide ? digitOf(gpu, tile, wideBits) : null,
    split: new Kernel(gpu, 'strings/msd-radix/split', digit.constants),
    // Two entries per digit: few digits have many entries, and the counters take an eighth of the memory.
    finish: new Kernel(gpu, 'strings/msd-radix/finish', { consts: { TILE: tile, DIGIT_BITS: Math.log2(tile / 2) } }),
  };
}

export function loadSplit({ digit, wide, split, finish }: SplitKernels): Promise<unknown> {
  return Promise.all([
    loadKernels({ ...digit.bigs, split }),
    wide === null ? null : loadKernels(wide.bigs),
    finish.load(),
  ]);
}

/** Bytes of workgroup memory for wide digits: the counters and a tile (move.wgsl), or the counters and lists. */
function wideBytes(tile: number, bins: number): number {
  const sums = tile / 2;
  return 4 * bins + sums + Math.max(12 * tile, 2 * bins + bins / 8) + 256;
}

/**
 * Whether a wide first digit of a short alphabet saves a level: its buckets fit tiles, and those of a usual digit do
 * not.
 */
export function savesLevel({ tile, mostMiddle, digit, wide }: SplitKernels, count: number): boolean {
  return wide !== null && count > Math.max(mostMiddle, tile * digit.bins) && 2 * count <= tile * wide.bins;
}

/** Bytes of the bucket counters of one level. The code that makes the entries may fill those of level 0. */
export function countersBytes(kernels: SplitKernels, count: number): number {
  return 4 * Math.max((mostBigs(kernels, count) + 1) * (kernels.digit.bins + 3), firstCounters(kernels));
}

/** Words of the counters of the first bucket. */
export function firstCounters({ digit, wide }: SplitKernels): number {
  return (wide ?? digit).bins + 3;
}

function mostBigs(kernels: SplitKernels, count: number): number {
  return Math.max(1, Math.floor(count / Math.max(kernels.mostMiddle, kernels.tile)));
}

interface SplitOptions {
  readonly count: number;
  /** How keys are packed (radix-refine/packing.wgsl); null: the caller need not know whether records are tied. */
  readonly packing: GPUBuffer | null;
  /** Counters (countersBytes) that already contain the first digit, as wide as `packing` says; null: not counted. */
  readonly counters: GPUBuffer | null;
  /** Bits of a symbol, by which the host chooses the width of a first digit that is not counted. */
  readonly symbolBits: number | null;
}

/**
 * Sorts the first `count` entries of `from` (at least 1) by key and number; `other` is as large, and its contents are
 * lost. Resolves to whether there may be equal keys whose records continue. Waits for the device once or a few times.
 */
export async function splitEntries(
  scratch: Scratch,
  kernels: SplitKernels,
  from: KeyArrays,
  other: KeyArrays,
  options: SplitOptions,
): Promise<{ unresolved: boolean }> {
  const { count } = options;
  const { tile, digit } = kernels;
  const split = await startSplit(scratch, kernels, from, other, options);
  let left = { shape: rootShape(kernels, count), ranges: count <= tile ? 1 : 0 };
  let level = 0;
  // As many levels as evenly distributed digits need. After that, the host asks every few levels what is left.
  let batch = Math.max(1, Math.ceil(Math.log2(count / tile) / digit.bits));
  do {
    const levels = Math.min(batch, LEVELS - level);
    if (levels === 0) throw new Error('the MSD radix sort does not come to its end');
    submitLevels(split, level, levels, left.shape);
    level += levels;
    if (count > tile) left = await readState(split, level);
    batch = SPLIT_LEVELS;
  } while (left.shape.bigs + left.shape.middles > 0);
  submitFinish(split, left.ranges);
  const unresolved =
    options.packing !== null &&
    (await readWords(scratch.gpu, [{ buffer: split.state.buffer, at: UNRESOLVED }]))[0] !== 0;
  for (const buffer of split.held) scratch.drop(buffer);
  return { unresolved };
}

/** A sort of entries, as its kernels see it. */
interface Split {
  readonly gpu: Gpu;
  readonly kernels: SplitKernels;
  readonly options: SplitOptions;
  readonly entries: Bindings;
  /** The lists of even levels, and of odd ones. */
  readonly lists: readonly [LevelLists, LevelLists];
  readonly ranges: BufferBinding;
  readonly state: BufferBinding;
  /** The digits of the first level. If there are two, the device has chosen one: kernels of the other do nothing. */
  readonly firstDigits: readonly Digit[];
  /** The buffers to return at the end. */
  readonly held: readonly GPUBuffer[];
}

/** The lists of one level. */
interface LevelLists {
  readonly bigs: BufferBinding;
  readonly tiles: BufferBinding;
  readonly middles: BufferBinding;
  readonly counters: BufferBinding;
}

/** Numbers of workgroups for the kernels of a level. */
interface LevelShape {
  readonly bigs: number;
  readonly tiles: number;
  readonly middles: number;
}

/** Takes the buffers of a sort. */
async function startSplit(
  scratch: Scratch,
  kernels: SplitKernels,
  from: KeyArrays,
  other: KeyArrays,
  options: SplitOptions,
): Promise<Split> {
  const { count, counters } = options;
  const held: GPUBuffer[] = [];
  const take = async (bytes: number, label: string): Promise<BufferBinding> => {
    const buffer = await scratch.take(bytes, label);
    held.push(buffer);
    return bind(buffer, bytes);
  };
  const most = mostShape(kernels, count);
  const counterBytes = countersBytes(kernels, count);
  const takeLists = async (counters: GPUBuffer | null): Promise<LevelLists> => ({
    bigs: await take(most.bigs * 16, 'buckets'),
    tiles: await take(most.tiles * 8, 'bucket tiles'),
    middles: await take(most.middles * 16, 'middle buckets'),
    counters: counters === null ? await take(counterBytes, 'bucket counters') : bind(counters, counterBytes),
  });
  return {
    gpu: scratch.gpu,
    kernels,
    options,
    entries: {
      keys_a: bind(from.keys, count * 8),
      tags_a: bind(from.values!, count * 4),
      keys_b: bind(other.keys, count * 8),
      tags_b: bind(other.values!, count * 4),
    },
    lists: [await takeLists(counters), await takeLists(null)],
    state: await take(STATE_WORDS * 4, 'split state'),
    ranges: await take(rangeBound(kernels, count) * 16, 'ranges'),
    firstDigits: firstDigitsOf(kernels, options),
    held,
  };
}

/** If the keys are counted, the device has chosen the width of the first digit; otherwise the host knows it. */
function firstDigitsOf(kernels: SplitKernels, { count, counters, symbolBits }: SplitOptions): readonly Digit[] {
  const { digit, wide } = kernels;
  if (wide === null || !savesLevel(kernels, count)) return [digit];
  if (counters !== null) return [digit, wide];
  return [(symbolBits ?? Infinity) <= SHORT_BITS ? wide : digit];
}

/** The maximum entries of each list of a level. */
function mostShape(kernels: SplitKernels, count: number): LevelShape {
  const bigs = mostBigs(kernels, count);
  return { bigs, tiles: Math.ceil(count / kernels.tile) + bigs, middles: Math.floor(count / kernels.tile) + 1 };
}

/** The workgroups of a level whose buckets the host does not know. */
function boundShape(kernels: SplitKernels, count: number): LevelShape {
  const { bigs, tiles, middles } = mostShape(kernels, count);
  const hasBigs = count > kernels.mostMiddle;
  return { bigs: hasBigs ? bigs : 0, tiles: hasBigs ? tiles : 0, middles: count > kernels.tile ? middles : 0 };
}

/** The workgroups of the first level, whose only bucket holds all entries. */
function rootShape({ tile, mostMiddle }: SplitKernels, count: number): LevelShape {
  const isBig = count > mostMiddle;
  return {
    bigs: isBig ? 1 : 0,
    tiles: isBig ? Math.ceil(count / tile) : 0,
    middles: count > tile && !isBig ? 1 : 0,
  };
}

/** Submits `levels` levels from number `first` on. The first of them has the buckets of `shape`. */
function submitLevels(split: Split, first: number, levels: number, shape: LevelShape): void {
  const { gpu, kernels, state, options } = split;
  const bound = boundShape(kernels, options.count);
  submitPass(
    gpu,
    'sort',
    'MSD radix',
    (pass) => {
      if (first === 0) encodeRoot(split, pass);
      for (let l = 0; l < levels; l++) encodeLevel(split, pass, first + l, l === 0 ? shape : bound);
    },
    (encoder) => {
      if (first !== 0) return;
      encoder.clearBuffer(state.buffer, 0, STATE_WORDS * 4);
      const { packing } = options;
      if (packing !== null)
        encoder.copyBufferToBuffer(packing, 4 * PACKING_SPLIT, state.buffer, 4 * STATE_PACKED, 4 * PACKED_WORDS);
    },
  );
}

/** Encodes the listing of all entries as the first bucket. */
function encodeRoot({ kernels, options, lists, ranges, state, firstDigits }: Split, pass: GPUComputePassEncoder): void {
  firstDigits[0].bigs.root.dispatch(
    pass,
    { state, ...lists[0], ranges },
    { n: options.count, most_middle: kernels.mostMiddle, counted: options.counters === null ? 0 : 1 },
    1,
  );
}

function encodeLevel(split: Split, pass: GPUComputePassEncoder, level: number, shape: LevelShape): void {
  const { kernels, entries, ranges, state, firstDigits } = split;
  const [now, next] = listsOf(split, level);
  for (const digit of level === 0 ? firstDigits : [kernels.digit]) encodeBigs(split, pass, level, shape, digit);
  kernels.split.dispatch(
    pass,
    { ...entries, middles: now.middles, next_middles: next.middles, ranges, state },
    { level },
    shape.middles,
  );
}

/** Encodes the splitting of the big buckets of a level. */
function encodeBigs(
  split: Split,
  pass: GPUComputePassEncoder,
  level: number,
  shape: LevelShape,
  { bigs: { count, offsets, move } }: Digit,
): void {
  const { kernels, options, entries, ranges, state, firstDigits } = split;
  const [now, next] = listsOf(split, level);
  const chosen = level === 0 && firstDigits.length > 1 ? 1 : 0;
  const tiled = { ...entries, bigs: now.bigs, tiles: now.tiles, counters: now.counters, state };
  if (level > 0 || options.counters === null) count.dispatch(pass, tiled, { level }, shape.tiles);
  offsets.dispatch(
    pass,
    {
      bigs: now.bigs,
      counters: now.counters,
      state,
      ranges,
      next_middles: next.middles,
      next_bigs: next.bigs,
      next_tiles: next.tiles,
      next_counters: next.counters,
    },
    { level, chosen, most_middle: kernels.mostMiddle },
    shape.bigs,
  );
  move.dispatch(pass, tiled, { level, chosen }, shape.tiles);
}

/** The lists of a level, and those of the next one. */
function listsOf({ lists: [even, odd] }: Split, level: number): readonly [LevelLists, LevelLists] {
  return level % 2 === 0 ? [even, odd] : [odd, even];
}

/** The buckets of a level, and the ranges listed so far; waits for the device. */
async function readState({ gpu, state }: Split, level: number): Promise<{ shape: LevelShape; ranges: number }> {
  const words = new Uint32Array((await readBack(gpu, state.buffer, 0, STATE_WORDS * 4)).buffer);
  const [bigs, tiles, middles] = words.subarray(STATE_HEAD + 4 * level);
  return { shape: { bigs: bigs!, tiles: tiles!, middles: middles! }, ranges: words[0] };
}

/** Submits the sort of ranges, each of which fits a tile. */
function submitFinish({ gpu, kernels, entries, ranges, state }: Split, rangeCount: number): void {
  submitPass(gpu, 'sort', 'MSD radix finish', (pass) => {
    kernels.finish.dispatch(pass, { ...entries, ranges, state }, { ranges: rangeCount }, rangeCount);
  });
}

/**
 * An upper bound of the number of ranges. Neighboring items of a bucket that are not buckets themselves share a range
 * unless both together exceed a tile. Each bucket, at any level, can add one range on either side.
 */
function rangeBound(kernels: SplitKernels, count: number): number {
  const perLevel = Math.floor(count / kernels.tile) + 1;
  const levels = Math.ceil(96 / kernels.digit.bits) + 1;
  // Each thread that lists items of a wide digit ends its last range where the next thread begins.
  const walkers = (kernels.wide?.bins ?? 0) / 64;
  return Math.min(count, 2 * perLevel + 2 * levels * perLevel + 1 + walkers);
}
