/** A plain model of binary records with typed keys: what gpusort must give, by sorting JavaScript values. */
import type { NumberType, RecordPart } from '../../src/job.js';

/** Compares two records by their keys alone. -1, 0 or 1. */
export function compareTyped(parts: readonly RecordPart[], a: Uint8Array, b: Uint8Array): number {
  for (const part of parts) {
    const sign = part.type === null ? compareBytes(part, a, b) : compareNumbers(part.type, part.offset, a, b);
    if (sign !== 0) return part.reverse ? -sign : sign;
  }
  return 0;
}

function compareBytes({ offset, length }: RecordPart, a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a.subarray(offset, offset + length), b.subarray(offset, offset + length));
}

function compareNumbers(type: NumberType, offset: number, a: Uint8Array, b: Uint8Array): number {
  const [x, y] = [a, b].map((record) => rankOf(type, record.subarray(offset, offset + type.bytes)));
  return x < y ? -1 : Number(x > y);
}

/** An integer that orders a number: its value or, for floating-point numbers, its place in the total order. */
export function rankOf({ kind, bytes, bigEndian }: NumberType, field: Uint8Array): bigint {
  const digits = Buffer.from(bigEndian ? field : field.toReversed()).toString('hex');
  const bits = BigInt(`0x${digits}`);
  const half = 1n << BigInt(8 * bytes - 1);
  if (kind === 'unsigned' || bits < half) return bits;
  // IEEE 754-2008, 5.10: of two negative numbers, the one with the smaller magnitude comes later.
  return kind === 'signed' ? bits - 2n * half : -1n - (bits - half);
}
