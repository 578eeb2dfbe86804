/**
 * Quicksort's lists of work in device memory (kernels/shared/quick-lists.wgsl). Knows their sizes, not what they hold.
 */
import { allocate } from '../dispatch.js';
import { INDIRECT } from '../dispatch-indirect.js';
import { USAGE, type Gpu } from '../device.js';
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
  /** Launches of iterations: sequences at 24 bytes an iteration of its parity, sections 12 behind them. */
  readonly counts: readonly [GPUBuffer, GPUBuffer];
  readonly listed: Part;
  readonly pieces: Part;
  /** Launches of phase two, 12 bytes each. */
  readonly launches: GPUBuffer;
  /** Ends the buffers that are not the pool's, once all is submitted. */
  destroy(): void;
}

/** Takes the lists of one sort from `scratch`. */
export async function takeLists(gpu: Gpu, scratch: Scratch, spec: KeySpec, plan: QuicksortPlan): Promise<Lists> {
  const key = 4 * keyWords(spec);
  const sizes = {
    sequence: plan.maxSequences * (16 + 2 * key),
    owner: plan.maxSections * 4,
    // Three words, then keys at a multiple of their size.
    section: plan.maxSections * (Math.ceil(12 / key) * key + 2 * key),
    claim: plan.maxSequences * 8,
    piece: plan.maxPieces * (16 + key),
  };
  const take = async (bytes: number, label: string): Promise<Part> => part(await scratch.take(bytes, `quicksort ${label}`), bytes) as Part;
  // The iterations that there can be, some of them submitted for nothing, and one more.
  const iterations = keyBits(spec) + plan.iterations + plan.moreIterations + 1;
  const words = Uint32Array.from({ length: 6 * Math.ceil((iterations + 1) / 2) }, (_, i) => (i % 3 === 0 ? 0 : 1));
  const launched = async (bytes: number): Promise<GPUBuffer> =>
    allocate(gpu, bytes, 'quicksort launches', USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST | INDIRECT);
  const [even, odd, launches] = await Promise.all([launched(words.byteLength), launched(words.byteLength), launched(12 * plan.launches)]);
  gpu.device.queue.writeBuffer(even, 0, words);
  gpu.device.queue.writeBuffer(odd, 0, words);
  return {
    sequences: [await take(sizes.sequence, 'sequences'), await take(sizes.sequence, 'sequences')],
    owners: [await take(sizes.owner, 'owners'), await take(sizes.owner, 'owners')],
    sections: await take(sizes.section, 'sections'),
    claims: await take(sizes.claim, 'claims'),
    counts: [even, odd],
    listed: await take(16, 'listed'),
    pieces: await take(sizes.piece, 'pieces'),
    launches,
    destroy: () => { for (const buffer of [even, odd, launches]) buffer.destroy(); },
  };
}
