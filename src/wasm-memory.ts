/** Memory of WebAssembly. */
import { mostKernelMemory } from './limits.js';

/** A page, which memory grows by; and the most pages. */
const PAGE_BYTES = 64 << 10;
const MOST_PAGES = 65536;

/** A memory for kernels that nothing has been laid out in; they have their own numbers in its first page. */
export function newMemory(): WebAssembly.Memory {
  const most = mostKernelMemory();
  return new WebAssembly.Memory(most < MOST_PAGES * PAGE_BYTES ? { initial: 1, maximum: Math.floor(most / PAGE_BYTES) } : { initial: 1 });
}

/**
 * Makes a memory reach to byte `end`, where it does not; by an eighth at least, as the runtime looks for garbage each time. What is not touched costs nothing. Throws a RangeError where
 * there is no more, or where 4 GiB would not do.
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
