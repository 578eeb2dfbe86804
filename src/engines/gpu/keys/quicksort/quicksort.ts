/**
 * Quicksort of fixed-size keys. Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors, 2008. Phase
 * one: in each iteration several workgroups partition each sequence around the average of its smallest and largest key,
 * until there are enough sequences. Phase two: one workgroup sorts each. The device makes the work lists. Keys without
 * values get their places by fetch-and-add, as in the paper; pairs by prefix sums in input order, so each partition is
 * stable and positions need not be sorted along. The result is where the input was.
 */

import type { Gpu } from '../../device/device.js';
import {
  type Binding,
  type Bindings,
  type Immediates,
  Kernel,
  loadKernels,
  readBack,
  send,
  submitPass,
} from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import {
  checkKeyCount,
  type FixedKeySpec,
  type KeyArrays,
  type KeySort,
  keyConstants,
  keysOf,
  valuesOf,
} from '../key-sort.js';
import { mostIterations, NUMBER_SLOTS, type QuicksortLists, takeLists } from './lists.js';
import {
  planQuicksort,
  QUICKSORT_TUNING,
  type QuicksortPlan,
  type QuicksortTuning,
  type QuickTile,
  quickTile,
} from './plan.js';

/** A quicksort of fixed-size keys; `tuning` is for tests and measurements. */
export function quicksort(tuning: Partial<QuicksortTuning> = {}): KeySort {
  return {
    load: (gpu, spec) => {
      const { claim, count, move, ...all } = kernelsOf(gpu, spec, quickTile(gpu, spec, tuning), tuning);
      return loadKernels({ ...all, ...(spec.values ? { count, move } : { claim }) });
    },
    sort: async (scratch, spec, from, spare, count) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      if (count > 1) await sortKeys(await startWork(scratch, spec, [from, spare], count, tuning), mostIterations(spec));
      return from;
    },
  };
}

type QuicksortKernels = ReturnType<typeof kernelsOf>;

function kernelsOf(
  gpu: Gpu,
  spec: FixedKeySpec,
  { tile, threads }: QuickTile,
  { deep = QUICKSORT_TUNING.deep }: Partial<QuicksortTuning>,
) {
  const consts = { TILE: tile, THREADS: threads };
  const partition = (name: string, own: Readonly<Record<string, number>> = {}): Kernel =>
    new Kernel(gpu, `keys/quicksort/${name}`, keyConstants(spec, { ...consts, ...own }));
  return {
    sortPieces: new Kernel(gpu, 'keys/quicksort/sort-pieces', keyConstants(spec, consts, { DEEP: deep })),
    launchPieces: new Kernel(gpu, 'keys/quicksort/launch-pieces'),
    extent: partition('extent'),
    root: partition('root', { NUMBER_SLOTS }),
    split: partition('split', { NUMBER_SLOTS }),
    // Sections of pairs are moved by `count` and `move`, those of keys without values by `claim`.
    count: partition('count'),
    move: partition('move'),
    claim: partition('claim'),
  };
}

/** The state of one sort. */
interface QuicksortState {
  readonly gpu: Gpu;
  readonly kernels: QuicksortKernels;
  readonly plan: QuicksortPlan;
  readonly lists: QuicksortLists;
  /** Bindings of keys and values. Even iterations read side 0 (the input, later the result) and write side 1. */
  readonly keys: readonly [Binding, Binding];
  readonly values: readonly [Binding, Binding] | null;
}

/** Takes what a sort of the keys of side 0 needs. */
async function startWork(
  scratch: Scratch,
  spec: FixedKeySpec,
  [from, spare]: readonly [KeyArrays, KeyArrays],
  count: number,
  tuning: Partial<QuicksortTuning>,
): Promise<QuicksortState> {
  const { gpu } = scratch;
  const plan = planQuicksort(quickTile(gpu, spec, tuning), tuning, count);
  return {
    gpu,
    plan,
    kernels: kernelsOf(gpu, spec, plan, tuning),
    lists: await takeLists(scratch, spec, plan),
    keys: [keysOf(spec, from, count), keysOf(spec, spare, count)],
    values: spec.values ? [valuesOf(from, count), valuesOf(spare, count)] : null,
  };
}

async function sortKeys(work: QuicksortState, most: number): Promise<void> {
  try {
    if (work.plan.count <= work.plan.tile) submitOnePiece(work);
    else await submitAll(work, most);
  } finally {
    work.lists.release();
  }
}

/** Input that fits a tile is a single piece: begin, length, side, settled. */
function submitOnePiece(work: QuicksortState): void {
  const { gpu, plan, lists, kernels } = work;
  send(gpu, lists.pieces.buffer, 0, Uint32Array.of(0, plan.count, 0, 0));
  submitPass(gpu, 'sort', 'quicksort, phase two', (pass) => {
    kernels.sortPieces.dispatch(pass, pieceBindings(work), { first_piece: 0 }, 1);
  });
}

/**
 * Submits both phases, and repeats them for sequences that are too long for one workgroup: at most `most` iterations.
 */
async function submitAll(work: QuicksortState, most: number): Promise<void> {
  const { gpu, plan, lists } = work;
  for (let begin = 0; ; ) {
    if (begin > most) throw new Error('quicksort does not end');
    const end = begin + (begin === 0 ? plan.iterations : plan.moreIterations);
    submitIterations(work, begin, end);
    if (!plan.mayBeLeft) {
      submitPieces(work, 0, plan.launches);
      return;
    }
    // Asked before phase two is submitted, so that most of phase two does not wait for the answer.
    const asked = Promise.all([
      readWord(gpu, lists.counts[side(end)], countsOffset(end)),
      readWord(gpu, lists.listed.buffer, 0),
    ]);
    submitPieces(work, 0, plan.expectedLaunches);
    const [left, pieces] = await asked;
    submitPieces(work, plan.expectedLaunches, Math.ceil(pieces / plan.launchPieces));
    if (left === 0) return;
    begin = end;
  }
}

