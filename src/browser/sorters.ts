/**
 * Sorters and mergers of whole buffers: one function for each algorithm of src/engines/gpu/keys/.
 */

import { type Gpu, USAGE } from '../engines/gpu/device/device.js';
import { allocate, release, startEncoder, submitDispatches } from '../engines/gpu/device/dispatch.js';
import type { Scratch } from '../engines/gpu/device/pool.js';
import type { KeyArrays, KeySort } from '../engines/gpu/keys/key-sort.js';
import { localitySort as byLocality } from '../engines/gpu/keys/locality-sort/locality-sort.js';
import { runMerge } from '../engines/gpu/keys/merge-path/merge.js';
import { mergeSort as byMerges } from '../engines/gpu/keys/merge-sort/merge-sort.js';
import { quicksort as byPartitions } from '../engines/gpu/keys/quicksort/quicksort.js';
import { radixSort as byDigits } from '../engines/gpu/keys/radix-sort/radix-sort.js';
import { segmentedSort as bySegments, type DeviceSegments } from '../engines/gpu/keys/segmented-sort/segmented-sort.js';
import { GpusortError } from '../system/errors.js';
import { compile, type ResultArray } from './compiled.js';
import {
  checkCount,
  checkedMergeTuning,
  checkedPart,
  checkedRadixTuning,
  checkedTileTuning,
  type GivenPart,
  isWords,
  partOf,
  requestError,
  roomOf,
  specOf,
} from './requests.js';
import type {
  BufferPart,
  MergeOptions,
  MergeRequest,
  Merger,
  RadixOptions,
  SegmentedSorter,
  SegmentedSortRequest,
  Segments,
  Sorter,
  SorterOptions,
  SortRequest,
  TileOptions,
} from './types.js';

/**
 * A radix sort from the least significant digit on, with 8 bits per pass. Digits that all keys share are skipped. The
 * fastest sort for most keys. Adinets and Merrill: Onesweep, 2022; Merrill and Grimshaw: Revisiting sorting for GPGPU
 * stream architectures, 2010.
 */
export async function radixSort(device: GPUDevice, options: RadixOptions = {}): Promise<Sorter> {
  const keySort = byDigits(checkedRadixTuning(options.tuning));
  return sorter(device, options, { name: 'radix sort', canRecord: true, keySort, resultArray: 'either' });
}

/**
 * A merge sort: sorts blocks, then merges runs in pairs by merge path. Davidson, Tarjan, Garland, Owens: Efficient
 * Parallel Merge Sort for Fixed and Variable Length Keys, 2012.
 */
export async function mergeSort(device: GPUDevice, options: SorterOptions = {}): Promise<Sorter> {
  return sorter(device, options, { name: 'merge sort', canRecord: true, keySort: byMerges(), resultArray: 'either' });
}

/**
 * Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors, 2008. It cannot be recorded: it asks the
 * device how many sequences are left, and the host starts its lists.
 */
export async function quicksort(device: GPUDevice, options: TileOptions = {}): Promise<Sorter> {
  const keySort = byPartitions(checkedTileTuning(options.tuning));
  return sorter(device, options, { name: 'quicksort', canRecord: false, keySort, resultArray: 'from' });
}

/**
 * A merge sort that is fast if keys are near their final places. Baxter: Segmented Sort and Locality Sort, moderngpu.
 */
export async function localitySort(device: GPUDevice, options: TileOptions = {}): Promise<Sorter> {
  const keySort = byLocality(checkedTileTuning(options.tuning));
  return sorter(device, options, { name: 'locality sort', canRecord: true, keySort, resultArray: 'spare' });
}

/** An algorithm that sorts all keys of a request together. */
interface WholeSort {
  readonly name: string;
  readonly canRecord: boolean;
  readonly keySort: Pick<KeySort, 'load' | 'sort'>;
  readonly resultArray: ResultArray;
}

async function sorter(
  device: GPUDevice,
  options: SorterOptions,
  { name, canRecord, keySort, resultArray }: WholeSort,
): Promise<Sorter> {
  const { run, ...compiled } = await compile<SortRequest>(device, specOf(options), {
    name,
    canRecord,
    load: keySort.load,
    count: (spec, request) => request.count ?? roomOf(spec, request),
    check: () => [],
    resultArray: () => resultArray,
    sort: ({ scratch, spec, from, spare, count }) => keySort.sort(scratch, spec, from, spare, count),
  });
  return { ...compiled, sort: run };
}

