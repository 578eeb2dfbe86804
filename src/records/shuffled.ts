/**
 * --shuffle and --sample: records that get a place in a random order, and lose it again. A place precedes each record,
 * so sorting lines puts records in this order. It depends on the seed and on the record's number in the whole input
 * (kernels/wasm/keys/records/shuffle.ts), so the order does not depend on threads, memory, engines or names of files.
 */
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import type { ByteSource } from '../system/byte-source.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import type { Restorer } from './record-finder.js';

interface ShuffleKernels {
  firstFree(): number;
  setDelimiter(delimiter: number): void;
  setShuffleSeed(seed: number): void;
  setRecordNumber(number: bigint): void;
  recordNumber(): bigint;
  addPlaces(at: number, end: number, to: number, isOpen: number): number;
  dropPlaces(at: number, end: number, left: number): number;
  placeLeft(): number;
  numberAt(at: number): bigint;
}

/** The same number as in kernels/wasm/keys/records/shuffle.ts. */
export const PLACE_BYTES = 10;
const SEED_BYTES = 16;
/** Text passes through the kernels in parts that fit a processor's own cache, with the places. */
const PART_BYTES = 1 << 16;

interface Workbench {
  readonly kernels: ShuffleKernels;
  readonly memory: WebAssembly.Memory;
  /** Addresses: the seed, a part of a text, and its result. */
  readonly seed: number;
  readonly room: number;
  readonly result: number;
}

let loaded: Workbench | undefined;

function workbench(): Workbench {
  if (loaded !== undefined) return loaded;
  const memory = newMemory();
  const kernels = openKeyKernels<ShuffleKernels>(compileKeyKernels(), memory);
  const seed = Math.ceil(kernels.firstFree() / SEED_BYTES) * SEED_BYTES;
  const room = seed + SEED_BYTES;
  const result = room + PART_BYTES + KERNEL_SLACK;
  growTo(memory, result + (1 + PLACE_BYTES) * PART_BYTES + KERNEL_SLACK);
  return (loaded = { kernels, memory, seed, room, result });
}

/** Copies a part of a text into the kernels' memory, with a delimiter after it. */
function placePart({ kernels, memory, room }: Workbench, part: Uint8Array, delimiter: number): void {
  const copy = new Uint8Array(memory.buffer, room, part.length + 1);
  copyBytes(part, copy);
  copy[part.length] = delimiter;
  kernels.setDelimiter(delimiter);
}

/** How lines of all inputs get places in a random order. */
export interface Shuffle {
  readonly seed: Uint8Array;
  readonly delimiter: number;
  /** The records of the first inputs together: of none of them, of the first one, of the first two, ... */
  readonly recordsUpTo: bigint[];
}

export function shuffleBy(seed: Uint8Array, delimiter: number): Shuffle {
  return { seed, delimiter, recordsUpTo: [0n] };
}

/**
 * The records of `reader`, which it owns, each with its place before it. `number`: that of the input, from 1. The
 * inputs are read one after another, perhaps again from the first one on.
 */
export function shuffled(reader: ByteSource, shuffle: Shuffle, number: number): ByteSource {
  const { seed, delimiter, recordsUpTo } = shuffle;
  let next: bigint | null = null;
  let isOpen = false;
  let text = new Uint8Array(0);
  let held = new Uint8Array(0);
  const withPlaces = (part: Uint8Array): Uint8Array => {
    const bench = workbench();
    const { kernels, memory, room, result } = bench;
    new Uint8Array(memory.buffer).set(seed, bench.seed);
    kernels.setShuffleSeed(bench.seed);
    placePart(bench, part, delimiter);
    kernels.setRecordNumber((next ??= recordsUpTo[number - 1]));
    const bytes = kernels.addPlaces(room, room + part.length, result, Number(isOpen)) - result;
    next = kernels.recordNumber();
    isOpen = part[part.length - 1] !== delimiter;
    // Other sorts of this process use the same memory.
    if (held.length < bytes) held = new Uint8Array(bytes);
    held.set(new Uint8Array(memory.buffer, result, bytes));
    return held.subarray(0, bytes);
  };
  return {
    read: async () => {
      if (text.length === 0) {
        const bytes = await reader.read();
        if (bytes === null) {
          recordsUpTo[number] = next ?? recordsUpTo[number - 1];
          return null;
        }
        text = bytes as Uint8Array<ArrayBuffer>;
      }
      const part = text.subarray(0, PART_BYTES);
      text = text.subarray(part.length);
      return withPlaces(part);
    },
    close: () => reader.close(),
  };
}

/** Drops the places of lines that end in `delimiter`. */
export function placeDropper(delimiter: number): Restorer {
  let left = PLACE_BYTES;
  return {
    next: (block, target) => {
      const bench = workbench();
      const { kernels, memory, room } = bench;
      let bytes = 0;
      for (let at = 0; at < block.length; at += PART_BYTES) {
        const part = block.subarray(at, at + PART_BYTES);
        placePart(bench, part, delimiter);
        const size = kernels.dropPlaces(room, room + part.length, left) - room;
        left = kernels.placeLeft();
        target.set(new Uint8Array(memory.buffer, room, size), bytes);
        bytes += size;
      }
      return target.subarray(0, bytes);
    },
    end: () => new Uint8Array(0),
  };
}

/** The number of the record whose place is `place`, counted from 0 over all inputs. */
export function numberOf(place: Uint8Array, seed: Uint8Array): bigint {
  const { kernels, memory, room, ...bench } = workbench();
  const all = new Uint8Array(memory.buffer);
  all.set(seed, bench.seed);
  all.set(place, room);
  kernels.setShuffleSeed(bench.seed);
  return kernels.numberAt(room);
}
