/**
 * Sorters of whole buffers, one function for each algorithm of src/engines/gpu/keys/.
 */
import type { KeySort } from '../engines/gpu/keys/key-sort.js';
import { localitySort as byLocality } from '../engines/gpu/keys/locality-sort/locality-sort.js';
import { mergeSort as byMerges } from '../engines/gpu/keys/merge-sort/merge-sort.js';
import { quicksort as byPartitions } from '../engines/gpu/keys/quicksort/quicksort.js';
import { radixSort as byDigits } from '../engines/gpu/keys/radix-sort/radix-sort.js';
import { compile, type ResultArray } from './compiled.js';
import { checkedRadixTuning, checkedTileTuning, roomOf, specOf } from './requests.js';
import type { RadixOptions, Sorter, SorterOptions, SortRequest, TileOptions } from './types.js';

/**
 * Least significant digit first, 8 bits per pass, digits that all keys share skipped: the fastest for most keys.
 * Adinets and Merrill: Onesweep, 2022; Merrill and Grimshaw: Revisiting sorting for GPGPU stream architectures, 2010.
 */
export async function radixSort(device: GPUDevice, options: RadixOptions = {}): Promise<Sorter> {
  return sorter(device, options, 'radix sort', byDigits(checkedRadixTuning(options.tuning)), 'either');
}

/**
 * Sorts blocks, then merges runs in pairs by merge path. Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge
 * Sort for Fixed and Variable Length Keys, 2012.
 */
export async function mergeSort(device: GPUDevice, options: SorterOptions = {}): Promise<Sorter> {
  return sorter(device, options, 'merge sort', byMerges(), 'either');
}

/** Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors, 2008. */
export async function quicksort(device: GPUDevice, options: TileOptions = {}): Promise<Sorter> {
  return sorter(device, options, 'quicksort', byPartitions(checkedTileTuning(options.tuning)), 'from');
}

/**
 * A merge sort that is fast if keys are near their final places. Baxter: Segmented Sort and Locality Sort, moderngpu.
 */
export async function localitySort(device: GPUDevice, options: TileOptions = {}): Promise<Sorter> {
  return sorter(device, options, 'locality sort', byLocality(checkedTileTuning(options.tuning)), 'spare');
}

async function sorter(
  device: GPUDevice,
  options: SorterOptions,
  name: string,
  keySort: Pick<KeySort, 'load' | 'sort'>,
  resultArray: ResultArray,
): Promise<Sorter> {
  const { run, ...compiled } = await compile<SortRequest>(device, specOf(options), {
    name,
    load: keySort.load,
    count: (spec, request) => request.count ?? roomOf(spec, request),
    check: () => [],
    resultArray: () => resultArray,
    sort: ({ scratch, spec, from, spare, count }) => keySort.sort(scratch, spec, from, spare, count),
  });
  return { ...compiled, sort: run };
}
