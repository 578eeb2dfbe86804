/**
 * Segmented sort: sorts the keys of many segments of any length, each by itself, in one go (Baxter: Segmented Sort and
 * Locality Sort, moderngpu 1).
 */

import type { MergeStatistics } from '../../../../report/merges.js';
import type { Gpu } from '../../device/device.js';
import { type BufferBinding, bind, Kernel, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays } from '../key-sort.js';
import { loadTileMerges, sortTiles, type TileMergeTuning } from './tile-merges.js';

/**
 * Where segments begin. `flags`: bit i % 32 of word i / 32 is set if element i begins a segment (ceil(count / 32)
 * words; bits from `count` on are ignored). `begins`: `segments` words, in any order, duplicates allowed; values from
 * `count` on are ignored. Element 0 always begins a segment. Either buffer has at least 16 bytes. `offset`: the byte at
 * which they begin, as in BufferBinding; default: 0.
 */
export type DeviceSegments = { readonly offset?: number } & (
  | { readonly flags: GPUBuffer }
  | { readonly begins: GPUBuffer; readonly segments: number }
);

/** A stable sort of fixed-size keys inside segments. */
export interface SegmentedSort {
  /** Compiles the kernels needed to sort by `spec`. */
  load(gpu: Gpu, spec: FixedKeySpec): Promise<unknown>;
  /**
   * Submits the sort of the first `count` keys of `from` inside each segment. `spare` has room for as many. Returns
   * whichever of the two holds the result; the other's contents are undefined. Temporary buffers are taken from
   * `scratch` and left to it. If `statistics` is given, the promise waits for the device, not just for memory. Throws
   * `out-of-device-memory`, before it submits anything, if one binding cannot hold `count` keys (checkKeyCount).
   */
  sort(
    scratch: Scratch,
    spec: FixedKeySpec,
    from: KeyArrays,
    spare: KeyArrays,
    parts: SegmentedKeys,
  ): Promise<KeyArrays>;
}

/** How many keys are sorted, and in which segments. */
interface SegmentedKeys {
  readonly count: number;
  readonly segments: DeviceSegments;
  /** Receives statistics of the merges. */
  readonly statistics?: ((statistics: MergeStatistics) => void) | undefined;
}

const WORKGROUP = 256;

const headFlagsKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'keys/segmented-sort/head-flags');

/** Head flags of `count` elements, computed from segment indices. The caller drops the buffer. */
async function headFlags(
  scratch: Scratch,
  { begins, segments, offset }: Extract<DeviceSegments, { readonly begins: GPUBuffer }>,
  count: number,
): Promise<BufferBinding> {
  const { gpu } = scratch;
  const bytes = Math.ceil(count / 32) * 4;
  const flags = await scratch.take(bytes, 'head flags');
  submitPass(
    gpu,
    'sort',
    'head flags',
    (pass) => {
      headFlagsKernel(gpu).dispatch(
        pass,
        { begins: bind(begins, segments * 4, offset), flags: bind(flags, bytes) },
        { n: count, segments },
        Math.ceil(segments / WORKGROUP),
      );
    },
    (encoder) => {
      encoder.clearBuffer(flags, 0, bytes);
    },
  );
  return bind(flags, bytes);
}

export function segmentedSort(tuning: TileMergeTuning = {}): SegmentedSort {
  return {
    load: (gpu, spec) =>
      Promise.all([loadTileMerges(gpu, spec, tuning, { segmented: true }), headFlagsKernel(gpu).load()]),
    sort: async (scratch, spec, from, spare, { count, segments, statistics }) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      const flags =
        'flags' in segments
          ? bind(segments.flags, Math.ceil(count / 32) * 4, segments.offset)
          : await headFlags(scratch, segments, count);
      await sortTiles(scratch, { spec, tuning, count, flags }, from, spare, statistics);
      if (!('flags' in segments)) scratch.drop(flags.buffer);
      return spare;
    },
  };
}
