/** The exports of `gpusort/kernels`: sorts of buffers on the caller's GPU device (docs/kernels-api.md). */

export { type ErrorCode, GpusortError } from '../system/errors.js';
export { mergePath } from './merger.js';
export { segmentedSort } from './segmented-sorter.js';
export { sortArray } from './sort-array.js';
export { localitySort, mergeSort, quicksort, radixSort } from './sorters.js';
export type {
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
