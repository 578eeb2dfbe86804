/**
 * Splits joined records of paired reads (src/input/mates.ts) into the files of the mates. All output passes through
 * here, so kernels/wasm/keys/records/fastx.ts does the work. The ends of records, NULs, become newlines again.
 */

import type { BlockWriter } from '../contract/engine.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { type FastxKernels, PART_BYTES } from '../records/fastx-kernels.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { allOver, rest } from '../system/promises.js';
import { type Filter, oneByOne, WriteBehind } from './filter.js';
import { placeAll } from './put-in-place.js';
import type { Destination } from './writers.js';

/** The minimum bytes per write, except the last one. */
const WRITTEN_BYTES = 1 << 20;
/** A result that is almost large enough to be written must still have room for a whole part. */
const RESULT_BYTES = WRITTEN_BYTES + PART_BYTES + KERNEL_SLACK;

/** Passes lines 1 to 4 of each record to the first writer, lines 5 to 8 to the second, and so on. */
export function splitMates(writers: readonly BlockWriter[]): Filter {
  return oneByOne(new MateSplitter(writers));
}

class MateSplitter {
  private readonly memory = newMemory();
  private readonly kernels = openKeyKernels<FastxKernels>(compileKeyKernels(), this.memory);
  private readonly writers: readonly WriteBehind[];
  private readonly text: Uint8Array;
  /** Where each result begins, and the kernel's table of where it ends. */
  private readonly begins: readonly number[];
  private readonly ends: Uint32Array;
  private readonly room: number;
  /** The line of the record that is open, from 0. */
  private line = 0;

  constructor(writers: readonly BlockWriter[]) {
    this.writers = writers.map((write) => new WriteBehind(write));
    const table = Math.ceil(this.kernels.firstFree() / 16) * 16;
    this.room = table + Math.ceil(writers.length / 4) * 16;
    const results = this.room + PART_BYTES + KERNEL_SLACK;
    growTo(this.memory, results + writers.length * RESULT_BYTES);
    this.text = new Uint8Array(this.memory.buffer);
    this.begins = writers.map((_, i) => results + i * RESULT_BYTES);
    this.ends = new Uint32Array(this.memory.buffer, table, writers.length);
    this.ends.set(this.begins);
  }

  async take(block: Uint8Array): Promise<void> {
    const { begins, ends, room, writers } = this;
    for (let at = 0; at < block.length; at += PART_BYTES) {
      const part = block.subarray(at, at + PART_BYTES);
      copyBytes(part, this.text, room);
      this.line = this.kernels.splitReads(room, room + part.length, ends.byteOffset, writers.length, this.line);
      for (let i = 0; i < writers.length; i++) if (ends[i] - begins[i] >= WRITTEN_BYTES) await this.flush(i);
      await rest();
    }
  }

  async finish(): Promise<void> {
    for (let i = 0; i < this.writers.length; i++) if (this.ends[i] > this.begins[i]) await this.flush(i);
    await allOver(this.writers.map((writer) => writer.ended()));
  }

  /** Begins to write a result. */
  private async flush(i: number): Promise<void> {
    const block = Buffer.from(this.text.subarray(this.begins[i], this.ends[i]));
    this.ends[i] = this.begins[i];
    await this.writers[i].begin(block);
  }
}

/**
 * The destination of joined records: each has one read for each file. A single file is returned unchanged. If one file
 * cannot be completed, none is put in place.
 */
export function splitDestination(files: readonly Destination[]): Destination {
  if (files.length === 1) return files[0];
  const written = files.map(() => 0);
  /** The last write to each file. */
  const writing: Promise<void>[] = files.map(() => Promise.resolve());
  let isOver = false;
  const filter = splitMates(
    files.map((file, i) => (block) => {
      if (isOver) return Promise.reject(new Error('the output is abandoned'));
      written[i] += block.length;
      return (writing[i] = file.write(block));
    }),
  );
  return {
    label: files[0].label,
    file: null,
    expect: () => {},
    write: (block) => filter.write(block),
    complete: async () => {
      await filter.finish();
      for (const [i, file] of files.entries()) await file.complete(written[i]);
    },
    check: () => {
      for (const file of files) file.check();
    },
    place: () => placeAll(files),
    keep: () => null,
    abort: async () => {
      isOver = true;
      await Promise.allSettled(writing);
      for (const file of files) await file.abort();
    },
  };
}
