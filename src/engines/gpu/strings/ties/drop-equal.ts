/**
 * Applies `unique` to an order: drops each record that is equal to the one before it.
 */

import type { Gpu } from '../../device/device.js';
import { bind, Kernel, readBack, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../records/scan.js';

const compact = (gpu: Gpu): Kernel => new Kernel(gpu, 'strings/ties/unique-compact');

/** Compiles what `dropEqual` needs. */
export function loadDropEqual(gpu: Gpu): Promise<unknown> {
  return Promise.all([loadScan(gpu), compact(gpu).load()]);
}

/**
 * Keeps the `count` record numbers of `order` whose flag is 1, in a buffer that the caller owns. Overwrites `keep`,
 * which has count + 1 words.
 */
export async function dropEqual(
  scratch: Scratch,
  order: GPUBuffer,
  keep: GPUBuffer,
  count: number,
): Promise<{ order: GPUBuffer; count: number }> {
  const { gpu } = scratch;
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const compacted = await scratch.take(count * 4, 'order');
  submitPass(gpu, 'sort', 'unique', (pass) => {
    scanExclusive(gpu, pass, keep, count, sums);
    compact(gpu).dispatch(
      pass,
      { order: bind(order, count * 4), kept: bind(keep, (count + 1) * 4), compacted: bind(compacted, count * 4) },
      { n: count },
      Math.ceil(count / 256),
    );
  });
  const kept = new Uint32Array((await readBack(gpu, keep, count * 4, 4)).buffer)[0];
  return { order: scratch.keep(compacted), count: kept };
}