/** Baxter: Segmented Sort and Locality Sort, moderngpu: all segments at once, of any lengths. */
export async function segmentedSort(device: GPUDevice, options: TileOptions = {}): Promise<SegmentedSorter> {
  const keySort = bySegments(checkedTileTuning(options.tuning));
  const { run, ...compiled } = await compile<SegmentedSortRequest>(device, specOf(options), {
    name: 'segmented sort',
    canRecord: true,
    load: keySort.load,
    count: (spec, request) => request.count ?? roomOf(spec, request),
    check: checkSegments,
    resultArray: () => 'spare',
    sort: async ({ scratch, spec, from, spare, count }, request) => {
      if (hasFlags(request)) {
        const segments = await flagsBeside(scratch, spare, partOf(request.flags, 'flags'), count);
        return keySort.sort(scratch, spec, from, spare, { count, segments });
      }
      const { gpu } = scratch;
      const { begins, segments = segmentsOf(begins) } = request;
      const words = isWords(begins) ? await bufferOf(gpu, begins.subarray(0, segments)) : null;
      try {
        const given =
          words === null ? partOf(begins as GPUBuffer | BufferPart, 'begins') : { buffer: words, offset: 0 };
        const parts = { begins: given.buffer, offset: given.offset, segments };
        return await keySort.sort(scratch, spec, from, spare, { count, segments: parts });
      } finally {
        release(gpu, words);
      }
    },
  });
  return { ...compiled, sort: run };
}

/** Flags that kernels can read while they write `spare`: in a different buffer. */
async function flagsBeside(
  scratch: Scratch,
  { keys, values }: KeyArrays,
  { buffer, offset }: GivenPart,
  count: number,
): Promise<DeviceSegments> {
  if (buffer !== keys && buffer !== values) return { flags: buffer, offset };
  const bytes = 4 * Math.ceil(count / 32);
  const flags = await scratch.take(bytes, 'flags of segments');
  const encoder = startEncoder(scratch.gpu, 'copy flags');
  encoder.copyBufferToBuffer(buffer, offset, flags, 0, bytes);
  submitDispatches(scratch.gpu, encoder);
  return { flags };
}

/** Creates a buffer with the beginnings of segments, for one sort. */
async function bufferOf(gpu: Gpu, begins: Uint32Array): Promise<GPUBuffer> {
  const buffer = await allocate(gpu, begins.byteLength, 'begins of segments', { usage: USAGE.STORAGE, mapped: true });
  new Uint32Array(buffer.getMappedRange()).set(begins);
  buffer.unmap();
  return buffer;
}

/** For messages: what may be given for `begins` besides a buffer. */
const OR_WORDS = 'or Uint32Array';

/** A property that is undefined counts as left out. */
function hasFlags(request: Segments): request is Extract<Segments, { readonly flags: GPUBuffer | BufferPart }> {
  return 'flags' in request && request.flags !== undefined;
}

function segmentsOf(begins: GPUBuffer | BufferPart | Uint32Array): number {
  return isWords(begins) ? begins.length : Math.floor(partOf(begins, 'begins', OR_WORDS).size / 4);
}

/** Throws unless segments are given in exactly one way. Returns the parts of buffers that describe the segments. */
function checkSegments(gpu: Gpu, request: Segments, count: number): GivenPart[] {
  const hasBegins = 'begins' in request && request.begins !== undefined;
  if (hasFlags(request) === hasBegins) throw requestError('give either flags or begins');
  if (hasFlags(request)) return [checkedPart(gpu, request.flags, 4 * Math.ceil(count / 32), 'flags', ['STORAGE'])];
  const { begins } = request;
  const { segments = segmentsOf(begins) } = request;
  checkCount(segments, 'segments');
  const parts = isWords(begins) ? [] : [checkedPart(gpu, begins, 4 * segments, 'begins', ['STORAGE'], OR_WORDS)];
  if (4 * segments > gpu.maxBindingBytes)
    throw new GpusortError(
      'out-of-device-memory',
      `too many segments at once for this GPU: ${segments}; a binding holds ${Math.floor(gpu.maxBindingBytes / 4)}`,
    );
  if (isWords(begins) && begins.length < segments)
    throw requestError(`begins has ${begins.length} numbers, not ${segments}`);
  return parts;
}

/** Green, McColl, Bader: GPU Merge Path, 2012: two runs, or any number pass by pass. */
export async function mergePath(device: GPUDevice, options: MergeOptions = {}): Promise<Merger> {
  const { load, merge } = runMerge(checkedMergeTuning(options.tuning));
  const { run, ...compiled } = await compile<MergeRequest>(device, specOf(options), {
    name: 'merger',
    canRecord: true,
    load,
    // A program without type checks may leave them out.
    count: (_, { bounds = [] }) => bounds[bounds.length - 1] ?? 0,
    check: (_, { bounds = [] }) => {
      checkBounds(bounds);
      return [];
    },
    resultArray: resultArrayOf,
    sort: ({ scratch, spec, from, spare }, { bounds }) => merge(scratch, spec, from, spare, bounds),
  });
  return { ...compiled, merge: run };
}

function checkBounds(bounds: readonly number[]): void {
  for (const bound of bounds) checkCount(bound, 'a bound');
  if (bounds[0] !== 0 || bounds.some((bound, i) => i > 0 && bound < bounds[i - 1]))
    throw requestError('bounds do not ascend from 0');
}

/** Each pass merges pairs of runs, and writes the other array. */
function resultArrayOf({ bounds }: MergeRequest): ResultArray {
  const runs = new Set(bounds).size - 1;
  const passes = Math.ceil(Math.log2(Math.max(runs, 1)));
  return passes === 1 ? 'one-pass' : passes % 2 === 1 ? 'spare' : 'from';
}
