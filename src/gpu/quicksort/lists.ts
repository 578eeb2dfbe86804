/**
 * Quicksort's lists of work in device memory (kernels/shared/quick-lists.wgsl). Knows their sizes, not what they hold.
 */
import { keyBits, keyWords, type KeySpec } from '../keys.js';
import { part } from '../part.js';
import type { Scratch } from '../pool.js';
import type { QuicksortPlan } from './plan.js';

/** The used part of a buffer. */
type Part = { readonly buffer: GPUBuffer; readonly offset: number; readonly size: number };

export interface Lists {
  /** Of this iteration and the next, in turn. */
  readonly sequences: readonly [Part, Part];
  /** For each section the sequence that it is of, in turn. */
  readonly owners: readonly [Part, Part];
  readonly sections: Part;
  readonly claims: Part;
  readonly counters: Part;
  readonly pieces: Part;
}

/** Takes the lists of one sort from `scratch`. */
export async function takeLists(scratch: Scratch, spec: KeySpec, plan: QuicksortPlan): Promise<Lists> {
  const key = 4 * keyWords(spec);
  const sizes = {
    sequence: plan.maxSequences * (16 + 2 * key),
    owner: plan.maxSections * 4,
    // Three words, then keys at a multiple of their size.
    section: plan.maxSections * (Math.ceil(12 / key) * key + 2 * key),
    claim: plan.maxSequences * 8,
    // The iterations that there can be, some of them submitted for nothing.
    counter: 8 * (1 + keyBits(spec) + plan.iterations + plan.moreIterations + 1),
    piece: plan.maxPieces * (16 + key),
  };
  const take = async (bytes: number, label: string): Promise<Part> => part(await scratch.take(bytes, `quicksort ${label}`), bytes) as Part;
  return {
    sequences: [await take(sizes.sequence, 'sequences'), await take(sizes.sequence, 'sequences')],
    owners: [await take(sizes.owner, 'owners'), await take(sizes.owner, 'owners')],
    sections: await take(sizes.section, 'sections'),
    claims: await take(sizes.claim, 'claims'),
    counters: await take(sizes.counter, 'counters'),
    pieces: await take(sizes.piece, 'pieces'),
  };
}
