/**
 * Sorts a typed array: to the device, a radix sort, and back.
 */
import { borrowGpu } from '../gpu/device/borrowed-device.js';
import { allocate } from '../gpu/device/dispatch.js';
import { readInto, sendFrom } from '../gpu/device/host-copies.js';
import { usageError } from './requests.js';
import { radixSort } from './sorters.js';
import type { KeyType, SortArrayOptions, SortableArray } from './types.js';

/**
 * Sorts `array` in place, and `options.values` with it; resolves to `array`. Numbers are in IEEE 754's total order, so
 * -0 comes before 0, and NaN last or, if its sign bit is set, first.
 */
export async function sortArray<A extends SortableArray>(
  device: GPUDevice,
  array: A,
  { values, descending = false }: SortArrayOptions = {},
): Promise<A> {
  if (values !== undefined && values.length !== array.length)
    throw usageError(`there are ${array.length} keys and ${values.length} values`);
  const sorter = await radixSort(device, { key: typeOf(array), values: values !== undefined, descending });
  const gpu = await borrowGpu(device);
  const buffers: GPUBuffer[] = [];
  try {
    const arrays = [array, ...(values === undefined ? [] : [values])].map(bytesOf);
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

const TYPES: readonly (readonly [new () => SortableArray, KeyType])[] = [
  [Uint32Array, 'u32'],
  [Int32Array, 'i32'],
  [Float32Array, 'f32'],
  [BigUint64Array, 'u64'],
  [BigInt64Array, 'i64'],
  [Float64Array, 'f64'],
];

function typeOf(array: SortableArray): KeyType {
  const found = TYPES.find(([kind]) => array instanceof kind);
  if (found === undefined)
    throw usageError(
      'the array is of no type that can be sorted',
      `Use ${TYPES.map(([kind]) => kind.name).join(', ')}.`,
    );
  return found[1];
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
