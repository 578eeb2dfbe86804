/**
 * Chunks in shared host memory, where their text stays. Threads make the keys, if lines have any; then the text is
 * sorted.
 */

import type { Chunk, Sorted } from '../../../contract/engine.js';
import { addDigests, NO_RECORDS } from '../../../report/digest.js';
import type { Recorder } from '../../../report/recorder.js';
import { HostChunk, type HostKeys } from '../engine/host-keys.js';
import type { UploadSource } from '../engine/upload.js';
import type { HostSort } from './host-sort.js';

interface HybridChunkOptions {
  /** Maximum bytes of text sorted at once, including keys. */
  readonly textBytes: number;
  /** Whether records are hashed. */
  readonly verify: boolean;
  readonly recorder: Recorder;
}

export class HybridChunks {
  /** The digest of all ordered records, with `verify`. */
  input = NO_RECORDS;
  private readonly options: HybridChunkOptions;
  private readonly sort: HostSort;
  /** Null: lines have no keys. */
  private readonly keys: HostKeys | null;

  constructor(options: HybridChunkOptions, sort: HostSort, keys: HostKeys | null) {
    this.options = options;
    this.sort = sort;
    this.keys = keys;
  }

  /** Sorts a chunk, in several parts if it is too large for one sort. */
  async order(chunk: Chunk, bytes: number): Promise<Sorted[]> {
    if (!(chunk instanceof HostChunk)) throw new Error('the chunk belongs to another engine');
    if (bytes === 0) {
      chunk.release();
      return [];
    }
    const results: Sorted[] = [];
    try {
      if (this.keys === null) await this.orderLines(chunk, bytes, results);
      else await this.orderKeyed(this.keys, chunk, bytes, results);
      return results;
    } catch (error) {
      for (const result of results) result.release();
      throw error;
    }
  }

  /** Sorts lines that have no keys where they lie. */
  private async orderLines(chunk: HostChunk, bytes: number, results: Sorted[]): Promise<void> {
    const { verify, recorder } = this.options;
    const start = performance.now();
    const text = { memory: chunk.memory, bytes, release: () => chunk.release() };
    const input = await this.sort.order(text, results, { hashes: verify });
    this.input = addDigests(this.input, input);
    recorder.span('order', start, bytes);
  }

  /** Makes keyed lines, and hashes the lines meanwhile; then sorts the keyed lines. */
  private async orderKeyed(keys: HostKeys, chunk: HostChunk, bytes: number, results: Sorted[]): Promise<void> {
    const { textBytes, verify, recorder } = this.options;
    const start = performance.now();
    const { texts, input } = await keys.keyedTexts(chunk, bytes, textBytes, { hashes: verify });
    this.input = addDigests(this.input, input);
    recorder.span('keys', start, bytes);
    for (const parts of texts) {
      const started = performance.now();
      const length = parts.reduce((sum, part) => sum + part.bytes, 0);
      const text = await this.sort.textOf(length, (target) => fillFrom(parts, target));
      await this.sort.order(text, results, { hashes: false });
      recorder.span('order', started, length);
    }
  }
}

/** Concatenates texts in `target`. */
async function fillFrom(parts: readonly UploadSource[], target: Uint8Array): Promise<void> {
  let at = 0;
  for (const part of parts) {
    await part.readAt(0, target.subarray(at, at + part.bytes));
    at += part.bytes;
  }
}
