/**
 * Passes of a radix sort in two sweeps each: count the digits of every block of keys, scan the counts, scatter. Merrill
 * and Grimshaw: Revisiting sorting for GPGPU stream architectures, 2010.
 */

import type { Gpu } from '../../device/device.js';
import { bind, Kernel, loadKernels, readBack, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../records/scan.js';
import { type FixedKeySpec, type KeyArrays, keyConstants, keysOf, keyWords, valueBindings } from '../key-sort.js';
import { type Passes, RADIX, type ScatterShape } from './shapes.js';

/** Keys per workgroup of differing-bits.wgsl. */
const DIFFERING_KEYS = 4096;

export function loadTwoSweeps(gpu: Gpu, spec: FixedKeySpec): Promise<unknown> {
  return Promise.all([loadScan(gpu), loadKernels(kernelsOf(gpu, spec))]);
}

function kernelsOf(gpu: Gpu, spec: FixedKeySpec) {
  return {
    count: new Kernel(gpu, 'keys/radix-sort/count', keyConstants(spec)),
    differingBits: new Kernel(gpu, 'keys/radix-sort/differing-bits', keyConstants(spec)),
  };
}

/** A block has as many tiles as needed to have at most `mostBlocks` blocks. */
export async function twoSweeps(
  scratch: Scratch,
  spec: FixedKeySpec,
  shape: ScatterShape,
  count: number,
  mostBlocks: number,
): Promise<Passes> {
  const { gpu } = scratch;
  const kernels = kernelsOf(gpu, spec);
  const tiles = Math.ceil(count / shape.tile);
  const blockTiles = Math.ceil(tiles / mostBlocks);
  const blocks = Math.ceil(tiles / blockTiles);
  const counts = await scratch.take((RADIX * blocks + 1) * 4, 'digit counts');
  const sums = await scratch.take(scanSumsBytes(RADIX * blocks), 'scan sums');
  const bits = await scratch.take(16, 'differing bits');
  const offsets = bind(counts, RADIX * blocks * 4);
  return {
    survey: (arrays, ask) => (ask ? differingBits(gpu, spec, arrays, count, bits) : null),
    record: (pass, source, target, shift) => {
      kernels.count.dispatch(
        pass,
        { keys: keysOf(spec, source, count), counts: offsets },
        { n: count, blocks, block_keys: blockTiles * shape.tile, shift },
        blocks,
      );
      scanExclusive(gpu, pass, counts, RADIX * blocks, sums);
      shape.kernel.dispatch(
        pass,
        {
          keys: keysOf(spec, source, count),
          sorted_keys: keysOf(spec, target, count),
          offsets,
          ...valueBindings(source, target, count),
        },
        { n: count, blocks, block_tiles: blockTiles, shift },
        blocks,
      );
    },
    end: () => {
      for (const buffer of [counts, sums, bits]) scratch.drop(buffer);
    },
  };
}

/**
 * The bits in which keys differ, in digitShifts' format. All its work has been submitted when it returns the promise.
 * `bits` has four words.
 */
async function differingBits(
  gpu: Gpu,
  spec: FixedKeySpec,
  arrays: KeyArrays,
  count: number,
  bits: GPUBuffer,
): Promise<number[]> {
  submitPass(
    gpu,
    'sort',
    'differing bits',
    (pass) => {
      kernelsOf(gpu, spec).differingBits.dispatch(
        pass,
        { keys: keysOf(spec, arrays, count), differing: bind(bits, 16) },
        { n: count },
        Math.ceil(count / DIFFERING_KEYS),
      );
    },
    (encoder) => {
      encoder.clearBuffer(bits, 0, 16);
    },
  );
  return [...new Uint32Array((await readBack(gpu, bits, 0, 4 * keyWords(spec))).buffer)];
}
