/** Runs in the browser: sorts by gpusort/kernels on a device with WebGPU's default limits and no feature. */
import { localitySort, mergePath, mergeSort, quicksort, radixSort, segmentedSort } from '/kernels.js';

const SORTERS = { localitySort, mergePath, mergeSort, quicksort, radixSort, segmentedSort };
let device;

/** The device's limits and features. */
export async function openDefaultDevice() {
  device = await (await navigator.gpu.requestAdapter()).requestDevice();
  device.addEventListener('uncapturederror', ({ error }) => console.error(error.message));
  const { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize, maxStorageBufferBindingSize } =
    device.limits;
  return {
    limits: { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize, maxStorageBufferBindingSize },
    features: [...device.features],
  };
}

/** Sorts by the function `name`, in place. Keys and values are words; the request may also say what parts there are. */
export async function sort({ name, options, keys, values, begins, ...request }) {
  const buffers = { keys: upload(keys), ...(values && { values: upload(values) }) };
  const sorter = await SORTERS[name](device, options);
  const all = { ...buffers, ...request, ...(begins && { begins: Uint32Array.from(begins) }) };
  await (sorter.sort ?? sorter.merge)(all);
  const found = { keys: await download(buffers.keys, keys.length) };
  if (values) found.values = await download(buffers.values, values.length);
  sorter.destroy();
  return found;
}

function upload(words) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: Math.max(4 * words.length, 16), usage });
  device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
  return buffer;
}

async function download(buffer, count) {
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const readable = device.createBuffer({ size: Math.max(4 * count, 16), usage });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, readable, 0, 4 * count);
  device.queue.submit([encoder.finish()]);
  await readable.mapAsync(GPUMapMode.READ);
  return [...new Uint32Array(readable.getMappedRange(), 0, count)];
}
