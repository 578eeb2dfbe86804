/**
 * The tables of small records in a thread's memory (kernels/wasm/cpu/small-record.ts), and their splitters. Knows no
 * order of many records.
 */
import { SMALL_BYTES, type SmallShape } from '../../keys/small-records.js';
import type { Splitters } from '../../keys/splitters.js';
import { type CpuKernels, layOut, SLACK } from './kernels.js';

/** Bytes of the tables and of the spare record. */
const TABLE_BYTES = 3 * SMALL_BYTES;
/** Bytes of a number that kernels compare. */
const NUMBER_BYTES = 8;
/** A byte of a number that no byte of the record gives. */
const ZERO = 255;

/** Whether splitters divide such records by their whole keys. */
export function isDistributed({ keyBytes }: SmallShape): boolean {
  return keyBytes <= NUMBER_BYTES;
}

/** The kernels with the tables of small records, stored where their free memory began. */
export function placeSmall(kernels: CpuKernels, { bytes, keyBytes }: SmallShape): CpuKernels {
  const [table] = layOut(kernels, [TABLE_BYTES]);
  const places = new Uint8Array(kernels.memory.buffer, table, 2 * SMALL_BYTES).fill(ZERO);
  bytes.forEach((byte, i) => {
    places[placeIn(i)] = byte;
    if (i < keyBytes) places[SMALL_BYTES + placeIn(i)] = byte;
  });
  kernels.setSmall(table!);
  return { ...kernels, free: table! + TABLE_BYTES + SLACK };
}

/** Where byte `i`, counted from the most significant one, lies in two little-endian numbers. */
function placeIn(i: number): number {
  return i - (i % NUMBER_BYTES) + (NUMBER_BYTES - 1 - (i % NUMBER_BYTES));
}

/** Splitters of whole keys of up to 8 bytes: without a prefix. */
export function wholeSplitters({ prefix, keys }: Splitters, reverse: boolean): Splitters {
  const bits = BigInt(8 * prefix.length);
  const begin = prefix.reduce((number, byte) => (number << 8n) | BigInt(reverse ? 255 - byte : byte), 0n);
  return {
    prefix: new Uint8Array(),
    keys: keys.map((key) => (begin << (64n - bits)) | (key >> bits)),
  };
}
