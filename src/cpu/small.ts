/**
 * Small records, which the kernels move whole (kernels/wasm/cpu/small-record.ts): what orders them, and their tables in
 * a thread's memory. Knows no order of many records.
 */
import type { Splitters } from '../keys/splitters.js';
import { type CpuKernels, layOut, SLACK } from './kernels.js';

/** The largest small record: kernels load 16 bytes at a time. */
const MOST_BYTES = 16;
/** Bytes of a number that kernels compare. */
const NUMBER_BYTES = 8;
/** A byte of a number that no byte of the record gives. */
const ZERO = 255;

/** How small records are ordered. Plain data for workers. */
export interface SmallShape {
  /** The bytes that order a record, the most significant first. */
  readonly bytes: readonly number[];
  /** How many of them are the key. */
  readonly keyBytes: number;
}

/** The shape of fixed records with a key at [offset, offset + length); null if they are not small. */
export function smallShape(size: number, offset: number, length: number, lastResort: boolean): SmallShape | null {
  if (size === 0 || size > MOST_BYTES) return null;
  const all = Array.from({ length: size }, (_, byte) => byte);
  const isKey = (byte: number): boolean => byte >= offset && byte < offset + length;
  const rest = lastResort ? all.filter((byte) => !isKey(byte)) : [];
  return { bytes: [...all.filter(isKey), ...rest], keyBytes: length };
}

/** Whether splitters divide such records by their whole keys. */
export function isDistributed({ keyBytes }: SmallShape): boolean {
  return keyBytes <= NUMBER_BYTES;
}

/** The kernels with the tables of small records, stored where their free memory began. */
export function placeSmall(kernels: CpuKernels, { bytes, keyBytes }: SmallShape): CpuKernels {
  const [table] = layOut(kernels, [2 * MOST_BYTES]);
  const places = new Uint8Array(kernels.memory.buffer, table, 2 * MOST_BYTES).fill(ZERO);
  bytes.forEach((byte, i) => {
    places[placeIn(i)] = byte;
    if (i < keyBytes) places[MOST_BYTES + placeIn(i)] = byte;
  });
  kernels.setSmall(table!);
  return { ...kernels, free: table! + 2 * MOST_BYTES + SLACK };
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
