/**
 * The compiled stages (kernels/wasm/cpu/) and the memory in which each thread runs them. Knows addresses, not their
 * contents.
 *
 * V8 compiles them in 0.3 ms to baseline code and, in the background, to optimized code, which all threads share. The
 * same stages in JavaScript had to be compiled in each thread, and took three to eight times as long (4 MiB of lines: 8
 * ms against 1).
 */

import type { RecordForm } from '../../contract/engine.js';
import type { EncodingKernels } from '../../keys/record-encoding.js';
import { internalError } from '../../system/errors.js';
import { compileInstalled } from '../../system/installed.js';
import { copyBytes, growTo, KERNEL_SLACK, newMemory } from '../../system/memory.js';
import type { RecordShape, SegmentShape } from './shape.js';

/** Bytes of an item: a record while it is being ordered. */
export const ITEM_BYTES = 16;

/** Bytes of a range of items that are still tied. */
export const RANGE_BYTES = 16;

/** Bytes per run of a merge: its head, and its part of the loser tree. */
export const HEAD_BYTES = 32;
export const TREE_BYTES = 48;

/** Maximum records per call: V8 replaces a function's baseline code by optimized code only at its next call. */
export const STEP_RECORDS = 4096;

/** Bits that `notice` returns for the records of a tile; 0: they are neither in order nor in reverse. */
export const NATURAL = { rising: 1, falling: 2, equals: 4 } as const;

/** The numbers of the forms in which `openOutput` writes records (kernels/wasm/cpu/output.ts). */
export const FORM = { run: 0, plain: 1, newlines: 2, bam: 3 } as const satisfies Record<RecordForm, number>;

/**
 * Memory below this holds the kernels' own tables (BINS in kernels/wasm/cpu/sort.ts). Those of the keys begin here:
 * `memoryBase` in kernels/wasm/keys/asconfig.json.
 */
const FIRST_FREE = 32 << 10;

/** The functions a thread calls, each described at its definition. Numbers are addresses and counts below 2 ** 32. */
export interface CpuKernels extends EncodingKernels {
  readonly memory: WebAssembly.Memory;
  /** The first address that `layOut` may use. */
  readonly free: number;
  setRecords(delimiter: number, size: number, sized: number, keyed: number): void;
  setKey(offset: number, length: number): void;
  setOrder(reverse: number, unique: number, lastResort: number): void;
  setSegments(...shape: SegmentShape): void;
  sharedBytes(a: number, b: number, most: number): number;
  lineEndAt(at: number): number;
  readRecords(from: number, to: number, items: number, most: number): number;
  textEnd(items: number, count: number): number;
  order(items: number, count: number, room: number, ranges: number): number;
  notice(items: number, from: number, to: number): number;
  reverseItems(items: number, count: number): void;
  keptBytes(items: number, count: number): number;
  dropItem(item: number): void;
  compareLast(begin: number, end: number, item: number): number;
  checksum(begin: number, end: number): number;
  sharedByRun(begin: number, end: number, other: number): number;
  setSplitters(splitters: number, buckets: number, prefix: number, prefixBytes: number, cells: number): void;
  sampleKeys(from: number, to: number, count: number, keys: number): number;
  countBuckets(items: number, count: number, sums: number): void;
  setSmall(places: number): void;
  smallInOrder(from: number, to: number, strictly: number): number;
  insertSmall(begin: number, from: number, to: number, most: number): number;
  dropSmallRepeats(last: number, from: number, to: number, place: number): number;
  differingBytes(model: number, from: number, to: number): number;
  countByte(from: number, to: number, place: number, counts: number): void;
  countFourBytes(from: number, to: number, a: number, b: number, c: number, d: number, counts: number): void;
  placeValues(counts: number, place: number): void;
  moveByByte(from: number, to: number, place: number, places: number): void;
  countSmallBuckets(from: number, to: number, numbers: number, sums: number): void;
  fillSmallBuckets(from: number, to: number, numbers: number, ends: number): void;
  placeBuckets(sums: number, buckets: number, place: number): void;
  fillBuckets(items: number, count: number, ends: number): void;
  sameSegment(beginA: number, endA: number, beginB: number, endB: number): number;
  firstSegmentEnd(items: number, count: number): number;
  lastSegmentBegin(items: number, count: number): number;
  orderSegments(items: number, count: number, room: number, ranges: number): void;
  openOutput(target: number, form: number): void;
  appendText(begin: number, end: number, count: number): void;
  gather(items: number, count: number): void;
  gatherEntries(items: number, count: number): void;
  writeEntries(items: number, count: number, to: number, index: number): number;
  readEntries(from: number, to: number, record: number, items: number): number;
  gatherRecords(items: number, count: number, to: number): number;
  openRepeats(table: number, entries: number, items: number): void;
  openCopies(table: number, entries: number, heap: number, bytes: number): void;
  growTable(table: number, entries: number): void;
  copiesEnd(): number;
  openAdded(counts: number): void;
  takeCounts(from: number, to: number, most: number, target: number): number;
  countsTaken(): number;
  measureParts(from: number, to: number, most: number, parts: number, shift: number): number;
  moveToParts(from: number, to: number, most: number, parts: number, shift: number, counts: number): number;
  setSeed(low: number, high: number): void;
  repeatRecords(from: number, to: number, room: number): number;
  countSome(from: number, to: number, most: number): void;
  countRecords(from: number, to: number, most: number): number;
  distinctRecords(): number;
  moveDistinct(target: number): void;
  gatherRepeats(from: number, most: number): void;
  lastItems(items: number, count: number, most: number): number;
  tightenBound(begin: number, last: number): void;
  withinBound(items: number, count: number): number;
  recordsEnd(begin: number, count: number): number;
  outputEnd(): number;
  outputRecords(): number;
  addRun(heads: number, run: number, from: number, to: number): void;
  openMerge(heads: number, runs: number, tree: number, depth: number): void;
  merge(most: number): number;
  foundDisorder(): number;
}

