/**
 * Tasks of threads that make keys for the GPU engine: keyed lines of a part of a chunk; under --verify, its digest.
 */

import type { Ordering } from '../../../job/ordering.js';
import { KeyMaker } from '../../../keys/key-maker.js';
import type { Digest } from '../../../report/digest.js';
import type { Presence } from '../../../report/recorder.js';
import { Summer } from '../../../verify/summer.js';

/** `presence`: see KeyMaker. `verifyModule`: the kernels that hash lines; null: lines are not verified. */
export interface HashedKeyRole {
  readonly ordering: Ordering;
  readonly module: WebAssembly.Module;
  readonly presence: Presence | null;
  readonly verifyModule: WebAssembly.Module | null;
}

/**
 * Whole lines: bytes [from, to) of a text. Their keyed lines come in pieces of at most `most` bytes. `hashes`: false if
 * the lines were hashed before.
 */
export interface HashedKeyTask {
  readonly text: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
  readonly most: number;
  readonly hashes: boolean;
}

export interface KeyedText {
  readonly pieces: SharedArrayBuffer[];
  /** The digest of the lines as they were read; null: not hashed. */
  readonly input: Digest | null;
}

/** The role `hashed-keys` of src/run/worker.ts. */
export function openHashedKeyWorker(role: HashedKeyRole): (task: HashedKeyTask) => KeyedText {
  const maker = new KeyMaker(role.ordering, role);
  const summer = role.verifyModule && new Summer(role.ordering.format, role.verifyModule);
  return ({ text, from, to, most, hashes }) => {
    const lines = new Uint8Array(text, from, to - from);
    const input = hashes && summer !== null ? summer.digest(lines) : null;
    return { pieces: maker.keyed(lines, most), input };
  };
}
