/**
 * Passes of a radix sort in one sweep each (onesweep). All digits are counted once, before the first pass. Then tiles
 * publish their digit counts while they move keys, and find offsets by look-back. Adinets and Merrill: Onesweep, 2022.
 */
import { GpusortError } from '../../../../system/errors.js';
import type { Gpu } from '../../device/device.js';
import {
  type Binding,
  type BufferBinding,
  bind,
  Kernel,
  loadKernels,
  readBack,
  submitPass,
} from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { type FixedKeySpec, keyConstants, keysOf, keyWords, valueBindings } from '../key-sort.js';
import { type Passes, RADIX, type ScatterShape } from './shapes.js';

/** Minimum keys of a block of histograms.wgsl, and maximum number of blocks: each adds all its counts to the totals. */
const BLOCK_KEYS = 4096;
const MOST_BLOCKS = 4096;
/** Words of a key whose digits one dispatch of histograms.wgsl counts. */
const LAUNCH_WORDS = 2;

/** Keys that a word of the chain can count. Two of its bits say what it counts. */
const WORD_KEYS = 2 ** 30 - 1;

export function loadOneSweep(gpu: Gpu, spec: FixedKeySpec): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, spec));
}

function kernelsOf(gpu: Gpu, spec: FixedKeySpec) {
  return {
    histograms: new Kernel(gpu, 'keys/radix-sort/histograms', keyConstants(spec)),
    digitBegins: new Kernel(gpu, 'keys/radix-sort/digit-begins'),
  };
}

/**
 * Digits lie at multiples of 8 bits. Throws `out-of-device-memory`, before it allocates anything, if there are too many
 * keys for the words of a chain, or if the chain does not fit a binding.
 */
export async function oneSweep(
  scratch: Scratch,
  spec: FixedKeySpec,
  shape: ScatterShape,
  count: number,
): Promise<Passes> {
  const { gpu } = scratch;
  const most = Math.min(WORD_KEYS, shape.tile * Math.floor(gpu.maxBindingBytes / 4 / RADIX));
  if (count > most)
    throw new GpusortError(
      'out-of-device-memory',
      `too many keys at once for onesweep on this GPU: ${count}; ${most} fit`,
    );
  const tiles = Math.ceil(count / shape.tile);
  const chainBytes = RADIX * tiles * 4;
  const digits = 4 * keyWords(spec);
  // Each pass zeroes the chain of the next pass.
  let chain = await scratch.take(chainBytes, 'tile chain');
  let nextChain = await scratch.take(chainBytes, 'next tile chain');
  const histograms = await scratch.take((RADIX + 1) * digits * 4, 'digit histograms');
  return {
    survey: (arrays, ask) => {
      submitHistograms(gpu, spec, keysOf(spec, arrays, count), count, { histograms, chain: bind(chain, chainBytes) });
      return ask ? differing(gpu, histograms, digits) : null;
    },
    record: (pass, source, target, shift) => {
      shape.kernel.dispatch(
        pass,
        {
          keys: keysOf(spec, source, count),
          sorted_keys: keysOf(spec, target, count),
          begins: bind(histograms, RADIX * digits * 4),
          chain: bind(chain, chainBytes),
          next_chain: bind(nextChain, chainBytes),
          ...valueBindings(source, target, count),
        },
        { n: count, blocks: tiles, block_tiles: 1, shift },
        tiles,
      );
      [chain, nextChain] = [nextChain, chain];
    },
    end: () => {
      for (const buffer of [chain, nextChain, histograms]) scratch.drop(buffer);
    },
  };
}

/** Submits the counting of all digits, and clears the first chain. */
function submitHistograms(
  gpu: Gpu,
  spec: FixedKeySpec,
  keys: Binding,
  count: number,
  { histograms, chain }: { readonly histograms: GPUBuffer; readonly chain: BufferBinding },
): void {
  const kernels = kernelsOf(gpu, spec);
  const digits = 4 * keyWords(spec);
  const countsBytes = RADIX * digits * 4;
  const blockKeys = Math.ceil(Math.max(BLOCK_KEYS, count / MOST_BLOCKS) / RADIX) * RADIX;
  const blocks = Math.ceil(count / blockKeys);
  const encode = (pass: GPUComputePassEncoder): void => {
    for (let word = 0; word < keyWords(spec); word += LAUNCH_WORDS) {
      kernels.histograms.dispatch(
        pass,
        { keys, histograms: bind(histograms, countsBytes) },
        { n: count, blocks, block_keys: blockKeys, first_word: word },
        blocks,
      );
    }
    const all = { digits: bind(histograms, countsBytes + digits * 4) };
    kernels.digitBegins.dispatch(pass, all, { count: digits }, digits);
  };
  submitPass(gpu, 'sort', 'digit histograms', encode, (encoder) => {
    encoder.clearBuffer(histograms, 0, countsBytes + digits * 4);
    encoder.clearBuffer(chain.buffer, 0, chain.size);
  });
}

/** All bits of the digits in which keys differ, highest word first. */
async function differing(gpu: Gpu, histograms: GPUBuffer, digits: number): Promise<number[]> {
  const differ = new Uint32Array((await readBack(gpu, histograms, RADIX * digits * 4, digits * 4)).buffer);
  return Array.from({ length: digits / 4 }, (_, w) =>
    differ.subarray(digits - 4 * w - 4, digits - 4 * w).reduce((bits, d, i) => bits + d * 0xff * 2 ** (8 * i), 0),
  );
}
