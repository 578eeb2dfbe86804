/**
 * Sorts fixed keys by quicksort. Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors, 2008.
 *
 * Phase one: iterations in which several workgroups partition each sequence around the average of its first and last key, until there
 * are enough sequences. Phase two: one workgroup sorts each. The lists of work are made on the device.
 * Keys alone get room by fetch-and-add, as in the paper; pairs from sums in the order of the input, so that each partition is stable
 * and no position needs to be sorted along. The result lies where the input was.
 */
import type { Gpu } from '../device.js';
import { dispatch, readBack, submitPass, type Binding } from '../dispatch.js';
import type { KernelConstants } from '../kernels.js';
import { keyBits, keyConstants, keysOf, type KeyArrays, type KeySort, type KeySpec } from '../keys.js';
import { part } from '../part.js';
import type { Scratch } from '../pool.js';
import { takeLists, type Lists } from './lists.js';
import { planQuicksort, quickTile, TUNING, type QuicksortPlan, type QuicksortTuning, type QuickTile } from './plan.js';

const SORT_PIECES = 'quicksort/sort-pieces';

/** A sort of fixed keys by quicksort; `tuning` is for tests and measurements. */
export function quicksort(tuning: Partial<QuicksortTuning> = {}): KeySort {
  return {
    load: (gpu, spec) => {
      const { partition, pieces } = constantsOf(spec, quickTile(gpu, spec, tuning), tuning);
      const kernels = ['extent', 'root', ...(spec.values ? ['count', 'split', 'move'] : ['claim', 'split'])];
      return Promise.all([gpu.kernels.load(SORT_PIECES, pieces), ...kernels.map((name) => gpu.kernels.load(`quicksort/${name}`, partition))]);
    },
    sort: async (gpu, scratch, spec, from, spare, count) => {
      if (count > 1) await sortKeys(gpu, scratch, spec, from, spare, count, tuning);
      return from;
    },
  };
}

interface Constants {
  readonly partition: KernelConstants;
  readonly pieces: KernelConstants;
}

function constantsOf(spec: KeySpec, { tile, threads }: QuickTile, tuning: Partial<QuicksortTuning>): Constants {
  const consts = { TILE: tile, THREADS: threads };
  return { partition: keyConstants(spec, consts), pieces: keyConstants(spec, consts, { DEEP: tuning.deep ?? TUNING.deep }) };
}

/** What one sort works with. */
interface Work {
  readonly gpu: Gpu;
  readonly constants: Constants;
  readonly plan: QuicksortPlan;
  readonly lists: Lists;
  /** Bindings of keys and values; even iterations read side 0, where the input is and the result shall be, and write side 1. */
  readonly keys: readonly [Binding, Binding];
  readonly values: readonly [Binding, Binding] | null;
}

async function sortKeys(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number,
  tuning: Partial<QuicksortTuning>): Promise<void> {
  const plan = planQuicksort(quickTile(gpu, spec, tuning), tuning, count);
  const work: Work = {
    gpu, plan,
    constants: constantsOf(spec, plan, tuning),
    lists: await takeLists(scratch, spec, plan),
    keys: [keysOf(spec, from, count), keysOf(spec, spare, count)],
    values: spec.values ? [part(from.values!, 4 * count), part(spare.values!, 4 * count)] : null,
  };
  if (count <= plan.tile) {
    // One piece: begin, length, side, settled.
    gpu.device.queue.writeBuffer(work.lists.pieces.buffer, 0, Uint32Array.of(0, count, 0, 0));
    gpu.device.queue.writeBuffer(work.lists.counters.buffer, 0, Uint32Array.of(1));
    submitPass(gpu, 'sort', 'quicksort, phase two', (pass) => { encodePieces(work, pass, 0, 1); });
    return;
  }
  let iteration = 0;
  for (;;) {
    const end = iteration === 0 ? plan.iterations : iteration + plan.moreIterations;
    // Halving the range of keys each time, no sequence has more iterations than keys have bits.
    if (iteration > keyBits(spec)) throw new Error('quicksort does not end');
    submitIterations(work, iteration, end);
    iteration = end;
    // Asked for before phase two is submitted, which then need not wait.
    const left = plan.mayBeLeft ? readBack(gpu, work.lists.counters.buffer, 4 * (2 + 2 * iteration), 4) : null;
    submitPieces(work);
    if (left === null || new Uint32Array((await left).buffer)[0] === 0) return;
  }
}