async function readWord(gpu: Gpu, buffer: GPUBuffer, offset: number): Promise<number> {
  return new Uint32Array((await readBack(gpu, buffer, offset, 4)).buffer)[0];
}

/** The side that iteration `i` reads: keys and values, lists and counts. It writes the other side. */
function side(i: number): 0 | 1 {
  return (i & 1) as 0 | 1;
}

/** The byte at which the counts of iteration `i` begin: sequences, and 12 bytes later sections. */
function countsOffset(i: number): number {
  return 24 * (i >> 1);
}

/** Submits iterations [begin, end) of phase one. If `begin` is 0, they start from the input. */
function submitIterations(work: QuicksortState, begin: number, end: number): void {
  const { gpu, plan, lists } = work;
  for (let first = begin; first < end; first += plan.iterationsPerSubmit) {
    submitPass(
      gpu,
      'sort',
      'quicksort, phase one',
      (pass) => {
        if (first === 0) encodeRoot(work, pass);
        // After the last iteration, sequences go to phase two unless they are too long for one workgroup.
        for (let i = first; i < Math.min(first + plan.iterationsPerSubmit, end); i++)
          encodeIteration(work, pass, i, i === end - 1);
      },
      (encoder) => {
        if (first === begin) encoder.clearBuffer(lists.listed.buffer, 0, 8);
      },
    );
  }
}

/** Immediates of kernels that place sequences for iteration `next`. */
function placingWords({ plan }: QuicksortState, next: number, { last }: { readonly last: boolean }): Immediates {
  return {
    section_keys: plan.sectionKeys,
    slot: next >> 1,
    side: side(next),
    least_length: last ? plan.long : plan.leastLength,
    enough: plan.enough,
    long: plan.long,
  };
}

/** The lists that these kernels write. */
function placingLists({ lists }: QuicksortState, next: number): Bindings {
  const to = side(next);
  return {
    next: lists.sequences[to],
    next_owners: lists.owners[to],
    claims: lists.claims,
    counts: lists.counts[to],
    listed: lists.listed,
    pieces: lists.pieces,
  };
}

function encodeRoot(work: QuicksortState, pass: GPUComputePassEncoder): void {
  const { kernels, plan, lists, keys } = work;
  const sections = Math.ceil(plan.count / plan.sectionKeys);
  kernels.extent.dispatch(
    pass,
    { keys: keys[0], sections: lists.sections },
    { n: plan.count, count: sections, section_keys: plan.sectionKeys },
    sections,
  );
  kernels.root.dispatch(
    pass,
    { sections: lists.sections, ...placingLists(work, 0) },
    { n: plan.count, count: sections, ...placingWords(work, 0, { last: false }) },
    1,
  );
}

function encodeIteration(work: QuicksortState, pass: GPUComputePassEncoder, i: number, last: boolean): void {
  const { kernels, plan, lists, keys, values } = work;
  const [from, to] = [side(i), side(i + 1)];
  const { claims, sections } = lists;
  const [sequences, owners, counts] = [lists.sequences[from], lists.owners[from], lists.counts[from]];
  const perSequence = { buffer: counts, offset: countsOffset(i) };
  const perSection = { buffer: counts, offset: countsOffset(i) + 12 };
  const words = { section_keys: plan.sectionKeys };
  if (values === null)
    kernels.claim.dispatchIndirect(
      pass,
      { keys: keys[from], moved: keys[to], sequences, owners, claims, sections },
      words,
      perSection,
    );
  else kernels.count.dispatchIndirect(pass, { keys: keys[from], sequences, owners, sections }, words, perSection);
  kernels.split.dispatchIndirect(
    pass,
    { sequences, sections, ...placingLists(work, i + 1) },
    placingWords(work, i + 1, { last }),
    perSequence,
  );
  if (values !== null) {
    const moved = { keys: keys[from], moved: keys[to], values: values[from], sorted_values: values[to] };
    kernels.move.dispatchIndirect(pass, { ...moved, sequences, owners, sections }, words, perSection);
  }
}

function pieceBindings({ lists, keys, values }: QuicksortState): Bindings {
  const sides = { keys_0: keys[0], keys_1: keys[1], pieces: lists.pieces };
  return values === null ? sides : { ...sides, values_0: values[0], values_1: values[1] };
}

/**
 * Submits dispatches [first, end) of phase two, one submission each. Each handles a bounded number of pieces, or what
 * is left of them, or none.
 */
function submitPieces(work: QuicksortState, first: number, end: number): void {
  const { gpu, kernels, plan, lists } = work;
  for (let i = first; i < end; i++) {
    submitPass(gpu, 'sort', 'quicksort, phase two', (pass) => {
      if (i === 0)
        kernels.launchPieces.dispatch(
          pass,
          { listed: lists.listed, launches: lists.launches },
          { count: plan.launches, size: plan.launchPieces },
          1,
        );
      kernels.sortPieces.dispatchIndirect(
        pass,
        pieceBindings(work),
        { first_piece: i * plan.launchPieces },
        { buffer: lists.launches, offset: 12 * i },
      );
    });
  }
}
