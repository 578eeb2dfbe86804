/** The exports of `gpusort/kernels`: sorts of buffers on the caller's GPU device (docs/kernels-api.md). */

export { type ErrorCode, GpusortError } from '../system/errors.js';
export { sortArray } from './sort-array.js';
export { localitySort, mergePath, mergeSort, quicksort, radixSort, segmentedSort } from './sorters.js';
export type {
  BufferPart,
  KeyBuffers,
  KeyType,
  MergeOptions,
  MergeRequest,
  Merger,
  MergeTuning,
  PassTime,
  RadixOptions,
  RadixTuning,
  SegmentedSorter,
  SegmentedSortRequest,
  Segments,
  SortArrayOptions,
  SortableArray,
  Sorter,
  SorterOptions,
  SortRequest,
  TileOptions,
  TileTuning,
} from './types.js';
