/** Device functions of the kernel benchmark: from the built modules, its own kernels, and the rate of a device copy. */

import { allocate, bind, Kernel, readBack, submitPass } from '../../../dist/engines/gpu/device/dispatch.js';
import { median } from '../measure.mjs';
import { timed } from './timing.mjs';

export { requestAdapter } from '../../../dist/engines/gpu/device/adapters.js';
export { openGpu } from '../../../dist/engines/gpu/device/device.js';
export { allocate, bind };

/** Bytes of the measured copy: more than any cache holds. */
const COPY_BYTES = 2 ** 30;
/** The same for a software GPU, whose copies take processor time. */
const SOFTWARE_COPY_BYTES = 2 ** 26;

/** A kernel in this folder. */
export const own = (gpu, name, constants) => new Kernel(gpu, `../../tools/bench/kernels/${name}`, constants);

/** Records and submits one launch of a kernel with 256 threads a workgroup. */
export function launch(gpu, kernel, bindings, immediates, threads) {
  submitPass(gpu, 'sort', 'benchmark', (pass) => kernel.dispatch(pass, bindings, immediates, Math.ceil(threads / 256)));
}

/** The first `count` words of a buffer. */
export async function readWords(gpu, buffer, count) {
  return new Uint32Array((await readBack(gpu, buffer, 0, 4 * count)).buffer);
}

/** A small buffer that holds `words`. */
export async function wordsOf(gpu, words, label) {
  const buffer = await allocate(gpu, words.byteLength, label);
  gpu.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** Copies `bytes` (a multiple of 4) on the device, outside any pass. */
export function copyBuffer(gpu, source, target, bytes) {
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(source, 0, target, 0, bytes);
  gpu.device.queue.submit([encoder.finish()]);
}

/**
 * Times a copy by a kernel, one vec4u a thread.
 * @param {number} runs
 * @returns {Promise<{ bytes: number, ms: number, rate: number }>} `rate` in GB/s; reads and writes both count
 */
export async function measureCopy(gpu, runs) {
  const bytes =
    Math.floor(Math.min(gpu.facts.software ? SOFTWARE_COPY_BYTES : COPY_BYTES, gpu.maxBindingBytes) / 4096) * 4096;
  const copy = own(gpu, 'copy');
  await copy.load();
  const [source, target] = [await allocate(gpu, bytes, 'copy source'), await allocate(gpu, bytes, 'copy target')];
  const times = [];
  for (let run = 0; run <= runs; run++) {
    const { spanMs, wallMs } = await timed(gpu, () =>
      launch(gpu, copy, { source, target_words: target }, { n: bytes / 16 }, bytes / 16),
    );
    if (run > 0) times.push(spanMs ?? wallMs);
  }
  source.destroy();
  target.destroy();
  const ms = median(times);
  return { bytes, ms, rate: (2 * bytes) / ms / 1e6 };
}
