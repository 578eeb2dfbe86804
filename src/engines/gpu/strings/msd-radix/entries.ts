/**
 * MSD radix sort of entries on the device: a 64-bit key and a 32-bit tag, whose lower 28 bits are a record number. Many
 * workgroups split a big bucket together, one workgroup splits a bucket of middle size, and what fits a tile is
 * finished in workgroup memory. Knows nothing of text. Aleksandr Drozd, Satoshi Matsuoka: MSD Radix String Sort on GPU:
 * Longer Keys, Shorter Alphabets.
 */

import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { type Binding, type Bindings, bind, Kernel, loadKernels, readBack, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { DIGIT_BITS, SPLIT_LEVELS, SPLIT_TILE } from '../../thresholds.js';
import type { Entries } from '../entries.js';

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
   * workgroup memory and the buckets then fit tiles (widePays). Null: as all digits.
   */
  readonly wideDigitBits: number | null;
  /** Maximum size, in tiles, of a bucket that one workgroup splits. */
  readonly middleTiles: number;
}

/** One workgroup splits 8 tiles in a few microseconds. With larger buckets the device would wait for the last one. */
export const SPLIT_TUNING: SplitTuning = { tile: null, digitBits: DIGIT_BITS, wideDigitBits: 12, middleTiles: 8 };

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
  /** What splits big buckets. */
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

/** The most bits of a symbol for wide digits: 8 symbols, such as ACGTN and an end. */
export const SHORT_BITS = 3;
const LARGE_TILE_BYTES = 32768;
/** The word of the state, and of the packing, with the bits of the first digit (items.wgsl, symbol-table.wgsl). */
const FIRST_DIGIT = 2;
const DIGIT_WORD = 3;
/**
 * An upper bound: keys and tags have 96 bits in all, and a level consumes a digit of at least 4 bits. Before each digit
 * one more level may have to find the first bit that differs.
 */
const LEVELS = 60;
const STATE_WORDS = 4 + 4 * (LEVELS + 1);

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
 * Whether a wide first digit of a short alphabet saves a level: its buckets fit tiles, those of a usual digit do not.
 */
export function widePays({ tile, mostMiddle, digit, wide }: SplitKernels, count: number): boolean {
  return wide !== null && count > Math.max(mostMiddle, tile * digit.bins) && 2 * count <= tile * wide.bins;
}

/** Bytes of the bucket counters of one level. Whoever makes the entries may fill those of level 0. */
export function countersBytes(kernels: SplitKernels, count: number): number {
  return 4 * Math.max((mostBigs(kernels, count) + 1) * (kernels.digit.bins + 4), firstCounters(kernels));
}

/** Words of the counters of the first bucket. */
export function firstCounters({ digit, wide }: SplitKernels): number {
  return (wide ?? digit).bins + 4;
}

function mostBigs(kernels: SplitKernels, count: number): number {
  return Math.max(1, Math.floor(count / Math.max(kernels.mostMiddle, kernels.tile)));
}

interface SplitOptions {
  /** The code (upper 4 bits) of a tag whose record continues after the key. */
  readonly long: number;
  /** Receives the record numbers; null: not wanted. */
  readonly order: GPUBuffer | null;
  /**
   * Counters (countersBytes) that already contain the first digit of all entries, and the packing (symbols.ts) that
   * says how wide it is; null: not counted yet.
   */
  readonly counted: { readonly counters: GPUBuffer; readonly packing: GPUBuffer } | null;
  /** Bits of a symbol, if the entries are not counted and the host knows them; null: unknown. */
  readonly symbolBits: number | null;
}

/** The lists of one level. */
interface Lists {
  readonly bigs: GPUBuffer;
  readonly tiles: GPUBuffer;
  readonly middles: GPUBuffer;
  readonly counters: GPUBuffer;
}

/**
 * Sorts `count` entries of `from` (at least 1) by key and tag; `other` is as large, and its contents are lost. Entries
 * with equal keys whose records continue come in any order; resolves to whether there may be any. Waits for the device
 * once to a few times.
 */
