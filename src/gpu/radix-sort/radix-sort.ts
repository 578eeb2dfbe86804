/**
 * Radix sort of fixed keys from the lowest digit up (LSD), 8 bits a pass, stable: each pass counts the digits of every block of keys,
 * scans the counts and scatters (Merrill and Grimshaw: Revisiting sorting for GPGPU stream architectures, 2010).
 */
import type { Gpu } from '../device.js';
import { dispatch, readBack, submitPass } from '../dispatch.js';
import { keyConstants, keysOf, keyWords, valueBindings, type KeyArrays, type KeySort, type KeySpec } from '../keys.js';
import type { KernelConstants } from '../kernels.js';
import { part } from '../part.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../scan.js';
import { digitShifts } from './digits.js';
import { RADIX_SKIP_FROM } from '../../keys/thresholds.js';

const RADIX = 256;
/** Keys a workgroup of differing-bits.wgsl looks at. */
const DIFFERING_KEYS = 4096;
/** Threads of scatter-portable.wgsl. */
const PORTABLE_THREADS = 256;

/** Keys moved a submission: below a second or two on a small GPU, which may have to draw besides. */
const SUBMISSION_KEYS = 2 ** 31;

/** What speed depends on and results do not. */
export interface RadixTuning {
  /** Whether kernels use subgroups where the device has them. */
  readonly subgroups: boolean;
  /** Keys a thread, a multiple of 4 up to 16 with subgroups; null: as many as workgroup memory and registers hold. */
  readonly items: number | null;
  /** Blocks that digits are counted by, at most: enough to keep a large GPU busy to the end, few enough that counts are nothing beside the keys. */
  readonly blocks: number;
  /** Records from which digits that do not differ are looked for: before, a pass costs less than asking. */
  readonly skipFrom: number;
  /** Records from which the pass of the lowest digit does not wait for that. */
  readonly aheadFrom: number;
}

export const RADIX_TUNING: RadixTuning = { subgroups: true, items: null, blocks: 16384, skipFrom: RADIX_SKIP_FROM, aheadFrom: 1 << 20 };

/** How the scatter step is launched. */
interface Shape { readonly kernel: string; readonly tile: number; readonly constants: KernelConstants }

/** Subgroups a workgroup, at most: each has 1 KiB of counts. */
const MOST_SUBGROUPS = 16;

/** Null where a workgroup of whole subgroups, whatever their size, has no room for four keys a thread. */
function subgroupShape(gpu: Gpu, spec: KeySpec, tuning: RadixTuning, { least, most }: { least: number; most: number }): Shape | null {
  for (let threads = Math.min(256, MOST_SUBGROUPS * least); threads >= most; threads /= 2) {
    const subgroups = threads / least;
    const room = gpu.workgroupBytes - 4 * (subgroups * RADIX + MOST_SUBGROUPS + RADIX);
    const fits = Math.floor(room / (threads * 4 * keyWords(spec)) / 4);
    if (fits < 1) continue;
    const fours = tuning.items === null ? Math.min(keyWords(spec) === 1 ? 3 : 4, fits) : tuning.items / 4;
    return {
      kernel: 'radix-sort/scatter-subgroups', tile: threads * 4 * fours,
      constants: keyConstants(spec, { THREADS: threads, FOURS: fours, SUBGROUPS: subgroups, MATCH_WORDS: most > 32 ? 4 : 1 }),
    };
  }
  return null;
}

function portableShape(gpu: Gpu, spec: KeySpec, tuning: RadixTuning): Shape {
  // The table of bits, counts, targets and what thread-sums.wgsl takes.
  const room = gpu.workgroupBytes - 4 * (RADIX * 8 + 2 * RADIX + PORTABLE_THREADS + PORTABLE_THREADS / 16);
  const items = tuning.items ?? Math.max(1, Math.min(16, Math.floor(room / (PORTABLE_THREADS * 4 * keyWords(spec)))));
  return { kernel: 'radix-sort/scatter-portable', tile: PORTABLE_THREADS * items, constants: keyConstants(spec, { ITEMS: items }) };
}

