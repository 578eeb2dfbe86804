/**
 * A sorter of many segments of a buffer, each by itself.
 */
import { send } from '../gpu/device/dispatch.js';
import {
  segmentedSort as bySegments,
  type Segments as DeviceSegments,
} from '../gpu/keys/segmented-sort/segmented-sort.js';
import { compile } from './compiled.js';
import { checkBuffer, checkCount, roomOf, specOf, usageError } from './requests.js';
import type { SegmentedSorter, SegmentedSortRequest, Segments, TileOptions } from './types.js';

/** Baxter: Segmented Sort and Locality Sort, moderngpu: all segments at once, of any lengths. */
export async function segmentedSort(device: GPUDevice, options: TileOptions = {}): Promise<SegmentedSorter> {
  const keySort = bySegments(options.tuning);
  const { run, ...compiled } = await compile<SegmentedSortRequest>(device, specOf(options), {
    name: 'segmented sort',
    load: keySort.load,
    count: (spec, request) => request.count ?? roomOf(spec, request),
    check: checkSegments,
    ends: () => 'spare',
    sort: async (gpu, scratch, spec, from, spare, count, request) => {
      let segments: DeviceSegments;
      if ('flags' in request) segments = request;
      else {
        const { begins } = request;
        const number = request.segments ?? segmentsOf(begins);
        if (!(begins instanceof Uint32Array)) segments = { begins, segments: number };
        else {
          const words = await scratch.take(4 * number, 'begins of segments');
          send(gpu, words, 0, begins.slice(0, number));
          segments = { begins: words, segments: number };
        }
      }
      return keySort.sort(gpu, scratch, spec, from, spare, count, segments);
    },
  });
  return { ...compiled, sort: run };
}

function segmentsOf(begins: GPUBuffer | Uint32Array): number {
  return begins instanceof Uint32Array ? begins.length : Math.floor(begins.size / 4);
}

function checkSegments(request: Segments, count: number): void {
  if ('flags' in request === 'begins' in request) throw usageError('give either flags or begins');
  if ('flags' in request) {
    checkBuffer(request.flags, 4 * Math.ceil(count / 32), 'flags', ['STORAGE']);
    return;
  }
  const { begins, segments = segmentsOf(begins) } = request;
  checkCount(segments, 'segments');
  if (!(begins instanceof Uint32Array)) checkBuffer(begins, 4 * segments, 'begins', ['STORAGE']);
  else if (begins.length < segments) throw usageError(`begins has ${begins.length} numbers, not ${segments}`);
}