export async function splitEntries(
  gpu: Gpu,
  scratch: Scratch,
  kernels: SplitKernels,
  from: Entries,
  other: Entries,
  count: number,
  options: SplitOptions,
): Promise<{ unresolved: boolean }> {
  const { tile, mostMiddle } = kernels;
  const bigs = mostBigs(kernels, count);
  const tiles = Math.ceil(count / tile) + bigs;
  const middles = Math.floor(count / tile) + 1;
  const held: GPUBuffer[] = [];
  const take = async (bytes: number, label: string): Promise<GPUBuffer> => {
    const buffer = await scratch.take(bytes, label);
    held.push(buffer);
    return buffer;
  };
  const takeLists = async (counters: GPUBuffer | null): Promise<Lists> => ({
    bigs: await take(bigs * 16, 'buckets'),
    tiles: await take(tiles * 8, 'bucket tiles'),
    middles: await take(middles * 16, 'middle buckets'),
    counters: counters ?? (await take(countersBytes(kernels, count), 'bucket counters')),
  });
  const lists = [await takeLists(options.counted?.counters ?? null), await takeLists(null)] as const;
  const state = await take(STATE_WORDS * 4, 'split state');
  const rangesBytes = rangeBound(kernels, count) * 16;
  const ranges = await take(rangesBytes, 'ranges');
  const nowhere = options.order === null ? await take(16, 'no order') : null;

  const entries: Bindings = {
    keys_a: bind(from.keys, count * 8),
    tags_a: bind(from.tags, count * 4),
    keys_b: bind(other.keys, count * 8),
    tags_b: bind(other.tags, count * 4),
  };
  const ofLists = (l: Lists): Record<keyof Lists, Binding> => ({
    bigs: bind(l.bigs, bigs * 16),
    tiles: bind(l.tiles, tiles * 8),
    middles: bind(l.middles, middles * 16),
    counters: bind(l.counters, countersBytes(kernels, count)),
  });
  const [even, odd] = [ofLists(lists[0]), ofLists(lists[1])];
  const rangeList = bind(ranges, rangesBytes);
  const states = bind(state, STATE_WORDS * 4);

  const pays = widePays(kernels, count);
  const isWide = pays && options.counted === null && (options.symbolBits ?? Infinity) <= SHORT_BITS;
  // The device has chosen the first digit, or the host knows it. Kernels of another width do nothing.
  const chosen = pays && options.counted !== null ? 1 : 0;
  const firstDigits = chosen === 1 ? [kernels.digit, kernels.wide!] : [isWide ? kernels.wide! : kernels.digit];

  const encodeLevel = (pass: GPUComputePassEncoder, level: number, shape: LevelShape): void => {
    for (const { bigs } of level === 0 ? firstDigits : [kernels.digit])
      encodeBigs(pass, level, shape, bigs, level === 0 ? chosen : 0);
    const [now, next] = level % 2 === 0 ? [even, odd] : [odd, even];
    kernels.split.dispatch(
      pass,
      { ...entries, middles: now.middles, next_middles: next.middles, ranges: rangeList, state: states },
      { level, long: options.long },
      shape.middles,
    );
  };
  const encodeBigs = (
    pass: GPUComputePassEncoder,
    level: number,
    shape: LevelShape,
    bigs: Digit['bigs'],
    chosen: number,
  ): void => {
    const [now, next] = level % 2 === 0 ? [even, odd] : [odd, even];
    const tiled = { ...entries, bigs: now.bigs, tiles: now.tiles, counters: now.counters, state: states };
    if (level > 0 || options.counted === null) bigs.count.dispatch(pass, tiled, { level }, shape.tiles);
    bigs.offsets.dispatch(
      pass,
      {
        bigs: now.bigs,
        counters: now.counters,
        state: states,
        ranges: rangeList,
        next_middles: next.middles,
        next_bigs: next.bigs,
        next_tiles: next.tiles,
        next_counters: next.counters,
      },
      { level, chosen, most_middle: mostMiddle, long: options.long },
      shape.bigs,
    );
    bigs.move.dispatch(pass, tiled, { level, chosen }, shape.tiles);
  };

  const bound: LevelShape = {
    bigs: count > mostMiddle ? bigs : 0,
    tiles: count > mostMiddle ? tiles : 0,
    middles: count > tile ? middles : 0,
  };
  let shape: LevelShape = {
    bigs: count > mostMiddle ? 1 : 0,
    tiles: count > mostMiddle ? Math.ceil(count / tile) : 0,
    middles: count > tile && count <= mostMiddle ? 1 : 0,
  };
  let rangeCount = count <= tile ? 1 : 0;
  let level = 0;
  for (
    let batch = Math.max(1, Math.ceil(Math.log2(count / tile) / kernels.digit.bits));
    level === 0 || shape.bigs + shape.middles > 0;
    batch = SPLIT_LEVELS
  ) {
    const [first, levels, begin] = [level, Math.min(batch, LEVELS - level), shape];
    if (levels === 0) throw new Error('the MSD radix sort does not come to its end');
    submitPass(
      gpu,
      'sort',
      'MSD radix',
      (pass) => {
        if (first === 0) {
          firstDigits[0].bigs.root.dispatch(
            pass,
            {
              state: states,
              bigs: even.bigs,
              tiles: even.tiles,
              middles: even.middles,
              ranges: rangeList,
              counters: even.counters,
            },
            { n: count, most_middle: mostMiddle, counted: options.counted === null ? 0 : 1 },
            1,
          );
        }
        if (count > tile) for (let l = 0; l < levels; l++) encodeLevel(pass, first + l, l === 0 ? begin : bound);
      },
      (encoder) => {
        if (first !== 0) return;
        encoder.clearBuffer(state, 0, STATE_WORDS * 4);
        if (options.counted !== null)
          encoder.copyBufferToBuffer(options.counted.packing, 4 * DIGIT_WORD, state, 4 * FIRST_DIGIT, 4);
      },
    );
    level += levels;
    if (count <= tile) break;
    const words = new Uint32Array((await readBack(gpu, state, 0, STATE_WORDS * 4)).buffer);
    const [bigCount, tileCount, middleCount] = words.subarray(4 + 4 * level);
    shape = { bigs: bigCount!, tiles: tileCount!, middles: middleCount! };
    rangeCount = words[0];
  }
  submitPass(gpu, 'sort', 'MSD radix finish', (pass) => {
    kernels.finish.dispatch(
      pass,
      { ...entries, ranges: rangeList, order: nowhere ?? bind(options.order!, count * 4), state: states },
      { ranges: rangeCount, long: options.long, ordered: nowhere === null ? 1 : 0 },
      rangeCount,
    );
  });
  const flags = new Uint32Array((await readBack(gpu, state, 4, 4)).buffer);
  for (const buffer of held) scratch.drop(buffer);
  return { unresolved: flags[0] !== 0 };
}

/** Numbers of workgroups for the kernels of a level. */
interface LevelShape {
  readonly bigs: number;
  readonly tiles: number;
  readonly middles: number;
}

/**
 * An upper bound of the number of ranges. Neighbouring items of a bucket that are not buckets themselves share a range
 * unless both together exceed a tile. Each bucket, at any level, can add one range on either side.
 */
function rangeBound(kernels: SplitKernels, count: number): number {
  const perLevel = Math.floor(count / kernels.tile) + 1;
  const levels = Math.ceil(96 / kernels.digit.bits) + 1;
  // The threads that list the items of a wide digit end theirs where another one's begin.
  const walkers = (kernels.wide?.bins ?? 0) / 64;
  return Math.min(count, 2 * perLevel + 2 * levels * perLevel + 1 + walkers);
}
