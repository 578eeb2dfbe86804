/**
 * Level 1 of DEFLATE with the kernel of kernels/wasm/deflate/, which takes half the processor time of zlib's level 1
 * for output of the same size or less (docs/history.md). Each thread has its own memory. The bytes depend on the text
 * alone.
 */
import { compileInstalled } from '../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';

interface DeflateKernels {
  prepare(at: number): number;
  deflate(from: number, to: number, target: number): number;
}

/** The kernels of a thread, their memory, and where their text begins. */
interface Opened {
  readonly kernels: DeflateKernels;
  readonly memory: WebAssembly.Memory;
  readonly from: number;
}

/** The kernels' own variables. */
const VARIABLE_BYTES = 1 << 16;

let opened: Opened | undefined;

function open(): Opened {
  const memory = newMemory();
  const module = compileInstalled('dist/wasm/deflate.wasm');
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as DeflateKernels;
  // The tables have less than 256 KiB.
  growTo(memory, VARIABLE_BYTES + (256 << 10));
  return { kernels, memory, from: kernels.prepare(VARIABLE_BYTES) };
}

/** Bytes that `textBytes` of text may have more than before, each block of 65,280 bytes having a header of 5. */
export function deflateRoom(textBytes: number): number {
  return textBytes + 5 * (1 + Math.floor(textBytes / 0xff00));
}

/** Writes the DEFLATE data of `text` to `target` at `at`, where deflateRoom has room; returns its end. */
export function deflate(text: Uint8Array, target: Uint8Array, at: number): number {
  const { kernels, memory, from } = (opened ??= open());
  const to = from + text.length;
  const begin = to + KERNEL_SLACK;
  growTo(memory, begin + deflateRoom(text.length) + KERNEL_SLACK);
  const bytes = new Uint8Array(memory.buffer);
  copyBytes(text, bytes, from);
  const end = kernels.deflate(from, to, begin);
  copyBytes(bytes.subarray(begin, end), target, at);
  return at + end - begin;
}
