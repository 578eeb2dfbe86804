/** Memory of WebAssembly. */

/** A page, which memory grows by. */
const PAGE_BYTES = 64 << 10;

/** A memory for kernels that nothing has been laid out in; they have their own numbers in its first page. */
export const newMemory = (): WebAssembly.Memory => new WebAssembly.Memory({ initial: 1 });

/** Makes a memory reach to byte `end`, where it does not. Throws a RangeError where there is no more, or where 4 GiB would not do. */
export function growTo(memory: WebAssembly.Memory, end: number): void {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}
