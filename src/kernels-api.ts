/** What `gpusort/kernels` exports: sorts of buffers on a GPU device of one's own (docs/kernels-api.md). */
export { mergePath } from './kernels/merger.js';
export { segmentedSort } from './kernels/segmented-sorter.js';
export { sortArray } from './kernels/sort-array.js';
export { localitySort, mergeSort, quicksort, radixSort } from './kernels/sorters.js';
export type {
  KeyBuffers,
  KeyType,
  MergeRequest,
  Merger,
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
} from './kernels/types.js';
export { type ErrorCode, GpusortError } from './system/errors.js';
