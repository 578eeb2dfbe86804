/**
 * A GPU for tests of kernels, one for each test file, and buffers to and from it. Fails where there is no adapter, unless the
 * run declined one (test/setup/gpu.ts).
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { openGpu, requestAdapter, USAGE, type Gpu } from '../../src/gpu/device.js';
import { readBack } from '../../src/gpu/dispatch.js';
import { textBufferBytes, type Records } from '../../src/gpu/records.js';
import { hasGpu } from '../setup/gpu.js';

/** Opens a GPU before this file's tests and closes it after them; call the result inside tests only. */
export function useGpu(): () => Gpu {
  let gpu: Gpu | undefined;
  beforeAll(async () => { if (hasGpu()) gpu = await openGpu(await requestAdapter()); });
  afterAll(() => {
    const reason = gpu?.lostReason();
    gpu?.close();
    // Validation errors surface here even where results happen to be right.
    expect(reason).toBeUndefined();
  });
  return () => gpu!;
}

/** A storage buffer holding `data` (at least 16 bytes). */
export function upload(gpu: Gpu, data: Uint8Array | Uint32Array, bytes: number = data.byteLength): GPUBuffer {
  const size = Math.max(16, Math.ceil(bytes / 4) * 4);
  const buffer = gpu.device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
}

export async function download(gpu: Gpu, buffer: GPUBuffer, words: number): Promise<Uint32Array> {
  return words === 0 ? new Uint32Array(0) : new Uint32Array((await readBack(gpu, buffer, 0, words * 4)).buffer);
}

/** Records (without delimiters) laid out as a tokenizer would: each followed by `delimiter`, or by nothing where it is null. */
export function uploadRecords(gpu: Gpu, records: readonly Uint8Array[], delimiter: number | null): Records {
  const extra = delimiter === null ? 0 : 1;
  const starts = new Uint32Array(records.length + 1);
  records.forEach((r, i) => { starts[i + 1] = starts[i]! + r.length + extra; });
  const textBytes = starts[records.length]!;
  // Bytes past the end may hold anything.
  const text = new Uint8Array(textBufferBytes(textBytes)).fill(0xa5);
  records.forEach((r, i) => {
    text.set(r, starts[i]);
    if (delimiter !== null) text[starts[i + 1]! - 1] = delimiter;
  });
  return { text: upload(gpu, text), textBytes, starts: upload(gpu, starts), count: records.length };
}

export function destroyRecords(records: Records): void {
  records.text.destroy();
  records.starts.destroy();
}
