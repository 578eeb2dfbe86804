/**
 * What the tests of the device's stages share: one GPU for each test file, buffers with guard words, texts of many shapes, and
 * the plain order on the host that the kernels are held against.
 */
import { openGpu, requestAdapter, type Gpu } from '../../src/gpu/device.js';
import { allocate, readBack } from '../../src/gpu/dispatch.js';
import type { BufferPool } from '../../src/gpu/pool.js';
import { textBufferBytes, type Records } from '../../src/gpu/records.js';
import type { OrderStage } from '../../src/gpu/stages.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { LINES, silent as NO_RECORDER } from '../support/jobs.js';

let opened: Promise<Gpu> | undefined;

/** This process's GPU. */
export function testGpu(): Promise<Gpu> {
  return opened ??= requestAdapter().then(openGpu);
}

export { LINES, NO_RECORDER };

/** Repeatable numbers below `n` (mulberry32). */
export function random(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** `count` records of lengths from `length()`, with no newline in them, bytes from `alphabet` values on from 'a'. */
export function randomRecords(count: number, length: () => number, next: (n: number) => number, alphabet = 26): Buffer[] {
  return Array.from({ length: count }, () => {
    const record = Buffer.alloc(length());
    for (let i = 0; i < record.length; i++) record[i] = alphabet === 256 ? [next(256), 11][Number(i % 50 === 49)]! : 97 + next(alphabet);
    for (let i = 0; i < record.length; i++) if (record[i] === 10) record[i] = 9;
    return record;
  });
}

/** Records with their delimiters, side by side. */
export function join(records: readonly Uint8Array[], ordering: Ordering = LINES): Buffer {
  if (ordering.format.kind === 'fixed') return Buffer.concat(records);
  const delimiter = Buffer.of(ordering.format.delimiter);
  return Buffer.concat(records.flatMap((record) => [record, delimiter]));
}

export function split(text: Uint8Array, ordering: Ordering = LINES): Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let at = 0; at < text.length;) {
    const end = ordering.format.kind === 'fixed' ? at + ordering.format.size : text.indexOf(ordering.format.delimiter, at);
    records.push(text.subarray(at, end));
    at = ordering.format.kind === 'fixed' ? end : end + 1;
  }
  return records;
}

/** Records in the asked order, duplicates dropped under `unique`: the reference. */
export function sortOnHost(records: readonly Uint8Array[], ordering: Ordering): Uint8Array[] {
  const sorted = [...records].sort((a, b) => compareRecords(ordering, a, b));
  return ordering.unique ? sorted.filter((record, i) => i === 0 || compareRecords(ordering, sorted[i - 1]!, record) !== 0) : sorted;
}

/** A buffer that holds `bytes`, followed by 0xa5 up to `size`. */
export async function bufferOf(gpu: Gpu, bytes: Uint8Array, size = textBufferBytes(bytes.length)): Promise<GPUBuffer> {
  const buffer = await allocate(gpu, size, 'test');
  const whole = new Uint8Array(buffer.size).fill(0xa5);
  whole.set(bytes);
  gpu.device.queue.writeBuffer(buffer, 0, whole);
  return buffer;
}

export async function wordsOf(gpu: Gpu, words: ArrayLike<number>, extra = 0): Promise<GPUBuffer> {
  return bufferOf(gpu, new Uint8Array(Uint32Array.from(words).buffer), (words.length + extra) * 4);
}

export async function readWords(gpu: Gpu, buffer: GPUBuffer, count = buffer.size / 4): Promise<Uint32Array> {
  return new Uint32Array((await readBack(gpu, buffer, 0, count * 4)).buffer);
}

/** Text and starts on the device, from the host. */
export async function recordsOf(gpu: Gpu, records: readonly Uint8Array[], ordering: Ordering = LINES): Promise<Records> {
  const text = join(records, ordering);
  const starts = [0];
  for (const record of records) starts.push(starts[starts.length - 1]! + record.length + (ordering.format.kind === 'lines' ? 1 : 0));
  return { text: await bufferOf(gpu, text), textBytes: text.length, starts: await wordsOf(gpu, starts), count: records.length };
}

/** A sort on the host that keeps the contract of order.ts, and checks what it is given. */
export const HOST_SORT: OrderStage = {
  load: () => Promise.resolve(),
  order: async (gpu: Gpu, pool: BufferPool, records: Records, ordering: Ordering, options) => {
    const starts = await readWords(gpu, records.starts, records.count + 1);
    const text = await readBack(gpu, records.text, 0, records.textBytes);
    const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
    const record = (i: number): Uint8Array => text.subarray(starts[i]!, starts[i + 1]! - delimiter);
    const { slices } = options;
    if (slices !== null) {
      if (slices[0] !== 0 || slices[slices.length - 1] !== records.count) throw new Error(`bad slices ${slices}`);
      for (let s = 1; s < slices.length; s++) {
        for (let i = slices[s - 1]! + 1; i < slices[s]!; i++) if (compareRecords(ordering, record(i - 1), record(i)) > 0) throw new Error('a slice is not in order');
      }
    }
    let order = Array.from({ length: records.count }, (_, i) => i).sort((a, b) => compareRecords(ordering, record(a), record(b)) || a - b);
    if (ordering.unique) order = order.filter((r, i) => i === 0 || compareRecords(ordering, record(order[i - 1]!), record(r)) !== 0);
    const buffer = await pool.take(order.length * 4, 'order');
    gpu.device.queue.writeBuffer(buffer, 0, Uint32Array.from(order));
    return { order: buffer, count: order.length };
  },
};


/** Whether two lists of numbers are the same (a message with a million of them helps nobody). */
export function sameWords(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
