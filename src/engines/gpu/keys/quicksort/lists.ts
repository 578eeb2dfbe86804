/**
 * Quicksort's work lists in device memory (kernels/wgsl/keys/quicksort/lists.wgsl). Knows their sizes, not their
 * contents.
 */

import { type BufferBinding, bind, send } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { type FixedKeySpec, keyBits, keyWords } from '../key-sort.js';
import type { QuicksortPlan } from './plan.js';

export interface QuicksortLists {
  /** Sequences of this iteration and the next, alternating. */
  readonly sequences: readonly [BufferBinding, BufferBinding];
  /** The sequence of each section, alternating. */
  readonly owners: readonly [BufferBinding, BufferBinding];
  readonly sections: BufferBinding;
  readonly claims: BufferBinding;
  /**
   * Indirect dispatch sizes, a buffer each for even and odd iterations. 24 bytes per iteration: sequences, and 12 bytes
   * later sections.
   */
  readonly counts: readonly [GPUBuffer, GPUBuffer];
  readonly listed: BufferBinding;
  readonly pieces: BufferBinding;
  /** Indirect dispatch sizes of phase two, 12 bytes each. */
  readonly launches: GPUBuffer;
  /** Returns all buffers. Call it when everything is submitted. */
  release(): void;
}

/** The first iterations, two in each slot of the counts, whose pivots are averages of numbers (place.wgsl). */
export const NUMBER_SLOTS = 8;

/**
 * The maximum number of iterations that partition anything. After the first ones, each halves the range of a sequence's
 * codes.
 */
export const mostIterations = (spec: FixedKeySpec): number => 2 * NUMBER_SLOTS + keyBits(spec);

/** Takes the lists of one sort from `scratch`. */
export async function takeLists(scratch: Scratch, spec: FixedKeySpec, plan: QuicksortPlan): Promise<QuicksortLists> {
  const { gpu } = scratch;
  const key = 4 * keyWords(spec);
  const sizes = {
    sequence: plan.maxSequences * (16 + 3 * key),
    owner: plan.maxSections * 4,
    // Three words, then keys at a multiple of their size.
    section: plan.maxSections * (Math.ceil(12 / key) * key + 2 * key),
    claim: plan.maxSequences * 8,
    piece: plan.maxPieces * (16 + key),
  };
  const take = async (bytes: number, label: string): Promise<BufferBinding> =>
    bind(await scratch.take(bytes, `quicksort ${label}`), bytes);
  // The maximum number of iterations, some of them submitted for nothing, and one more.
  const iterations = mostIterations(spec) + plan.iterations + plan.moreIterations + 1;
  const words = Uint32Array.from({ length: 6 * Math.ceil((iterations + 1) / 2) }, (_, i) => (i % 3 === 0 ? 0 : 1));
  const pooled = {
    sequences: [await take(sizes.sequence, 'sequences'), await take(sizes.sequence, 'sequences')],
    owners: [await take(sizes.owner, 'owners'), await take(sizes.owner, 'owners')],
    sections: await take(sizes.section, 'sections'),
    claims: await take(sizes.claim, 'claims'),
    listed: await take(16, 'listed'),
    pieces: await take(sizes.piece, 'pieces'),
  } as const;
  const launched = (bytes: number): Promise<GPUBuffer> => scratch.take(bytes, 'quicksort launches');
  const [even, odd, launches] = [
    await launched(words.byteLength),
    await launched(words.byteLength),
    await launched(12 * plan.launches),
  ];
  send(gpu, even, 0, words);
  send(gpu, odd, 0, words);
  const release = (): void => {
    for (const { buffer } of Object.values(pooled).flat()) scratch.drop(buffer);
    for (const buffer of [even, odd, launches]) scratch.drop(buffer);
  };
  return { ...pooled, counts: [even, odd], launches, release };
}
