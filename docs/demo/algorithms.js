/**
 * The page's use of gpusort/kernels: which sorts there are, and one timed sort of keys from and back to the CPU's
 * memory. Nothing else on the page knows the library.
 */

import { DemoError } from './device.js';
import { GpusortError, localitySort, mergePath, mergeSort, quicksort, radixSort, segmentedSort } from './kernels.js';
import { wordsOf } from './keys.js';

/** `input`: what is uploaded, `halves` or else the keys. `result`: what comes back, `segments` or else all sorted. */
export const ALGORITHMS = {
  radix: { label: 'Radix sort', create: radixSort },
  merge: { label: 'Merge sort', create: mergeSort },
  quick: { label: 'Quicksort', create: quicksort },
  locality: { label: 'Locality sort', create: localitySort },
  segmented: {
    label: 'Segmented sort',
    note: 'sorts segments of about 1,000 keys, each by itself',
    create: segmentedSort,
    result: 'segments',
  },
  path: {
    label: 'Merge path',
    note: 'merges two halves that are sorted already',
    create: mergePath,
    input: 'halves',
  },
};

/** A sorter of `count` keys with buffers to sort in. `begins`: of segments. `destroy` frees all of it. */
export async function prepareSort(device, name, { type, count, values = false, begins }) {
  const { label, create, input } = ALGORITHMS[name];
  const began = performance.now();
  const sorter = await explained(() => create(device, { key: type, values }));
  const compileMs = performance.now() - began;
  const buffers = [];
  const destroy = () => {
    sorter.destroy();
    for (const buffer of buffers) buffer.destroy();
  };
  try {
    if (count > sorter.maxCount)
      throw new DemoError(
        `${label} takes at most ${sorter.maxCount.toLocaleString('en')} keys of type ${type} on this GPU: ` +
          'choose fewer.',
      );
    const keyBytes = 4 * wordsOf(type) * count;
    device.pushErrorScope('out-of-memory');
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffer = (label, size, usage = STORAGE | COPY_SRC | COPY_DST) => {
      const made = device.createBuffer({ label, size: Math.max(size, 16), usage });
      buffers.push(made);
      return made;
    };
    const keys = buffer('keys', keyBytes);
    const valueBuffer = values ? buffer('values', 4 * count) : undefined;
    const readable = buffer('read-back', keyBytes + (values ? 4 * count : 0), MAP_READ | COPY_DST);
    if ((await device.popErrorScope()) !== null)
      throw new DemoError(`The GPU has too little memory for ${count.toLocaleString('en')} keys: choose fewer.`);
    const request = { keys, count, ...(values ? { values: valueBuffer } : {}), ...(begins ? { begins } : {}) };
    if (input === 'halves') request.bounds = [0, Math.ceil(count / 2), count];
    return { device, sorter, request, readable, keyBytes, compileMs, destroy };
  } catch (error) {
    destroy();
    throw error;
  }
}

/**
 * Uploads keys and values, sorts, reads back. Returns the sorted arrays and spans in milliseconds: `upload`, `passes`
 * (one for each compute pass if the device has timestamps, else one from submitting to done), `readBack`.
 */
export async function runSort({ device, sorter, request, readable, keyBytes }, keys, values) {
  const upload = { label: 'upload', start: performance.now() };
  device.queue.writeBuffer(request.keys, 0, keys);
  if (values) device.queue.writeBuffer(request.values, 0, values);
  await device.queue.onSubmittedWorkDone();
  upload.end = performance.now();

  const start = performance.now();
  let passes = await explained(() => sorter.time(request));
  if (passes.length === 0) passes = [{ label: 'sort', start, end: performance.now() }];

  const readBack = { label: 'read-back', start: performance.now() };
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(request.keys, 0, readable, 0, keyBytes);
  if (values) encoder.copyBufferToBuffer(request.values, 0, readable, keyBytes, values.byteLength);
  device.queue.submit([encoder.finish()]);
  await readable.mapAsync(GPUMapMode.READ);
  const copy = readable.getMappedRange().slice(0);
  readable.unmap();
  readBack.end = performance.now();
  return {
    keys: new keys.constructor(copy, 0, keys.length),
    values: values ? new Uint32Array(copy, keyBytes, keys.length) : undefined,
    spans: { upload, passes, readBack },
  };
}

/** Runs `action`; errors of the library become sentences for the page. */
async function explained(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    throw new DemoError(
      [`${error.message[0].toUpperCase()}${error.message.slice(1)}.`, error.hint].filter(Boolean).join(' '),
    );
  }
}
