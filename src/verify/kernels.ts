/** The compiled kernels of --verify (kernels/wasm/verify/) and the text they get. Knows addresses, but no order. */

import type { RecordFormat } from '../job/ordering.js';
import type { SpanArguments } from '../keys/fields.js';
import type { Digest } from '../report/digest.js';
import { compileInstalled } from '../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK } from '../system/memory.js';

/** Maximum records per call: V8 switches to a function's optimized code only when it is called again. */
export const CHECKED_PER_CALL = 4096;

/**
 * The functions that a thread calls, each described at its definition. Their arguments are addresses and counts below 2
 * ** 32.
 */
export interface VerifyKernels {
  setFormat(delimiter: number, size: number): void;
  resetSums(): void;
  recordCount(): number;
  hashSum(): bigint;
  sumRecords(from: number, to: number, most: number): number;
  sumKeyed(from: number, to: number, most: number): number;
  textBytes(): number;
  sumCounted(from: number, to: number, most: number, labelled: number): number;
  countedSum(): number;
  setOrder(keyBegin: number, keyBytes: number, lastResort: number, reverse: number, unique: number): void;
  setPrevious(exists: number, begin: number, end: number): void;
  checkRecords(from: number, to: number, most: number, pardoned: number): number;
  checkKeyed(from: number, to: number, most: number, pardoned: number): number;
  openParts(at: number): void;
  addPart(numeric: number, larger: number, dropsReturn: number, ...span: SpanArguments): void;
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

/** The kernels, compiled once; they can be posted to other threads. `npm run build` makes the file. */
export function compileVerifyKernels(): WebAssembly.Module {
  return (compiled ??= compileInstalled('dist/wasm/verify.wasm'));
}

/** The kernels for records of `format`. They may share `memory` with others, because they keep nothing there. */
export function openVerifyKernels(
  module: WebAssembly.Module,
  format: RecordFormat,
  memory: WebAssembly.Memory,
): VerifyKernels {
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as VerifyKernels;
  kernels.setFormat(format.kind === 'lines' ? format.delimiter : 0, format.kind === 'fixed' ? format.size : 0);
  return kernels;
}

/** The digest of the whole records in bytes [from, to) of the kernels' memory. */
export function digestAt(kernels: VerifyKernels, from: number, to: number): Digest {
  kernels.resetSums();
  for (let at = from; at < to; ) at = kernels.sumRecords(at, to, CHECKED_PER_CALL);
  return { records: kernels.recordCount(), bytes: to - from, hash: BigInt.asUintN(64, kernels.hashSum()) };
}

/** The digest of the text of keyed lines, without their keys. */
export function keyedDigestAt(kernels: VerifyKernels, from: number, to: number): Digest {
  kernels.resetSums();
  for (let at = from; at < to; ) at = kernels.sumKeyed(at, to, CHECKED_PER_CALL);
  return { records: kernels.recordCount(), bytes: kernels.textBytes(), hash: BigInt.asUintN(64, kernels.hashSum()) };
}

/** Copies text to `place` and returns where it ends. */
export function copyTo(memory: WebAssembly.Memory, text: Uint8Array, place: number): number {
  growTo(memory, place + text.length + KERNEL_SLACK);
  copyBytes(text, new Uint8Array(memory.buffer), place);
  return place + text.length;
}
