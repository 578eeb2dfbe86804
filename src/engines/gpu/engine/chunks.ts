/**
 * Chunks: reads them into memory, makes keys, and sorts. Lines are read straight into upload memory if they have no
 * keys or the device makes the keys. Otherwise they are read into host memory (host-keys.ts).
 */

import type { Chunk, Sorted } from '../../../contract/engine.js';
import { isKeyed } from '../../../keys/keyed.js';
import { addDigests, type Digest, NO_RECORDS } from '../../../report/digest.js';
import { createSharedMemory, type SharedMemory } from '../../../system/threads/buffers.js';
import { Scratch } from '../device/pool.js';
import { InputHash } from '../records/input-hash.js';
import { HOST_CHUNKS } from '../records/keyed-lines/key-support.js';
import { countRecords, type Tokenized, writeStarts } from '../records/tokenize.js';
import { DeviceKeys } from './device-keys.js';
import { HostChunk, HostKeys } from './host-keys.js';
import { sortRecords } from './sort-records.js';
import { type Stages, spanOnDevice } from './stages.js';
import { DeviceText, uploadSources } from './upload.js';

/** Chunks in progress if the host makes no keys: one is read while one is sorted. */
const LANES = 2;

interface ChunkOptions {
  readonly chunkBytes: number;
  readonly pieceBytes: number;
  /** Whether the device makes the keys, if lines have any. */
  readonly deviceKeys: boolean;
  readonly keyThreads: number;
  /** Whether records are hashed. */
  readonly verify: boolean;
}

export class Chunks {
  /** Maximum chunks in progress. */
  readonly lanes: number;
  private readonly stages: Stages;
  private readonly options: ChunkOptions;
  private readonly keyed: boolean;
  private readonly deviceKeys: DeviceKeys | null;
  /** Created on first use, because it starts threads. */
  private hostKeys: HostKeys | null = null;
  /** Null: nothing is hashed. */
  private readonly inputHash: InputHash | null;
  /** Memory for chunks that are read into host memory. */
  private readonly hostMemory: SharedMemory;
  /** The digest of chunks that the host hashed. */
  private hostInput = NO_RECORDS;

  constructor(stages: Stages, options: ChunkOptions) {
    this.stages = stages;
    this.options = options;
    this.keyed = isKeyed(stages.ordering);
    this.deviceKeys = this.keyed && options.deviceKeys ? new DeviceKeys(stages) : null;
    this.inputHash = options.verify ? new InputHash(stages.gpu, stages.pool, stages.ordering.format) : null;
    this.lanes = this.keyed && this.deviceKeys === null ? HOST_CHUNKS : LANES;
    this.hostMemory = createSharedMemory(this.lanes);
  }

  open(expectedBytes: number): Chunk {
    const { gpu, uploads, pool } = this.stages;
    const { chunkBytes, pieceBytes } = this.options;
    if (this.keyed && this.deviceKeys === null) return this.host().openChunk(chunkBytes, pieceBytes);
    return new DeviceText(gpu, uploads, pool, chunkBytes, Math.min(expectedBytes, chunkBytes));
  }

  /** Sorts a chunk, in several parts if it is too large for one sort. */
  async order(chunk: Chunk, bytes: number): Promise<Sorted[]> {
    if (bytes === 0) {
      chunk.release();
      return [];
    }
    if (chunk instanceof DeviceText) return this.orderOnDevice(await chunk.take(), bytes);
    if (!(chunk instanceof HostChunk)) throw new Error('the chunk belongs to another engine');
    return this.ordered(bytes, (results) => this.orderKeyed(chunk, bytes, results, { hashes: this.options.verify }));
  }

  /** Sorts a text of the device, whose buffer it returns to the pool. */
  orderOnDevice(text: GPUBuffer, bytes: number): Promise<Sorted[]> {
    return this.ordered(bytes, (results) => this.orderText(text, bytes, this.deviceKeys, results, this.inputHash));
  }

  /** The results of `work` with `bytes` bytes. */
  private async ordered(bytes: number, work: (results: Sorted[]) => Promise<void>): Promise<Sorted[]> {
    const start = performance.now();
    const results: Sorted[] = [];
    try {
      await work(results);
      spanOnDevice(this.stages, 'order', start, bytes);
      return results;
    } catch (error) {
      for (const result of results) result.release();
      throw error;
    }
  }

