/**
 * Runs the encoding of records (record-encoding.ts) with the kernels of kernels/wasm/shared/record-encoding.ts, which
 * several WebAssembly modules include. Knows addresses, but not what records are for.
 */
import type { EncodingStep, RecordEncoding } from '../job/job.js';
import { growTo, newMemory } from '../system/wasm-memory.js';
import { compileKeyKernels, openKeyKernels } from './key-maker.js';

/** The functions of a module that includes the kernels. Numbers are addresses and counts below 2 ** 32. */
export interface EncodingKernels {
  setEncoding(table: number, steps: number, size: number, low: number, high: number, scratch: number): void;
  encodeRecords(from: number, to: number): void;
  decodeRecords(from: number, to: number): void;
  setShuffles(shuffles: number): void;
}

const STEP_BYTES = 32;
const BACKWARDS = 1;
const HAS_SIGN = 2;
/** Kernels write up to this many bytes past the bytes that they are given. */
const SLACK = 16;

/** Bytes of memory that an encoding takes. */
export function encodingBytes(encoding: RecordEncoding): number {
  const { low, high } = touched(encoding.steps);
  return encoding.steps.length * STEP_BYTES + high - low + SLACK + SHUFFLES_BYTES;
}

/** Sets the encoding of `kernels`, with its table in encodingBytes of `memory` at `place`, a multiple of 8. */
export function placeEncoding(
  kernels: EncodingKernels,
  memory: WebAssembly.Memory,
  encoding: RecordEncoding,
  place: number,
): void {
  const { size, steps } = encoding;
  const view = new DataView(memory.buffer, place, steps.length * STEP_BYTES);
  steps.forEach(({ bytes, to, from, backwards, first, rest, sign }, i) => {
    const at = i * STEP_BYTES;
    view.setUint32(at, bytes, true);
    view.setUint32(at + 4, to, true);
    view.setUint32(at + 8, from, true);
    view.setUint32(at + 12, (backwards ? BACKWARDS : 0) | (sign === null ? 0 : HAS_SIGN), true);
    for (let byte = 0; byte < 7; byte++) view.setUint8(at + 16 + byte, rest);
    view.setUint8(at + 23, first);
    view.setUint32(at + 24, sign ?? 0, true);
  });
  const { low, high } = touched(steps);
  const scratch = place + steps.length * STEP_BYTES;
  kernels.setEncoding(place, steps.length, size, low, high, scratch);
  const shuffles = shufflesOf(encoding);
  if (shuffles === null) return;
  const placed = scratch + high - low + SLACK;
  new Uint8Array(memory.buffer).set(shuffles, placed);
  kernels.setShuffles(placed);
}

/** A vector: one byte for each of 16 bytes of records. */
const VECTOR_BYTES = 16;
const VECTORS = 5;
const SHUFFLES_BYTES = 2 * VECTORS * VECTOR_BYTES;
const NO_SIGN = 255;
/** What a byte is XORed with if its number is negative: its sign stays. */
const BELOW_SIGN = 0x7f;
const ALL_BITS = 0xff;

/**
 * The vectors that encode and decode (kernels/wasm/shared/record-encoding.ts). Null if the encoding spans more than one
 * vector, or if the sign of a number can be decoded only after that of another.
 */
