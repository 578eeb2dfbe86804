/**
 * Shared by the tests of the device's stages: a GPU for each test file, buffers that show unwritten words, records of
 * many shapes, and a sort on the host.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { requestAdapter } from '../../../src/engines/gpu/device/adapters.js';
import { type Gpu, openGpu, USAGE } from '../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../src/engines/gpu/device/dispatch.js';
import type { DevicePool } from '../../../src/engines/gpu/device/pool.js';
import type { SortStage } from '../../../src/engines/gpu/engine/stages.js';
import { buffersOf, type Records, startsOf, textBufferBytes } from '../../../src/engines/gpu/records/records.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { compareRecords } from '../../../src/keys/compare.js';
import { hasGpu } from '../../setup/gpu.js';
import { asNew, keepingPipelines } from '../../support/one-gpu.js';
import type { RandomBelow } from '../../support/random.js';
import { join, LINES, positionsOf } from '../../support/records.js';

/**
 * The system's GPU, open for the life of the process. Test files share processes (vitest.config.ts) and so compiled
 * kernels.
 */
let shared: Gpu | undefined;

async function sharedGpu(): Promise<Gpu> {
  const isUsable = shared !== undefined && shared.lostReason() === undefined;
  if (!isUsable) shared = keepingPipelines(await openGpu(await requestAdapter()));
  return asNew(shared!);
}

/**
 * Gives this file's tests the system's GPU; or opens the device of `adapter` before them and closes it after them. Call
 * the result only inside tests. Fails if there is no adapter, unless the run declined one (test/setup/gpu.ts).
 */
export function useGpu(adapter: (() => Promise<GPUAdapter>) | null = null): () => Gpu {
  let gpu: Gpu | undefined;
  beforeAll(async () => {
    if (hasGpu()) gpu = adapter === null ? await sharedGpu() : await openGpu(await adapter());
  });
  afterAll(async () => {
    await gpu?.noteErrors();
    const reason = gpu?.lostReason();
    if (adapter !== null) gpu?.close();
    // Reports validation errors even if all results happen to be right.
    expect(reason).toBeUndefined();
  });
  return () => gpu!;
}

/**
 * `count` records of lengths from `length()`, without newlines; their bytes are the first `alphabet` letters, or any
 * bytes if `alphabet` is 256.
 */
export function randomRecords(count: number, length: () => number, next: RandomBelow, alphabet = 26): Buffer[] {
  return Array.from({ length: count }, () => {
    const record = Buffer.alloc(length());
    for (let i = 0; i < record.length; i++)
      record[i] = alphabet === 256 ? [next(256), 11][Number(i % 50 === 49)] : 97 + next(alphabet);
    for (let i = 0; i < record.length; i++) if (record[i] === 10) record[i] = 9;
    return record;
  });
}

/** A storage buffer of `size` bytes (at least 16) that holds `data`, then bytes 0xa5. */
export function upload(gpu: Gpu, data: Uint8Array | Uint32Array, size: number = data.byteLength): GPUBuffer {
  const buffer = gpu.device.createBuffer({
    size: Math.max(16, Math.ceil(size / 4) * 4),
    usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST,
    mappedAtCreation: true,
  });
  const mapped = new Uint8Array(buffer.getMappedRange());
  mapped.fill(0xa5);
  mapped.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
}

/** Text, padded as kernels require. */
export function uploadText(gpu: Gpu, text: Uint8Array): GPUBuffer {
  return upload(gpu, text, textBufferBytes(text.length));
}

/** Records (without delimiters), laid out as by the tokenizer. */
export function uploadRecords(gpu: Gpu, records: readonly Uint8Array[], ordering: Ordering = LINES): Records {
  const text = join(records, ordering);
  const starts = Uint32Array.from(positionsOf(records, ordering), ({ byte }) => byte);
  return {
    text: uploadText(gpu, text),
    textBytes: text.length,
    starts: ordering.format.kind === 'fixed' ? null : upload(gpu, starts),
    count: records.length,
  };
}

export function destroyRecords(records: Records): void {
  for (const buffer of buffersOf(records)) buffer.destroy();
}

export async function readWords(gpu: Gpu, buffer: GPUBuffer, count = buffer.size / 4): Promise<Uint32Array> {
  return count === 0 ? new Uint32Array(0) : new Uint32Array((await readBack(gpu, buffer, 0, count * 4)).buffer);
}

/** A sort on the host with the contract of a sort of strings. It checks its input. */
export const HOST_SORT: SortStage = {
  load: () => Promise.resolve(),
  loadMerge: () => Promise.resolve(),
  order: async (gpu: Gpu, pool: DevicePool, records: Records, ordering: Ordering, options) => {
    const starts = await startsOf(
      gpu,
      records,
      Array.from({ length: records.count + 1 }, (_, i) => i),
    );
    const text = await readBack(gpu, records.text, 0, records.textBytes);
    const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
    const record = (i: number): Uint8Array => text.subarray(starts[i], starts[i + 1] - delimiter);
    const { slices } = options;
    if (slices !== null) {
      if (slices[0] !== 0 || slices[slices.length - 1] !== records.count) throw new Error(`bad slices ${slices}`);
      for (let s = 1; s < slices.length; s++) {
        for (let i = slices[s - 1] + 1; i < slices[s]; i++)
          if (compareRecords(ordering, record(i - 1), record(i)) > 0) throw new Error('a slice is not in order');
      }
    }
    let order = Array.from({ length: records.count }, (_, i) => i).sort(
      (a, b) => compareRecords(ordering, record(a), record(b)) || a - b,
    );
    if (ordering.unique)
      order = order.filter((r, i) => i === 0 || compareRecords(ordering, record(order[i - 1]), record(r)) !== 0);
    const buffer = await pool.take(order.length * 4, 'order');
    gpu.device.queue.writeBuffer(buffer, 0, Uint32Array.from(order));
    return { order: buffer, count: order.length };
  },
};

/** Whether two lists of numbers are equal. (A failure message with a million numbers would not help.) */
export function sameWords(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Where runs of these lengths begin, and where the last one ends. */
export function boundsOf(lengths: readonly number[]): number[] {
  const bounds = [0];
  for (const length of lengths) bounds.push(bounds[bounds.length - 1] + length);
  return bounds;
}