  /** The digest of all ordered records, with `verify`. */
  async input(): Promise<Digest> {
    return addDigests(this.hostInput, (await this.inputHash?.digest()) ?? NO_RECORDS);
  }

  /** Returns all buffers and ends threads. */
  async close(): Promise<void> {
    await Promise.all([this.deviceKeys?.close(), this.hostKeys?.close(), this.inputHash?.close()]);
  }

  private host(): HostKeys {
    const { ordering, recorder } = this.stages;
    const { keyThreads, verify } = this.options;
    return (this.hostKeys ??= new HostKeys(ordering, keyThreads, this.hostMemory, {
      verify,
      presence: recorder.presence,
    }));
  }

  /** Lets the host make keyed lines, and hash the lines if `hashes`; then sorts them. */
  private async orderKeyed(
    chunk: HostChunk,
    bytes: number,
    results: Sorted[],
    { hashes }: { readonly hashes: boolean },
  ): Promise<void> {
    const { gpu, uploads, pool, recorder, textBytes } = this.stages;
    const start = performance.now();
    const { texts, input } = await this.host().keyedTexts(chunk, bytes, textBytes, { hashes });
    this.hostInput = addDigests(this.hostInput, input);
    recorder.span('keys', start, bytes);
    for (const parts of texts) {
      const length = parts.reduce((sum, part) => sum + part.bytes, 0);
      await this.orderText(await uploadSources(gpu, uploads, pool, parts), length, null, results, null);
    }
  }

  /**
   * Sorts a text in batches of as many records as one sort takes, then returns it to the pool. `keys` makes keyed lines
   * first; `hash` receives all records.
   */
  private async orderText(
    taken: GPUBuffer,
    bytes: number,
    keys: DeviceKeys | null,
    results: Sorted[],
    hash: InputHash | null,
  ): Promise<void> {
    const { pool, reads, ordering, recordLimit } = this.stages;
    const scratch = new Scratch(pool);
    try {
      const tokenized = await countRecords(scratch, scratch.add(taken), bytes, ordering.format, []);
      if (hash !== null) await this.hashText(hash, scratch, tokenized);
      const held = await this.encoded(scratch, tokenized);
      for (let first = 0; first < tokenized.count; first += recordLimit) {
        const count = Math.min(recordLimit, tokenized.count - first);
        if (keys === null) results.push(await sortRecords(this.stages, scratch, held, { first, count }, null));
        else {
          await keys.order(
            scratch,
            tokenized,
            { first, count },
            (sorted) => {
              results.push(sorted);
            },
            async (from, to) => {
              const lines = await this.host().chunkOf(to - from, async (target) => {
                let at = 0;
                await reads.emit(taken, from, to - from, async (block) => {
                  target.set(block, at);
                  at += block.length;
                });
              });
              await this.orderKeyed(lines, to - from, results, { hashes: false });
            },
          );
        }
      }
    } finally {
      scratch.end();
    }
  }

  /** The text in the form that the engine sorts. If that is a new text, drops the one that was read. */
  private async encoded(scratch: Scratch, tokenized: Tokenized): Promise<Tokenized> {
    const { recoder } = this.stages;
    if (recoder === null) return tokenized;
    const text = await recoder.encode(scratch, tokenized.text, tokenized.textBytes);
    scratch.drop(tokenized.text);
    return { ...tokenized, text };
  }

  /** Hashes a text's records in place, in batches of as many records as one sort takes. */
  private async hashText(hash: InputHash, scratch: Scratch, tokenized: Tokenized): Promise<void> {
    const { recordLimit } = this.stages;
    for (let first = 0; first < tokenized.count; first += recordLimit) {
      const count = Math.min(recordLimit, tokenized.count - first);
      const records = await writeStarts(scratch, tokenized, first, count);
      // The first batch counts all bytes of the text.
      await hash.add(records, first === 0 ? tokenized.textBytes : 0);
      if (records.starts !== null) scratch.drop(records.starts);
    }
  }
}