/** Submits iterations [begin, end) of phase one, from the beginning on where that is 0. */
function submitIterations(work: Work, begin: number, end: number): void {
  const { gpu, plan, lists } = work;
  for (let first = begin; first < end; first += plan.iterationsPerSubmit) {
    submitPass(gpu, 'sort', 'quicksort, phase one', (pass) => {
      if (first === 0) encodeRoot(work, pass);
      // Those of the last one go to phase two unless they are too long for one workgroup.
      for (let i = first; i < Math.min(first + plan.iterationsPerSubmit, end); i++) encodeIteration(work, pass, i, i === end - 1);
    }, first === begin ? (encoder) => { encoder.clearBuffer(lists.counters.buffer, 0, begin === 0 ? lists.counters.size : 8); } : undefined);
  }
}

/** The words that end the immediates of kernels that place sequences for iteration `next`. */
function placingWords({ plan }: Work, next: number, last: boolean): number[] {
  return [plan.sectionKeys, next, next & 1, last ? plan.long : plan.leastLength, plan.enough, plan.long];
}

function encodeRoot(work: Work, pass: GPUComputePassEncoder): void {
  const { gpu, constants, plan, lists } = work;
  const sections = Math.ceil(plan.count / plan.sectionKeys);
  dispatch(gpu, pass, 'quicksort/extent', constants.partition, [work.keys[0], lists.sections], [plan.count, sections, plan.sectionKeys], sections);
  dispatch(gpu, pass, 'quicksort/root', constants.partition, [lists.sections, lists.sequences[0], lists.owners[0], lists.claims, lists.counters, lists.pieces],
    [plan.count, sections, ...placingWords(work, 0, false)], 1);
}

function encodeIteration(work: Work, pass: GPUComputePassEncoder, i: number, last: boolean): void {
  const { gpu, constants, plan, lists, keys, values } = work;
  const [from, to] = [i & 1, (i + 1) & 1] as [0 | 1, 0 | 1];
  const [sequences, owners] = [lists.sequences[from], lists.owners[from]];
  const active = plan.active(i);
  const sections = Math.ceil(plan.count / plan.sectionKeys) + active;
  const words = [i, plan.sectionKeys];
  const split = (): void => {
    dispatch(gpu, pass, 'quicksort/split', constants.partition,
      [sequences, lists.sections, lists.sequences[to], lists.owners[to], lists.claims, lists.counters, lists.pieces], placingWords(work, i + 1, last), active);
  };
  if (values === null) {
    dispatch(gpu, pass, 'quicksort/claim', constants.partition, [keys[from], keys[to], sequences, owners, lists.counters, lists.claims, lists.sections], words, sections);
    split();
  } else {
    dispatch(gpu, pass, 'quicksort/count', constants.partition, [keys[from], sequences, owners, lists.counters, lists.sections], words, sections);
    split();
    dispatch(gpu, pass, 'quicksort/move', constants.partition,
      [keys[from], keys[to], sequences, owners, lists.counters, lists.sections, values[from], values[to]], words, sections);
  }
}

/** Launches phase two for `count` places of the list from `first` on, whether there are pieces or not. */
function encodePieces({ gpu, constants, lists, keys, values }: Work, pass: GPUComputePassEncoder, first: number, count: number): void {
  dispatch(gpu, pass, SORT_PIECES, constants.pieces, [...keys, lists.pieces, lists.counters, ...(values ?? [])], [first], count);
}

function submitPieces(work: Work): void {
  const { gpu, plan } = work;
  // Submitted one by one where work is expected; behind that, launches are empty as a rule.
  for (let first = 0; first < plan.maxPieces;) {
    const end = first < plan.expectedPieces ? Math.min(first + plan.launchPieces, plan.maxPieces) : plan.maxPieces;
    submitPass(gpu, 'sort', 'quicksort, phase two', (pass) => {
      for (let at = first; at < end; at += plan.launchPieces) encodePieces(work, pass, at, Math.min(plan.launchPieces, end - at));
    });
    first = end;
  }
}
