/** The compiled kernels of --verify (kernels/verify/) and the text that they are given. Knows addresses, no order. */
import type { Digest } from '../digest.js';
import { readInstalled } from '../installed.js';
import type { RecordFormat } from '../job.js';
import { growTo } from '../wasm-memory.js';

/** Bytes that are read after the end of any text: it is read in steps of 16. */
export const SLACK = 16;
/**
 * Most records in one call: V8 replaces a function's first, plain code by good code when the function is called again.
 */
export const STEP_RECORDS = 4096;

/**
 * What a thread calls; each function is described where it is written. Numbers are addresses and counts, below 2 ** 32.
 */
export interface Kernels {
  setFormat(delimiter: number, size: number): void;
  resetSums(): void;
  recordCount(): number;
  hashSum(): bigint;
  sumRecords(from: number, to: number, most: number): number;
  sumKeyed(from: number, to: number, most: number): number;
  textBytes(): number;
  sumCounted(from: number, to: number, most: number): number;
  countedSum(): number;
  setOrder(keyBegin: number, keyBytes: number, lastResort: number, reverse: number, unique: number): void;
  setPrevious(exists: number, begin: number, end: number): void;
  checkRecords(from: number, to: number, most: number, pardoned: number): number;
  checkKeyed(from: number, to: number, most: number, pardoned: number): number;
  openParts(at: number): void;
  addPart(
    numeric: number,
    larger: number,
    beginField: number,
    beginByte: number,
    beginBlanks: number,
    endField: number,
    endByte: number,
    endBlanks: number,
    separator: number,
    separatorBytes: number,
  ): void;
  checkParts(from: number, to: number, most: number, pardoned: number): number;
  foundUnread(): number;
  foundDisorder(): number;
  previousRecordBegin(): number;
  previousRecordEnd(): number;
  openRecord(): void;
  addToRecord(from: number, to: number): void;
  closeRecord(from: number, to: number): void;
}

let compiled: WebAssembly.Module | undefined;

/** The kernels, compiled once; can be posted to other threads. Built by `npm run build`. */
export function compileVerifyKernels(): WebAssembly.Module {
  return (compiled ??= new WebAssembly.Module(
    readInstalled(new URL('../../dist/verify/kernels.wasm', import.meta.url)),
  ));
}

/** The kernels for records of `format`, in a memory that may be others' as well: they keep nothing there. */
export function openVerifyKernels(
  module: WebAssembly.Module,
  format: RecordFormat,
  memory: WebAssembly.Memory,
): Kernels {
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
  kernels.setFormat(format.kind === 'lines' ? format.delimiter : 0, format.kind === 'fixed' ? format.size : 0);
  return kernels;
}

/** The digest of the whole records [from, to) of the kernels' memory. */
export function digestAt(kernels: Kernels, from: number, to: number): Digest {
  kernels.resetSums();
  for (let at = from; at < to;) at = kernels.sumRecords(at, to, STEP_RECORDS);
  return { records: kernels.recordCount(), bytes: to - from, hash: BigInt.asUintN(64, kernels.hashSum()) };
}

/** The same of keyed lines, of whose text alone it is. */
export function keyedDigestAt(kernels: Kernels, from: number, to: number): Digest {
  kernels.resetSums();
  for (let at = from; at < to;) at = kernels.sumKeyed(at, to, STEP_RECORDS);
  return { records: kernels.recordCount(), bytes: kernels.textBytes(), hash: BigInt.asUintN(64, kernels.hashSum()) };
}

/** Copies text to `place`; returns where it ends. */
export function copyTo(memory: WebAssembly.Memory, text: Uint8Array, place: number): number {
  growTo(memory, place + text.length + SLACK);
  new Uint8Array(memory.buffer).set(text, place);
  return place + text.length;
}