function shapeOf(gpu: Gpu, spec: KeySpec, tuning: RadixTuning): Shape {
  const shape = gpu.subgroups !== null && tuning.subgroups ? subgroupShape(gpu, spec, tuning, gpu.subgroups) : null;
  return shape ?? portableShape(gpu, spec, tuning);
}

/** A stable LSD radix sort: a pass for each digit of 8 bits in which keys differ. At most 2^30 keys. */
export function radixSort(tuning: RadixTuning = RADIX_TUNING): KeySort {
  return {
    load: (gpu, spec) => {
      const { kernel, constants } = shapeOf(gpu, spec, tuning);
      return Promise.all([loadScan(gpu), ...['count', 'differing-bits'].map((name) => gpu.kernels.load(`radix-sort/${name}`, keyConstants(spec))),
        gpu.kernels.load(kernel, constants)]);
    },
    sort: async (gpu, scratch, spec, from, spare, count) => {
      if (count < 2) return from;
      const shape = shapeOf(gpu, spec, tuning);
      const tiles = Math.ceil(count / shape.tile);
      const blockTiles = Math.ceil(tiles / tuning.blocks);
      const blocks = Math.ceil(tiles / blockTiles);
      const counts = await scratch.take((RADIX * blocks + 1) * 4, 'digit counts');
      const sums = await scratch.take(scanSumsBytes(RADIX * blocks), 'scan sums');
      const offsets = part(counts, RADIX * blocks * 4);
      const onePass = (pass: GPUComputePassEncoder, source: KeyArrays, target: KeyArrays, shift: number): void => {
        dispatch(gpu, pass, 'radix-sort/count', keyConstants(spec), [keysOf(spec, source, count), offsets], [count, blocks, blockTiles * shape.tile, shift], blocks);
        scanExclusive(gpu, pass, counts, RADIX * blocks, sums);
        dispatch(gpu, pass, shape.kernel, shape.constants, [keysOf(spec, source, count), offsets, keysOf(spec, target, count),
          ...valueBindings(source, target, count)], [count, blocks, blockTiles, shift], blocks);
      };
      let [source, target] = [from, spare];
      const submitPasses = (shifts: readonly number[]): void => {
        const atOnce = Math.max(1, Math.floor(SUBMISSION_KEYS / count));
        for (let first = 0; first < shifts.length; first += atOnce) {
          submitPass(gpu, 'sort', 'radix sort', (pass) => {
            for (const shift of shifts.slice(first, first + atOnce)) {
              onePass(pass, source, target, shift);
              [source, target] = [target, source];
            }
          });
        }
      };
      let differing = Array<number>(keyWords(spec)).fill(0xffffffff);
      if (count >= tuning.skipFrom) {
        const bits = await scratch.take(16, 'differing bits');
        const answer = differingBits(gpu, spec, from, count, bits);
        // Lest the device wait for the answer: the lowest digit hardly ever is the same in all keys, and then it costs a pass.
        if (count >= tuning.aheadFrom) submitPasses([0]);
        differing = await answer;
        scratch.drop(bits);
        if (count >= tuning.aheadFrom) differing[differing.length - 1]! &= 0xffffff00;
      }
      submitPasses(digitShifts(differing));
      scratch.drop(counts);
      scratch.drop(sums);
      return source;
    },
  };
}

/** The bits in which keys differ, as digitShifts takes them; all that it submits is submitted when it returns. `bits` is of four words. */
async function differingBits(gpu: Gpu, spec: KeySpec, arrays: KeyArrays, count: number, bits: GPUBuffer): Promise<number[]> {
  submitPass(gpu, 'sort', 'differing bits', (pass) => {
    dispatch(gpu, pass, 'radix-sort/differing-bits', keyConstants(spec), [keysOf(spec, arrays, count), part(bits, 16)], [count], Math.ceil(count / DIFFERING_KEYS));
  }, (encoder) => { encoder.clearBuffer(bits, 0, 16); });
  return [...new Uint32Array((await readBack(gpu, bits, 0, 4 * keyWords(spec))).buffer)];
}
