/**
 * Sorts the records in a text of BAM with the kernels of kernels/wasm/bam/. They share a memory with those that inflate
 * (src/codecs/inflate.ts), so text is sorted where it was inflated.
 */

import type { BamOrder } from '../../../job/job.js';
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
  makeRows(items: number, count: number, rows: number, natural: boolean): number;
  takeRows(items: number, count: number, rows: number): void;
  sortRows(items: number, count: number, room: number): void;
  writeRowIndex(items: number, count: number, at: number): number;
}

/** Where text that was not inflated is placed: above the variables of all kernels. */
const TEXT_AT = 1 << 16;
/** Minimum bytes of a record. Its item is smaller. */
export const LEAST_RECORD = 36;
const ITEM_BYTES = 16;
/** Maximum bytes of a row's entry for each byte of its record: a byte of a name takes up to two. */
const ROW_SHARE = 2;

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

/** The addresses of the parts of a sort. */
interface SorterLayout {
  readonly items: number;
  readonly room: number;
  readonly rows: number;
  readonly target: number;
  readonly end: number;
}

const aligned = (address: number): number => Math.ceil(address / 16) * 16;

export class RecordSorter {
  private readonly memory: WebAssembly.Memory;
  readonly order: BamOrder;
  private readonly kernels: RecordSorterExports;
  /** Where the items of the last sorted records are, and where there is room for their index. */
  private items = 0;
  private indexRoom = 0;

  constructor(memory: WebAssembly.Memory, order: BamOrder) {
    this.memory = memory;
    this.order = order;
    const module = compileInstalled('dist/wasm/bam.wasm');
    this.kernels = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as RecordSorterExports;
  }

  /** Memory for a text of `bytes` bytes. */
  place(bytes: number, entryBytes = 0): SorterText {
    const { rows } = this.layOut(TEXT_AT, bytes);
    const { buffer } = this.memory;
    return { text: new Uint8Array(buffer, TEXT_AT, bytes), entries: new Uint8Array(buffer, rows, entryBytes) };
  }

  /**
   * Sorts the whole records of a text in the memory, stably. `begin`: where the first one begins; null: guess it.
   * `references`: the number of references, at most MOST_REFERENCES.
   */
  sort(text: Uint8Array, references: number, begin: number | null): SorterRecords {
    return this.sortText(text, references, { begin, hasEntries: false });
  }

  /**
   * The same for text that was copied to the result of `place`, with the entries of its records. It begins with a
   * record.
   */
  sortPlaced({ text }: SorterText, references: number): SorterRecords {
    return this.sortText(text, references, { begin: 0, hasEntries: this.hasRows });
  }

  private sortText(
    { byteOffset: at, length: bytes }: Uint8Array,
    references: number,
    { begin, hasEntries }: { readonly begin: number | null; readonly hasEntries: boolean },
  ): SorterRecords {
    const { kernels, memory, hasRows, order } = this;
    const { items, room, rows, target, end } = this.layOut(at, bytes);
    // Addresses come as signed numbers.
    const from = begin === null ? kernels.findFirst(at, at + bytes, references) >>> 0 : at + begin;
    const to = kernels.readRecords(from, at + bytes, references, items) >>> 0;
    const count = kernels.count.value;
    if (hasEntries) kernels.takeRows(items, count, rows);
    const isInOrder = hasEntries
      ? false
      : hasRows
        ? kernels.makeRows(items, count, rows, order === 'queryname') !== 0
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

  private get hasRows(): boolean {
    return this.order !== 'coordinate';
  }

  /** Lays out the memory for the sort of a text at `at`, and grows it. */
  private layOut(at: number, bytes: number): SorterLayout {
    const itemBytes = Math.ceil(bytes / LEAST_RECORD) * ITEM_BYTES;
    const rowBytes = this.hasRows ? ROW_SHARE * bytes : 0;
    const items = aligned(at + bytes + KERNEL_SLACK);
    const room = items + itemBytes;
    const rows = room + itemBytes;
    const target = aligned(rows + rowBytes);
    const end = aligned(target + bytes + KERNEL_SLACK);
    growTo(this.memory, end + (this.hasRows ? itemBytes + rowBytes + KERNEL_SLACK : 0));
    return { items, room, rows, target, end };
  }

  /**
   * The index of the last sorted records, whose number is `count`, as `indexAt` reads it. Valid until the next call.
   */
  index(count: number): Uint8Array {
    const { kernels, memory, items, indexRoom, order } = this;
    let end = indexRoom + coordinateIndexBytes(count);
    if (order === 'coordinate') kernels.writeIndex(items, count, indexRoom, indexRoom + coordinateKeyBytes(count));
    else end = kernels.writeRowIndex(items, count, indexRoom) >>> 0;
    return new Uint8Array(memory.buffer, indexRoom, end - indexRoom);
  }
}
