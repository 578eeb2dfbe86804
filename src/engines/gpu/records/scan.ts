/**
 * Exclusive scan (prefix sums) of u32 on the device, by reduce-then-scan. It has no look-back, so it needs neither
 * forward-progress guarantees nor subgroups. Sengupta, Harris, Zhang, Owens: Scan Primitives for GPU Computing, 2007.
 */

import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels } from '../device/dispatch.js';

/** Words per tile of the scan kernels. */
const TILE = 2048;

/** Which kernels a scan dispatches. */
const kernelsOf = (gpu: Gpu) => ({
  reduce: new Kernel(gpu, 'records/scan/reduce'),
  spine: new Kernel(gpu, 'records/scan/spine'),
  apply: new Kernel(gpu, 'records/scan/apply'),
});

/** Compiles what `scanExclusive` needs. */
export function loadScan(gpu: Gpu): Promise<unknown> {
  return loadKernels(kernelsOf(gpu));
}

/** Bytes of the scratch buffer for scans of up to `n` words. */
export function scanSumsBytes(n: number): number {
  return (Math.ceil(n / TILE) + 1) * 4;
}

/**
 * Encodes the scan of data[0..n) in place: data[i] becomes the sum of the words before it, data[n] the sum of all,
 * modulo 2^32. So `data` holds n + 1 words. n must not be 0. `sums` has scanSumsBytes(n).
 */
export function scanExclusive(
  gpu: Gpu,
  pass: GPUComputePassEncoder,
  data: GPUBuffer,
  n: number,
  sums: GPUBuffer,
): void {
  const { reduce, spine, apply } = kernelsOf(gpu);
  const tiles = Math.ceil(n / TILE);
  // Buffers of the pool may be larger than a binding.
  const [words, tileSums] = [bind(data, (n + 1) * 4), bind(sums, scanSumsBytes(n))];
  reduce.dispatch(pass, { data: words, sums: tileSums }, { n, tiles }, tiles);
  spine.dispatch(pass, { data: tileSums }, { n: tiles }, 1);
  apply.dispatch(pass, { data: words, sums: tileSums }, { n, tiles }, tiles);
}
