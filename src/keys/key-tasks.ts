/** The task of a thread that makes keys: keyed lines of a text in shared memory. */
import type { Ordering } from '../job.js';
import { KeyMaker } from './key-maker.js';

export interface KeyRole {
  readonly ordering: Ordering;
  readonly module: WebAssembly.Module;
}

/** Whole lines: bytes [from, to) of a text. Their keyed lines come in pieces of at most `most` bytes. */
export interface KeyTask {
  readonly text: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
  readonly most: number;
}

/** Makes the keys for the role `hashed-keys` (src/gpu/engine/hashed-key-tasks.ts). */
export function openKeyWorker({ ordering, module }: KeyRole): (task: KeyTask) => SharedArrayBuffer[] {
  const maker = new KeyMaker(ordering, module);
  return ({ text, from, to, most }) => maker.keyed(new Uint8Array(text, from, to - from), most);
}
