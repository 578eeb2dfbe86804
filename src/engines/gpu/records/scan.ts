/**
 * Exclusive scan (prefix sums) of u32 on the device, by reduce-then-scan. It has no look-back, so it needs neither
 * forward-progress guarantees nor subgroups. Sengupta, Harris, Zhang, Owens: Scan Primitives for GPU Computing, 2007.
 */

import type { Gpu } from '../device/device.js';
import { bind, dispatch } from '../device/dispatch.js';

/** Words per tile of the scan kernels. */
const TILE = 2048;
const NONE = {};

/** Compiles what `scanExclusive` needs. */
export function loadScan(gpu: Gpu): Promise<unknown> {
  return Promise.all([
    gpu.pipelines.load('records/scan/reduce'),
    gpu.pipelines.load('records/scan/spine'),
    gpu.pipelines.load('records/scan/apply'),
  ]);
}

/** Bytes of the scratch buffer for scans of up to `n` words. */
export function scanSumsBytes(n: number): number {
  return (Math.ceil(n / TILE) + 1) * 4;
}

/**
 * Records the scan of data[0..n) in place: data[i] becomes the sum of the words before it, data[n] the sum of all,
 * modulo 2^32. So `data` holds n + 1 words. n must not be 0. `sums` has scanSumsBytes(n).
 */
export function scanExclusive(
  gpu: Gpu,
  pass: GPUComputePassEncoder,
  data: GPUBuffer,
  n: number,
  sums: GPUBuffer,
): void {
  const tiles = Math.ceil(n / TILE);
  // Buffers of the pool may be larger than a binding.
  const [words, tileSums] = [bind(data, (n + 1) * 4), bind(sums, scanSumsBytes(n))];
  dispatch(gpu, pass, 'records/scan/reduce', NONE, { data: words, sums: tileSums }, { n, tiles }, tiles);
  dispatch(gpu, pass, 'records/scan/spine', NONE, { data: tileSums }, { n: tiles }, 1);
  dispatch(gpu, pass, 'records/scan/apply', NONE, { data: words, sums: tileSums }, { n, tiles }, tiles);
}
