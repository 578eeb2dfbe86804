/**
 * A sorter of many segments of a buffer, each by itself.
 */
import type { Gpu } from '../engines/gpu/device/device.js';
import { send } from '../engines/gpu/device/dispatch.js';
import { segmentedSort as bySegments, type DeviceSegments } from '../engines/gpu/keys/segmented-sort/segmented-sort.js';
import { GpusortError } from '../system/errors.js';
import { compile } from './compiled.js';
import { checkBuffer, checkCount, checkedTileTuning, isWords, requestError, roomOf, specOf } from './requests.js';
import type { SegmentedSorter, SegmentedSortRequest, Segments, TileOptions } from './types.js';

/** Baxter: Segmented Sort and Locality Sort, moderngpu: all segments at once, of any lengths. */
export async function segmentedSort(device: GPUDevice, options: TileOptions = {}): Promise<SegmentedSorter> {
  const keySort = bySegments(checkedTileTuning(options.tuning));
  const { run, ...compiled } = await compile<SegmentedSortRequest>(device, specOf(options), {
    name: 'segmented sort',
    load: keySort.load,
    count: (spec, request) => request.count ?? roomOf(spec, request),
    check: checkSegments,
    resultArray: () => 'spare',
    sort: async ({ scratch, spec, from, spare, count }, request) => {
      const { gpu } = scratch;
      let segments: DeviceSegments;
      if (hasFlags(request)) segments = request;
      else {
        const { begins } = request;
        const number = request.segments ?? segmentsOf(begins);
        if (!isWords(begins)) segments = { begins, segments: number };
        else {
          const words = await scratch.take(4 * number, 'begins of segments');
          send(gpu, words, 0, begins.slice(0, number));
          segments = { begins: words, segments: number };
        }
      }
      return keySort.sort(scratch, spec, from, spare, { count, segments });
    },
  });
  return { ...compiled, sort: run };
}

/** A property that is undefined counts as left out. */
function hasFlags(request: Segments): request is Extract<Segments, { readonly flags: GPUBuffer }> {
  return 'flags' in request && request.flags !== undefined;
}

function segmentsOf(begins: GPUBuffer | Uint32Array): number {
  return isWords(begins) ? begins.length : Math.floor(begins.size / 4);
}

/** Throws unless segments are given in exactly one way. Returns the buffer with their beginnings. */
function checkSegments(gpu: Gpu, request: Segments, count: number): GPUBuffer[] {
  const hasBegins = 'begins' in request && request.begins !== undefined;
  if (hasFlags(request) === hasBegins) throw requestError('give either flags or begins');
  if (hasFlags(request)) {
    checkBuffer(request.flags, 4 * Math.ceil(count / 32), 'flags', ['STORAGE']);
    return [request.flags];
  }
  const { begins } = request;
  const check = (bytes: number): void => {
    if (!isWords(begins)) checkBuffer(begins, bytes, 'begins', ['STORAGE'], 'or Uint32Array');
  };
  check(0);
  const { segments = segmentsOf(begins) } = request;
  checkCount(segments, 'segments');
  check(4 * segments);
  if (4 * segments > gpu.maxBindingBytes)
    throw new GpusortError(
      'out-of-device-memory',
      `too many segments at once for this GPU: ${segments}; a binding holds ${Math.floor(gpu.maxBindingBytes / 4)}`,
    );
  if (!isWords(begins)) return [begins];
  if (begins.length < segments) throw requestError(`begins has ${begins.length} numbers, not ${segments}`);
  return [];
}
