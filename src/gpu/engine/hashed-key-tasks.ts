/**
 * Tasks of threads that make keys for the GPU engine: keyed lines of a part of a chunk; under --verify, its digest.
 */
import type { Digest } from '../../digest.js';
import { type KeyRole, type KeyTask, openKeyWorker } from '../../keys/key-tasks.js';
import { Summer } from '../../verify/summer.js';

/** `verifyModule`: the kernels that hash lines; null: lines are not verified. */
export interface HashedKeyRole extends KeyRole {
  readonly verifyModule: WebAssembly.Module | null;
}

/** `hashes`: false if the lines were hashed before. */
export interface HashedKeyTask extends KeyTask {
  readonly hashes: boolean;
}

export interface KeyedText {
  readonly pieces: SharedArrayBuffer[];
  /** The digest of the lines as they were read; null: not hashed. */
  readonly input: Digest | null;
}

/** The role `hashed-keys` of src/worker.ts. */
export function openHashedKeyWorker(role: HashedKeyRole): (task: HashedKeyTask) => KeyedText {
  const makeKeys = openKeyWorker(role);
  const summer = role.verifyModule && new Summer(role.ordering.format, role.verifyModule);
  return (task) => {
    const { text, from, to, hashes } = task;
    const input = hashes && summer !== null ? summer.digest(new Uint8Array(text, from, to - from)) : null;
    return { pieces: makeKeys(task), input };
  };
}