let compiled: WebAssembly.Module | undefined;

/** The stages, compiled once in this thread; the module can be posted to others. Built by `npm run build`. */
export function compileKernels(): WebAssembly.Module {
  return (compiled ??= compileInstalled('dist/wasm/cpu.wasm'));
}

/** The stages for records of `shape`, in a memory of their own, or in one that others use up to `free`. */
export function openKernels(
  module: WebAssembly.Module,
  shape: RecordShape,
  memory = newMemory(),
  free = FIRST_FREE,
): CpuKernels {
  if (free < FIRST_FREE) throw internalError(`tables of keys end at ${free}, inside those of the sort`);
  const stages = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Omit<
    CpuKernels,
    'memory' | 'free'
  >;
  const kernels = { ...stages, memory, free };
  const { delimiter, size, sized, keyOffset, keyLength, reverse, unique, lastResort, keyed } = shape;
  kernels.setRecords(delimiter, size, Number(sized), Number(keyed));
  kernels.setSeed(randomWord(), randomWord());
  kernels.setKey(keyOffset, keyLength);
  kernels.setOrder(Number(reverse), Number(unique), Number(lastResort));
  if (shape.segments !== null) kernels.setSegments(...shape.segments);
  return kernels;
}

/** A random number of 32 bits. */
export const randomWord = (): number => Math.floor(Math.random() * 2 ** 32);

/**
 * Lays out the memory from `from` on, replacing any earlier layout there. Returns the addresses of blocks of the given
 * sizes, with KERNEL_SLACK between them.
 */
export function layOut({ memory, free }: CpuKernels, sizes: readonly number[], from = free): number[] {
  let end = Math.ceil(from / 16) * 16;
  const places = sizes.map((bytes) => {
    const place = end;
    end = Math.ceil((end + bytes + KERNEL_SLACK) / 16) * 16;
    return place;
  });
  // Throws if there is no memory, or if more than 4 GiB are needed.
  growTo(memory, end);
  return places;
}

export function copyIn({ memory }: CpuKernels, text: Uint8Array, place: number): void {
  copyBytes(text, new Uint8Array(memory.buffer), place);
}

/** Whole records in the memory, in bytes [begin, end). The bytes before them are preserved. */
export interface PlacedText {
  readonly begin: number;
  readonly end: number;
}

/** Copies texts to the beginning of the free memory, one after another. */
export function placeTexts(kernels: CpuKernels, texts: readonly Uint8Array[]): PlacedText {
  const [begin] = layOut(kernels, [texts.reduce((sum, { length }) => sum + length, 0)]) as [number];
  // One view for all of them: there may be hundreds. `fill` copies as copyBytes does.
  const memory = Buffer.from(kernels.memory.buffer);
  let end = begin;
  for (const text of texts) {
    const next = end + text.length;
    if (text.length > 0) memory.fill(text, end, next);
    end = next;
  }
  return { begin, end };
}

export function copyOut({ memory }: CpuKernels, from: number, end: number, target: Uint8Array): void {
  copyBytes(new Uint8Array(memory.buffer, from, end - from), target);
}
