/**
 * Records' text written in order. Knows nothing of how the order came about.
 */
import type { Gpu } from '../device/device.js';
import { dispatch, readBack, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes, type Records } from './records.js';
import { loadScan, scanExclusive, scanSumsBytes } from './scan.js';

/** Bytes of output that one workgroup of gather/text.wgsl takes. */
const TILE_BYTES = 8192;
const NONE = {};

/** Compiles what `gather` needs. */
export function loadGather(gpu: Gpu): Promise<unknown> {
  return Promise.all([loadScan(gpu), gpu.kernels.load('gather/lengths'), gpu.kernels.load('gather/tiles'), gpu.kernels.load('gather/text')]);
}

/**
 * Submits the writing of the records whose numbers are order[0..count), in that order, to a text of their own, which the caller
 * finds in `scratch`. `order` is overwritten. `bytes` is the length of the result; null where it is not known (waits for it then).
 */
export async function gather(gpu: Gpu, scratch: Scratch, records: Records, order: GPUBuffer, count: number, bytes: number | null): Promise<Records> {
  const starts = await scratch.take((count + 1) * 4, 'starts');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const lengths = (pass: GPUComputePassEncoder): void => {
    dispatch(gpu, pass, 'gather/lengths', NONE, [order, records.starts, starts], [count], Math.ceil(count / 256));
    scanExclusive(gpu, pass, starts, count, sums);
  };
  let textBytes = bytes;
  if (textBytes === null) {
    submitPass(gpu, 'gather', 'gather lengths', lengths);
    textBytes = new Uint32Array((await readBack(gpu, starts, count * 4, 4)).buffer)[0]!;
  }
  const length = textBytes;
  const tiles = Math.ceil(length / TILE_BYTES);
  const first = await scratch.take(tiles * 4, 'gather tiles');
  const text = await scratch.take(textBufferBytes(length), 'sorted text');
  submitPass(gpu, 'gather', 'gather', (pass) => {
    if (bytes !== null) lengths(pass);
    dispatch(gpu, pass, 'gather/tiles', NONE, [starts, first], [count, tiles], Math.ceil(tiles / 256));
    dispatch(gpu, pass, 'gather/text', NONE, [records.text, order, starts, first, text], [count, length, tiles], tiles);
  });
  scratch.drop(sums);
  scratch.drop(first);
  return { text, textBytes: length, starts, count };
}