function shufflesOf({ size, steps }: RecordEncoding): Uint8Array | null {
  const { low, high } = touched(steps);
  const together = VECTOR_BYTES % size === 0;
  // Before the bytes are listed: a step may have as many as a large record.
  if (!together && high - low > VECTOR_BYTES) return null;
  const signOf = new Map(steps.flatMap((step) => placesOf(step).map(({ from }) => [from, step.sign])));
  const isChained = (sign: number | null): boolean => {
    const other = sign === null ? null : (signOf.get(sign) ?? null);
    return other !== null && other !== sign;
  };
  if (steps.some(({ sign }) => isChained(sign))) return null;
  const all = new Uint8Array(SHUFFLES_BYTES);
  const [places, , after, signs, ifNegative, placesBack, beforeBack, , signsBack, ifNegativeBack] = Array.from(
    { length: 2 * VECTORS },
    (_, i) => all.subarray(i * VECTOR_BYTES, (i + 1) * VECTOR_BYTES),
  ) as [Uint8Array, ...Uint8Array[]];
  for (const vector of [places, placesBack!]) vector.forEach((_, i) => (vector[i] = i));
  for (const vector of [signs!, signsBack!]) vector.fill(NO_SIGN);
  const encodedPlace = new Map(steps.flatMap((step) => placesOf(step).map(({ from, to }) => [from, to])));
  // Relative to the vector's first byte.
  const starts = together ? Array.from({ length: VECTOR_BYTES / size }, (_, i) => i * size) : [-low];
  for (const start of starts) {
    for (const step of steps) {
      for (const { from, to, inversion } of placesOf(step)) {
        places[start + to] = start + from;
        placesBack![start + from] = start + to;
        after![start + to] = beforeBack![start + to] = inversion;
        if (step.sign === null) continue;
        signs![start + to] = start + step.sign;
        signsBack![start + from] = start + (encodedPlace.get(step.sign) ?? step.sign);
        ifNegative![start + to] = ifNegativeBack![start + from] = from === step.sign ? BELOW_SIGN : ALL_BITS;
      }
    }
  }
  return all;
}

/** For each byte of a step, where it comes from, where it goes and what it is XORed with. */
function placesOf(step: EncodingStep): { from: number; to: number; inversion: number }[] {
  return Array.from({ length: step.bytes }, (_, i) => ({
    from: step.backwards ? step.from - i : step.from + i,
    to: step.to + i,
    inversion: i === 0 ? step.first : step.rest,
  }));
}

/** Bytes of records that are copied to the kernels' memory and encoded at once: they fit a processor's own cache. */
const BATCH_BYTES = 1 << 18;

/** Encodes records for -m, -c, --verify and samples. The engines encode their chunks themselves. */
export class RecordEncoder {
  /** The first byte of the memory that may hold text. */
  readonly free: number;
  private readonly kernels: EncodingKernels & { firstFree(): number };
  private readonly memory: WebAssembly.Memory;
  private readonly batchBytes: number;

  constructor(encoding: RecordEncoding, module = compileKeyKernels(), memory = newMemory()) {
    this.memory = memory;
    this.kernels = openKeyKernels(module, memory);
    const place = Math.ceil(this.kernels.firstFree() / 8) * 8;
    this.free = Math.ceil((place + encodingBytes(encoding)) / 16) * 16;
    this.batchBytes = Math.max(1, Math.floor(BATCH_BYTES / encoding.size)) * encoding.size;
    growTo(memory, this.free);
    placeEncoding(this.kernels, memory, encoding, place);
  }

  /** Encodes the whole records in bytes [from, to) of the memory. */
  encodeAt(from: number, to: number): void {
    this.kernels.encodeRecords(from, to);
  }

  /** Encodes whole records in place. */
  encode(records: Uint8Array): void {
    this.inBatches(records, (from, to) => {
      this.encodeAt(from, to);
    });
  }

  /** Undoes `encode`. */
  decode(records: Uint8Array): void {
    this.inBatches(records, (from, to) => {
      this.kernels.decodeRecords(from, to);
    });
  }

  private inBatches(records: Uint8Array, work: (from: number, to: number) => void): void {
    const { memory, free, batchBytes } = this;
    growTo(memory, free + Math.min(batchBytes, records.length));
    for (let at = 0; at < records.length; at += batchBytes) {
      const batch = records.subarray(at, at + batchBytes);
      new Uint8Array(memory.buffer).set(batch, free);
      work(free, free + batch.length);
      batch.set(new Uint8Array(memory.buffer, free, batch.length));
    }
  }
}

/** The bytes of a record that steps read or write: [low, high). */
function touched(steps: readonly EncodingStep[]): { low: number; high: number } {
  let [low, high] = [Infinity, 0];
  for (const { bytes, to, from, backwards, sign } of steps) {
    const begin = backwards ? from - bytes + 1 : from;
    low = Math.min(low, to, begin, sign ?? to);
    high = Math.max(high, to + bytes, begin + bytes, (sign ?? 0) + 1);
  }
  return { low, high };
}
