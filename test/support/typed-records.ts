/** A plain model of binary records with typed keys: the expected output, by sorting JavaScript values. */
import type { EncodingStep, NumberType, RecordEncoding, RecordPart } from '../../src/job/ordering.js';

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

/** Encodes whole records in place, as the kernels do. */
export function encodeRecords({ size, steps }: RecordEncoding, records: Uint8Array): void {
  for (let at = 0; at < records.length; at += size) {
    const record = records.slice(at, at + size);
    for (const step of steps) {
      const negative = step.sign === null ? 0 : -(record[step.sign] >> 7);
      for (let i = 0; i < step.bytes; i++)
        records[at + step.to + i] = record[sourceOf(step, i)] ^ inversionOf(step, i, negative);
    }
  }
}

/** Undoes encodeRecords. */
export function decodeRecords({ size, steps }: RecordEncoding, records: Uint8Array): void {
  for (let at = 0; at < records.length; at += size) {
    const encoded = records.slice(at, at + size);
    for (const step of steps) {
      // A step's first byte may be the one with the sign.
      const holder = step.sign === step.from ? encoded[step.to] ^ step.first : records[at + (step.sign ?? 0)];
      const negative = step.sign === null ? 0 : -(holder >> 7);
      for (let i = 0; i < step.bytes; i++)
        records[at + sourceOf(step, i)] = encoded[step.to + i] ^ inversionOf(step, i, negative);
    }
  }
}

function sourceOf({ from, backwards }: EncodingStep, i: number): number {
  return backwards ? from - i : from + i;
}

/** `negative`: -1 if the number's sign is set, else 0. */
function inversionOf(step: EncodingStep, i: number, negative: number): number {
  const isSign = sourceOf(step, i) === step.sign;
  return (i === 0 ? step.first : step.rest) ^ (negative & (isSign ? 0xff ^ 0x80 : 0xff));
}
