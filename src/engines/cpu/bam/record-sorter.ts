/**
 * Sorts the records in a text of BAM with the kernels of kernels/wasm/bam/. They share a memory with those that inflate
 * (src/codecs/inflate.ts), so text is sorted where it was inflated.
 */

import { INPUT_AT } from '../../../codecs/inflate.js';
import type { Ordering } from '../../../job/ordering.js';
import { KeyMaker } from '../../../keys/key-maker.js';
import type { Presence } from '../../../report/recorder.js';
import { compileInstalled, type WasmGlobal } from '../../../system/installed.js';
import { growTo, KERNEL_SLACK } from '../../../system/memory.js';
import { coordinateIndexBytes, coordinateKeyBytes } from './keys.js';

interface RecordSorterExports {
  readonly count: WasmGlobal;
  readonly isInOrder: WasmGlobal;
  readonly isMalformed: WasmGlobal;
  readonly hasUnplaced: WasmGlobal;
  findFirst(from: number, end: number, references: number): number;
  readRecords(from: number, end: number, references: number, items: number): number;
  sortItems(items: number, count: number, room: number): number;
  gather(items: number, count: number, to: number, hasRows: boolean): number;
  writeIndex(items: number, count: number, keys: number, ends: number): void;
  rowsInOrder(items: number, count: number): number;
  takeRows(items: number, count: number, rows: number): void;
  sortRows(items: number, count: number, room: number): void;
  writeRowIndex(items: number, count: number, at: number): number;
}

/** Minimum bytes of a record. Its item is smaller. */
export const LEAST_RECORD = 36;
const ITEM_BYTES = 16;

/** With more references, a key would have too few bits for the position. */
export const MOST_REFERENCES = 2 ** 21 - 1;

/**
 * The sorted records of a text, which were in [from, to) of it. If `isMalformed`, text that is not a record begins at
 * `to`.
 */
interface SorterRecords {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly isMalformed: boolean;
  /** Whether a record has a reference and no position. */
  readonly hasUnplaced: boolean;
  /** The records in order. Valid until the next call. */
  readonly text: Uint8Array;
}

/** Places in the kernels' memory for a text and for the entries of its records (keys.ts), if there are any. */
interface SorterText {
  readonly text: Uint8Array;
  readonly entries: Uint8Array;
}

/** The addresses of a sort's items, of room for as many, and of the entries of its rows, whose size may be unknown. */
interface SorterLayout {
  readonly items: number;
  readonly room: number;
  readonly entries: number;
}

const aligned = (address: number): number => Math.ceil(address / 16) * 16;

export class RecordSorter {
  /** Whether keys are rows; if not, they are coordinates. */
  readonly hasRows: boolean;
  /** The first address that the kernels do not need. Text that was not inflated is placed there. */
  readonly free: number;
  private readonly memory: WebAssembly.Memory;
  private readonly kernels: RecordSorterExports;
  private readonly keys: KeyMaker | null;
  /** Where the items of the last sorted records are, and where there is room for their index. */
  private items = 0;
  private indexRoom = 0;

  /** `rows`: the ordering whose keys are rows; null: by coordinate. `presence`: see KeyMaker. */
  constructor(memory: WebAssembly.Memory, rows: Ordering | null, presence: Presence | null = null) {
    this.memory = memory;
    this.hasRows = rows !== null;
    this.keys = rows && new KeyMaker(rows, { memory, from: INPUT_AT, isPlain: true, presence });
    this.free = aligned(this.keys?.free ?? INPUT_AT);
    growTo(memory, this.free);
    const module = compileInstalled('dist/wasm/bam.wasm');
    this.kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as RecordSorterExports;
  }

  /** Memory for a text of `bytes` bytes. */
  place(bytes: number, entryBytes = 0): SorterText {
    const { free } = this;
    const { entries } = this.layOut(free, bytes);
    growTo(this.memory, entries + entryBytes);
    const { buffer } = this.memory;
    return { text: new Uint8Array(buffer, free, bytes), entries: new Uint8Array(buffer, entries, entryBytes) };
  }

