/** Creates and grows WebAssembly memories. */
import { GpusortError } from './errors.js';
import { mostKernelMemory } from './limits.js';

/** The unit of growth, and the maximum number of units. */
const PAGE_BYTES = 64 << 10;
const MOST_PAGES = 65536;

/** Kernels read and write up to this many bytes past their texts and results: they take 16 or 32 bytes at a time. */
export const KERNEL_SLACK = 32;

/** An empty memory for kernels. Its first page is for the kernels' own variables. */
export function newMemory(): WebAssembly.Memory {
  checkWebAssembly();
  const most = mostKernelMemory();
  return new WebAssembly.Memory(
    most < MOST_PAGES * PAGE_BYTES ? { initial: 1, maximum: Math.floor(most / PAGE_BYTES) } : { initial: 1 },
  );
}

/** Throws `internal` if Node has no WebAssembly. */
export function checkWebAssembly(): void {
  if (typeof WebAssembly === 'undefined')
    throw new GpusortError('internal', 'Node runs without WebAssembly, which this sort needs', {
      hint: 'Start Node without --jitless. It may be in NODE_OPTIONS.',
    });
}

/**
 * Grows a memory to at least `end` bytes. It grows by at least an eighth, because the runtime checks for garbage at
 * each growth and untouched pages cost nothing. Throws a RangeError if no memory is left or more than 4 GiB would be
 * needed.
 */
export function growTo(memory: WebAssembly.Memory, end: number): void {
  const pages = memory.buffer.byteLength / PAGE_BYTES;
  const missing = Math.ceil(end / PAGE_BYTES) - pages;
  if (missing <= 0) return;
  try {
    memory.grow(Math.max(missing, Math.min(MOST_PAGES - pages, Math.ceil(pages / 8))));
  } catch {
    memory.grow(missing);
  }
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * Copies `source` to `target` from `at` on. It must fit, and the two must not overlap. Used if either is shared memory:
 * TypedArray.set and Buffer.copy then copy byte by byte, at a tenth of the speed, unless both places have the same
 * offset within a word; Buffer.fill copies any memory with memcpy.
 */
export function copyBytes(source: Uint8Array, target: Uint8Array, at = 0): void {
  if (source.length === 0) return;
  if (at + source.length > target.length) throw new RangeError('the source does not fit in the target');
  Buffer.from(target.buffer, target.byteOffset + at, source.length).fill(source);
}

/** The number in the 4 bytes at `at`, lowest first. */
export function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
