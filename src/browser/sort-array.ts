/** Sorts a typed array: copies it to the device, sorts it by radix sort, and copies it back. */
import { borrowGpu } from '../engines/gpu/device/borrowed-device.js';
import { allocate } from '../engines/gpu/device/dispatch.js';
import { asBytes, readInto, sendFrom } from '../engines/gpu/device/host-copies.js';
import { checkKeyCount } from '../engines/gpu/keys/key-sort.js';
import { requestError, specOf } from './requests.js';
import { radixSort } from './sorters.js';
import type { KeyType, SortArrayOptions, SortableArray } from './types.js';

/**
 * Sorts `array` in place, and `options.values` with it; resolves to `array`. Floating-point numbers are sorted in IEEE
 * 754's total order: -0 comes before 0, and NaN comes last or, if its sign bit is set, first.
 */
export async function sortArray<A extends SortableArray>(
  device: GPUDevice,
  array: A,
  { values, descending = false }: SortArrayOptions = {},
): Promise<A> {
  if (values !== undefined && values.length !== array.length)
    throw requestError(`there are ${array.length} keys and ${values.length} values`);
  if (values !== undefined && values.BYTES_PER_ELEMENT !== 4)
    throw requestError('the values do not have 32 bits each', 'Use Uint32Array, Int32Array or Float32Array.');
  const options = { key: typeOf(array), values: values !== undefined, descending };
  const sorter = await radixSort(device, options);
  const gpu = await borrowGpu(device);
  const buffers: GPUBuffer[] = [];
  try {
    checkKeyCount(gpu, specOf(options), array.length);
    const arrays = [array, ...(values === undefined ? [] : [values])].map(asBytes);
    for (const bytes of arrays) {
      const buffer = await allocate(gpu, bytes.length, 'array to sort');
      buffers.push(buffer);
      await sendFrom(gpu, buffer, bytes);
    }
    const [keys, ...rest] = buffers;
    await sorter.sort({ keys, ...(rest.length > 0 && { values: rest[0] }), count: array.length });
    for (const [i, bytes] of arrays.entries()) await readInto(gpu, buffers[i], 0, bytes);
    return array;
  } finally {
    for (const buffer of buffers) buffer.destroy();
    sorter.destroy();
  }
}

/** Key types by the names of array types, which are the same in all frames and contexts of a program. */
const TYPES: ReadonlyMap<string, KeyType> = new Map([
  ['Uint32Array', 'u32'],
  ['Int32Array', 'i32'],
  ['Float32Array', 'f32'],
  ['BigUint64Array', 'u64'],
  ['BigInt64Array', 'i64'],
  ['Float64Array', 'f64'],
]);

function typeOf(array: SortableArray): KeyType {
  const found = ArrayBuffer.isView(array) ? TYPES.get(array[Symbol.toStringTag]) : undefined;
  if (found === undefined)
    throw requestError('arrays of this type cannot be sorted', `Use ${[...TYPES.keys()].join(', ')}.`);
  return found;
}
