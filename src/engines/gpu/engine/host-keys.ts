/**
 * Keys made by host threads. Chunks are read into shared memory, threads make keyed lines from parts of them
 * concurrently, and the keyed lines go into upload memory. Knows neither orderings nor what happens to the text later.
 */

import type { Chunk } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import { compileKeyKernels } from '../../../keys/key-maker.js';
import { addDigests, type Digest, NO_RECORDS } from '../../../report/digest.js';
import type { Presence } from '../../../report/recorder.js';
import { explainMemory } from '../../../system/errors.js';
import { allOver } from '../../../system/promises.js';
import { inOneStep } from '../../../system/resumable.js';
import type { SharedMemory } from '../../../system/threads/buffers.js';
import { type Crew, createCrew } from '../../../system/threads/crew.js';
import { compileVerifyKernels } from '../../../verify/kernels.js';
import { type HashedKeyRole, type HashedKeyTask, type KeyedText, openHashedKeyWorker } from './hashed-key-tasks.js';
import type { UploadSource } from './upload.js';

/**
 * Bytes of text per task. A chunk has many tasks so that all threads finish at about the same time; smaller tasks would
 * cost more in messages than they gain.
 */
const TASK_BYTES = 4 << 20;

/** A chunk in shared memory; its pieces are views of it. */
export class HostChunk implements Chunk {
  readonly capacity: number;
  readonly memory: SharedArrayBuffer;
  private readonly pool: SharedMemory;
  private readonly pieceBytes: number;
  private released = false;

  constructor(pool: SharedMemory, capacity: number, pieceBytes: number) {
    this.pool = pool;
    this.capacity = capacity;
    this.pieceBytes = pieceBytes;
    this.memory = pool.take(capacity);
  }

  openPiece(offset: number): Promise<{ readonly bytes: Uint8Array; commit(): void }> {
    return Promise.resolve({
      bytes: new Uint8Array(this.memory, offset, Math.min(this.pieceBytes, this.capacity - offset)),
      commit: () => {},
    });
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.pool.give(this.memory);
  }
}

export class HostKeys {
  private readonly delimiter: number;
  private readonly crew: Crew<HashedKeyTask, KeyedText>;
  private readonly chunks: SharedMemory;

  /**
   * Keys of `ordering`, made by `threads` threads, or by the calling thread if `threads` is 0. Chunks lie in `chunks`.
   * `verify`: lines are hashed. `presence`: see KeyMaker.
   */
  constructor(
    ordering: Ordering,
    threads: number,
    chunks: SharedMemory,
    { verify, presence }: { readonly verify: boolean; readonly presence: Presence | null },
  ) {
    const data: HashedKeyRole = {
      ordering,
      module: compileKeyKernels(),
      presence,
      verifyModule: verify ? compileVerifyKernels() : null,
    };
    this.delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
    this.chunks = chunks;
    let perform: ReturnType<typeof openHashedKeyWorker> | undefined;
    this.crew = createCrew({
      workers: threads,
      role: { name: 'hashed-keys', data },
      helps: false,
      perform: inOneStep((task) => (perform ??= openHashedKeyWorker(data))(task)),
      explain: (error) => explainMemory(error, 'memory exhausted while making keys'),
    });
  }

  openChunk(capacity: number, pieceBytes: number): HostChunk {
    return new HostChunk(this.chunks, capacity, pieceBytes);
  }

  /** A separate chunk for lines that lie elsewhere; `fill` writes them. */
  async chunkOf(bytes: number, fill: (target: Uint8Array) => Promise<void>): Promise<HostChunk> {
    const chunk = new HostChunk(this.chunks, bytes, bytes);
    try {
      await fill(new Uint8Array(chunk.memory, 0, bytes));
      return chunk;
    } catch (error) {
      chunk.release();
      throw error;
    }
  }

  /**
   * The keyed lines of the first `bytes` bytes of a chunk, which is released. They come in order, as texts of at most
   * `most` bytes, each in parts. With `hashes` the digest of the lines is returned too.
   */
  async keyedTexts(
    chunk: HostChunk,
    bytes: number,
    most: number,
    { hashes }: Pick<HashedKeyTask, 'hashes'>,
  ): Promise<{ texts: UploadSource[][]; input: Digest }> {
    try {
      const keyed = await allOver(
        this.tasksOf(chunk.memory, bytes, { most, hashes }).map((task) => this.crew.perform(task)),
      );
      const pieces = keyed.flatMap((text) => text.pieces).filter(({ byteLength }) => byteLength > 0);
      return {
        texts: grouped(pieces, most).map((group) => group.map(sourceOf)),
        input: keyed.reduce((sum, { input }) => addDigests(sum, input ?? NO_RECORDS), NO_RECORDS),
      };
    } finally {
      chunk.release();
    }
  }

  close(): Promise<void> {
    return this.crew.close();
  }

  /** Splits the text into parts that end at a line end. */
  private tasksOf(
    text: SharedArrayBuffer,
    bytes: number,
    { most, hashes }: Pick<HashedKeyTask, 'most' | 'hashes'>,
  ): HashedKeyTask[] {
    const lines = Buffer.from(text, 0, bytes);
    const tasks: HashedKeyTask[] = [];
    for (let from = 0; from < bytes; ) {
      const to = from + TASK_BYTES < bytes ? lines.indexOf(this.delimiter, from + TASK_BYTES) + 1 : bytes;
      tasks.push({ text, from, to, most, hashes });
      from = to;
    }
    return tasks;
  }
}

/** Groups neighbors into texts of at most `most` bytes. */
function grouped(pieces: readonly SharedArrayBuffer[], most: number): SharedArrayBuffer[][] {
  const groups: SharedArrayBuffer[][] = [];
  let room = 0;
  for (const piece of pieces) {
    if (piece.byteLength > room) {
      groups.push([]);
      room = most;
    }
    groups.at(-1)!.push(piece);
    room -= piece.byteLength;
  }
  return groups;
}

function sourceOf(memory: SharedArrayBuffer): UploadSource {
  return {
    bytes: memory.byteLength,
    readAt: async (byte, target) => {
      target.set(new Uint8Array(memory, byte, target.length));
    },
  };
}
