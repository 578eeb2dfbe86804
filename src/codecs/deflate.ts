/**
 * DEFLATE with the kernel of kernels/wasm/deflate/, at the levels at which it takes much less processor time than zlib
 * for output of about the same size (docs/history.md). Each thread has its own memory. The bytes depend on text and
 * level alone.
 */
import { compileInstalled } from '../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';

interface DeflateKernels {
  prepare(at: number): number;
  deflate(from: number, to: number, target: number, level: number): number;
}

/** The kernels of a thread, their memory, and where their text begins. */
interface Opened {
  readonly kernels: DeflateKernels;
  readonly memory: WebAssembly.Memory;
  readonly from: number;
}

/** The kernels' own variables. */
const VARIABLE_BYTES = 1 << 16;
/** More bytes than the kernels' tables take. */
const TABLE_BYTES = 1 << 20;

let opened: Opened | undefined;

function open(): Opened {
  const memory = newMemory();
  const module = compileInstalled('dist/wasm/deflate.wasm');
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as DeflateKernels;
  growTo(memory, VARIABLE_BYTES + TABLE_BYTES);
  return { kernels, memory, from: kernels.prepare(VARIABLE_BYTES) };
}

/** The maximum bytes that `textBytes` bytes of text can become: each block of 65,280 bytes has a header of 5 bytes. */
export function deflateRoom(textBytes: number): number {
  return textBytes + 5 * (1 + Math.floor(textBytes / 0xff00));
}

/** Whether `deflate` supports the level; zlib is as fast at levels 2 to 5. */
export function isOwnLevel(level: number): boolean {
  return level === 1 || level >= 6;
}

/**
 * Writes the DEFLATE data of `text` at one of our own levels to `target` at `at`, where deflateRoom has room; returns
 * its end.
 */
export function deflate(text: Uint8Array, level: number, target: Uint8Array, at: number): number {
  const { kernels, memory, from } = (opened ??= open());
  const to = from + text.length;
  const begin = to + KERNEL_SLACK;
  growTo(memory, begin + deflateRoom(text.length) + KERNEL_SLACK);
  const bytes = new Uint8Array(memory.buffer);
  copyBytes(text, bytes, from);
  const end = kernels.deflate(from, to, begin, level);
  copyBytes(bytes.subarray(begin, end), target, at);
  return at + end - begin;
}
