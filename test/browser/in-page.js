/**
 * Runs in the browser, beside the demo's modules: sorts by gpusort/kernels on a device with WebGPU's default limits and
 * no feature, and compares with the browser's own sort of the keys' ordered bits.
 */
import { generateKeys } from '/generate.js';
import { mergePath, mergeSort, radixSort, segmentedSort } from '/kernels.js';
import { orderedBits } from '/keys.js';

const CREATE = { mergePath, mergeSort, radixSort, segmentedSort };
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

/**
 * Sorts generated keys by the function `name`, in place, and reads them back. `segments` and `runs`: how many the keys
 * are cut into. Resolves to '' or to what is wrong.
 */
export async function check({ name, type, kind, count, values = false, descending = false, segments, runs }) {
  const keys = generateKeys({ type, kind, count, seed: 7 });
  const cuts = Uint32Array.from(
    { length: segments ?? runs ?? 1 },
    (_, i) => Math.floor((i * count) / (segments ?? runs)) || 0,
  );
  const places = Uint32Array.from(keys, (_, i) => i);
  const bits = orderedBits(type, keys);
  const compare = (a, b) => (bits[a] < bits[b] ? -1 : bits[a] > bits[b] ? 1 : 0) * (descending ? -1 : 1) || a - b;
  const sortParts = () => cuts.forEach((begin, i) => places.subarray(begin, cuts[i + 1] ?? count).sort(compare));
  if (runs !== undefined) sortParts();
  const input = Array.from(places, (place) => keys[place]);
  const inputPlaces = places.slice();
  if (segments === undefined) places.sort(compare);
  else sortParts();

  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const upload = (array) => {
    const buffer = device.createBuffer({ size: Math.max(array.byteLength, 16), usage });
    device.queue.writeBuffer(buffer, 0, array);
    return buffer;
  };
  const request = { keys: upload(keys.constructor.from(input)), count };
  if (values) request.values = upload(inputPlaces);
  const sorter = await CREATE[name](device, { key: type, values, descending });
  if (runs === undefined) await sorter.sort(segments === undefined ? request : { ...request, begins: cuts });
  else await sorter.merge({ keys: request.keys, values: request.values, bounds: [...cuts, count] });
  const foundKeys = new keys.constructor(await download(request.keys, keys.byteLength));
  const wrong = places.findIndex((place, i) => foundKeys[i] !== keys[place]);
  if (wrong >= 0) return `key ${wrong} is ${foundKeys[wrong]}, not ${keys[places[wrong]]}`;
  if (values) {
    const foundValues = new Uint32Array(await download(request.values, 4 * count));
    const moved = places.findIndex((place, i) => foundValues[i] !== place);
    if (moved >= 0) return `value ${moved} is ${foundValues[moved]}, not ${places[moved]}`;
  }
  sorter.destroy();
  return '';
}

async function download(buffer, bytes) {
  const readable = device.createBuffer({
    size: Math.max(bytes, 16),
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, readable, 0, bytes);
  device.queue.submit([encoder.finish()]);
  await readable.mapAsync(GPUMapMode.READ);
  return readable.getMappedRange().slice(0, bytes);
}