  /**
   * Sorts the whole records of a text in the memory, stably. `begin`: where the first one begins; null: guess it.
   * `references`: the number of references, at most MOST_REFERENCES.
   */
  sort(text: Uint8Array, references: number, begin: number | null): SorterRecords {
    return this.sortText(text, references, { begin, entryBytes: null });
  }

  /**
   * The same for text that was copied to the result of `place`, with the entries of its records. It begins with a
   * record.
   */
  sortPlaced({ text, entries }: SorterText, references: number): SorterRecords {
    return this.sortText(text, references, { begin: 0, entryBytes: this.hasRows ? entries.length : null });
  }

  /** `entryBytes`: the bytes of the entries that were copied; null: entries are still to be made. */
  private sortText(
    { byteOffset: at, length: bytes }: Uint8Array,
    references: number,
    { begin, entryBytes }: { readonly begin: number | null; readonly entryBytes: number | null },
  ): SorterRecords {
    const { kernels, memory, hasRows } = this;
    const { items, room, entries } = this.layOut(at, bytes);
    // Addresses come as signed numbers.
    const from = begin === null ? kernels.findFirst(at, at + bytes, references) >>> 0 : at + begin;
    const to = kernels.readRecords(from, at + bytes, references, items) >>> 0;
    const count = kernels.count.value;
    const entriesEnd =
      entryBytes !== null ? entries + entryBytes : (this.keys?.entriesOf(from, to, entries, items) ?? entries);
    const target = aligned(entriesEnd + KERNEL_SLACK);
    const end = aligned(target + bytes + KERNEL_SLACK);
    // The index of rows has their entries, and two numbers for each.
    growTo(memory, end + (entriesEnd - entries) + ITEM_BYTES * count + KERNEL_SLACK);
    if (entryBytes !== null) kernels.takeRows(items, count, entries);
    const isInOrder = hasRows
      ? entryBytes === null && kernels.rowsInOrder(items, count) !== 0
      : kernels.isInOrder.value !== 0;
    this.items = items;
    if (!isInOrder && hasRows) kernels.sortRows(items, count, room);
    else if (!isInOrder) this.items = kernels.sortItems(items, count, room) >>> 0;
    this.indexRoom = hasRows ? end : this.items === items ? room : items;
    const sortedAt = isInOrder ? from : target;
    const sortedEnd = isInOrder ? to : kernels.gather(this.items, count, target, hasRows) >>> 0;
    return {
      ...{ from: from - at, to: to - at, count },
      ...{ isMalformed: kernels.isMalformed.value !== 0, hasUnplaced: kernels.hasUnplaced.value !== 0 },
      text: new Uint8Array(memory.buffer, sortedAt, sortedEnd - sortedAt),
    };
  }

  /** Lays out the memory for the sort of a text at `at`, and grows it. */
  private layOut(at: number, bytes: number): SorterLayout {
    const itemBytes = Math.ceil(bytes / LEAST_RECORD) * ITEM_BYTES;
    const items = aligned(at + bytes + KERNEL_SLACK);
    const room = items + itemBytes;
    const entries = room + itemBytes;
    growTo(this.memory, entries);
    return { items, room, entries };
  }

  /**
   * The index of the last sorted records, whose number is `count`, as `indexAt` reads it. Valid until the next call.
   */
  index(count: number): Uint8Array {
    const { kernels, memory, items, indexRoom, hasRows } = this;
    let end = indexRoom + coordinateIndexBytes(count);
    if (hasRows) end = kernels.writeRowIndex(items, count, indexRoom) >>> 0;
    else kernels.writeIndex(items, count, indexRoom, indexRoom + coordinateKeyBytes(count));
    return new Uint8Array(memory.buffer, indexRoom, end - indexRoom);
  }
}
