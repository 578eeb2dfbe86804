/**
 * Sorts the records in a text of BAM with the kernels of kernels/wasm/bam/. They share a memory with those that inflate
 * (src/codecs/inflate.ts), so text is sorted where it was inflated.
 */
import { compileInstalled } from '../../../system/installed.js';
import { growTo, KERNEL_SLACK } from '../../../system/memory.js';

interface Global {
  readonly value: number;
}

interface Exports {
  readonly count: Global;
  readonly isInOrder: Global;
  readonly isMalformed: Global;
  readonly hasUnplaced: Global;
  findFirst(from: number, end: number, references: number): number;
  readRecords(from: number, end: number, references: number, items: number): number;
  sortItems(items: number, count: number, room: number): number;
  gather(items: number, count: number, to: number): number;
  writeIndex(items: number, count: number, keys: number, ends: number): void;
}

/** Where text is placed that was not inflated: above all kernels' own variables. */
const TEXT_AT = 1 << 16;
/** The least bytes of a record. Its item has fewer. */
export const LEAST_RECORD = 36;
const ITEM_BYTES = 16;
/** Bytes of the index of a record: its key and its end. */
const KEY_BYTES = 8;
const END_BYTES = 4;

/** More references would not leave a key's position its bits. */
export const MOST_REFERENCES = 2 ** 21 - 1;

/** The key of each record, in order, and where it ends in the sorted text. */
export interface KeyIndex {
  readonly keys: Float64Array;
  readonly ends: Uint32Array;
}

/** The most bytes of the index of a text. */
export function indexRoom(textBytes: number): number {
  return Math.ceil(textBytes / LEAST_RECORD) * (KEY_BYTES + END_BYTES);
}

/** Bytes of the index of so many records. */
const indexBytes = (records: number): number => records * (KEY_BYTES + END_BYTES);

/** The index of `records` records at byte `at` of a memory, a multiple of 8. */
export function indexAt(memory: ArrayBufferLike, at: number, records: number): KeyIndex {
  return {
    keys: new Float64Array(memory, at, records),
    ends: new Uint32Array(memory, at + KEY_BYTES * records, records),
  };
}

/**
 * The records of a text: they were in [from, to) of it. Text that is not a record begins at `to` if `isMalformed`.
 */
interface SortedRecords {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly isMalformed: boolean;
  /** Whether a record has a reference and no position. */
  readonly hasUnplaced: boolean;
  /** The records in order. Valid until the next call. */
  readonly text: Uint8Array;
}

export class RecordSorter {
  private readonly memory: WebAssembly.Memory;
  private readonly kernels: Exports;
  /** Where the items of the records sorted last are, and where there is room for as many. */
  private items = 0;
  private room = 0;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    const module = compileInstalled('dist/wasm/bam.wasm');
    this.kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
  }

  /** Memory for a text of `bytes` bytes. */
  place(bytes: number): Uint8Array {
    growTo(this.memory, TEXT_AT + bytes + KERNEL_SLACK);
    return new Uint8Array(this.memory.buffer, TEXT_AT, bytes);
  }

  /**
   * Sorts the whole records of a text in the memory by coordinate, equal ones in their order. `begin`: where the first
   * one begins; null: that is to be guessed. `references`: the number of references, at most MOST_REFERENCES.
   */
  sort({ byteOffset: at, length: bytes }: Uint8Array, references: number, begin: number | null): SortedRecords {
    const { kernels, memory } = this;
    const aligned = (address: number): number => Math.ceil(address / 16) * 16;
    const itemBytes = Math.ceil(bytes / LEAST_RECORD) * ITEM_BYTES;
    const items = aligned(at + bytes + KERNEL_SLACK);
    const room = items + itemBytes;
    const target = room + itemBytes;
    growTo(memory, target + bytes + KERNEL_SLACK);
    const end = at + bytes;
    // Addresses come as signed numbers.
    const from = begin === null ? kernels.findFirst(at, end, references) >>> 0 : at + begin;
    const to = kernels.readRecords(from, end, references, items) >>> 0;
    const count = kernels.count.value;
    const isInOrder = kernels.isInOrder.value !== 0;
    this.items = isInOrder ? items : kernels.sortItems(items, count, room) >>> 0;
    this.room = this.items === items ? room : items;
    const sortedAt = isInOrder ? from : target;
    const sortedEnd = isInOrder ? to : kernels.gather(this.items, count, target) >>> 0;
    return {
      ...{ from: from - at, to: to - at, count },
      ...{ isMalformed: kernels.isMalformed.value !== 0, hasUnplaced: kernels.hasUnplaced.value !== 0 },
      text: new Uint8Array(memory.buffer, sortedAt, sortedEnd - sortedAt),
    };
  }

  /** The index of the `count` records sorted last, as `indexAt` reads it. Valid until the next call. */
  index(count: number): Uint8Array {
    const { kernels, items, room } = this;
    kernels.writeIndex(items, count, room, room + KEY_BYTES * count);
    return new Uint8Array(this.memory.buffer, room, indexBytes(count));
  }
}
