/**
 * A run of keyed sized records in shared memory. They cannot be found from any byte, so a run has a sparse index: the
 * first record of each page, and the bytes of all records before it as they were read, without their keys. A walk along
 * the lengths from there finds the others.
 */
import type { Position } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { type TextExtent, TextRun } from './text-run.js';

/** Bytes of a page: few records of short reads. */
const PAGE_BYTES = 1024;
/** Bytes of the lengths in front of the key and of the record. */
const LENGTH_BYTES = 4;
/** Numbers for each page. */
const PAGE_NUMBERS = 2;

/**
 * Two numbers for each page: where the first record begins that begins in the page or after it (the end of the text if
 * none does), and the bytes of the records before that one, without keys. Offsets count from the beginning of the text.
 */
export type PageIndex = Uint32Array;

const viewOf = (text: Uint8Array): DataView => new DataView(text.buffer, text.byteOffset, text.length);

/** The index of a text of keyed sized records. */
export function indexPages(text: Uint8Array): PageIndex {
  // A view reads a number at once: without calls, a record takes a few nanoseconds.
  const view = viewOf(text);
  const end = text.length;
  const index = new Uint32Array(PAGE_NUMBERS * (Math.floor(end / PAGE_BYTES) + 1));
  let entry = 0;
  let nextPage = 0;
  let plain = 0;
  for (let at = 0; ; ) {
    for (; nextPage <= at || (at === end && entry < index.length); nextPage += PAGE_BYTES) {
      index[entry] = at;
      index[entry + 1] = plain;
      entry += PAGE_NUMBERS;
    }
    if (at === end) return index;
    const bytes = view.getUint32(at, true);
    plain += bytes - LENGTH_BYTES - view.getUint32(at + LENGTH_BYTES, true);
    at += LENGTH_BYTES + bytes;
  }
}

export class SizedRun extends TextRun {
  /** The text of the run alone: byte 0 is the run's first one. */
  private readonly own: DataView;
  /** Null: no place has been looked for yet. */
  private index: PageIndex | null;
  /** The place whose plain bytes were asked for last: the next part of a run usually begins there. */
  private lastAt = 0;
  private lastPlain = 0;

  /** `index`: null if it is not known. */
  constructor(
    memory: SharedArrayBuffer,
    extent: TextExtent,
    ordering: Ordering,
    release: () => void = () => {},
    index: PageIndex | null = null,
  ) {
    super(memory, extent, ordering, release);
    this.own = new DataView(memory, extent.begin, extent.end - extent.begin);
    this.index = index;
  }

  /** The bytes of the records in [from, to), without their keys. */
  plainBytes({ byte: from }: Position, { byte: to }: Position): number {
    const before = this.plainBefore(from - this.begin.byte);
    return this.plainBefore(to - this.begin.byte) - before;
  }

  override count({ byte: from }: Position, { byte: to }: Position): number {
    let found = 0;
    for (let at = from; at < to; at = this.recordEnd(at)) found++;
    return found;
  }

  protected override recordEnd(byte: number): number {
    return byte + LENGTH_BYTES + this.own.getUint32(byte - this.begin.byte, true);
  }

  protected override startFrom(byte: number): number {
    const { own, pages } = this;
    const wanted = byte - this.begin.byte;
    let at = pages[PAGE_NUMBERS * Math.floor(wanted / PAGE_BYTES)];
    while (at < wanted) at += LENGTH_BYTES + own.getUint32(at, true);
    return this.begin.byte + at;
  }

  protected override lastBegin(_: number, to: number): number {
    const { own, pages } = this;
    const end = to - this.begin.byte;
    let page = Math.floor((end - 1) / PAGE_BYTES);
    while (pages[PAGE_NUMBERS * page] >= end) page--;
    for (let at = pages[PAGE_NUMBERS * page]; ; ) {
      const next = at + LENGTH_BYTES + own.getUint32(at, true);
      if (next >= end) return this.begin.byte + at;
      at = next;
    }
  }

  private get pages(): PageIndex {
    return (this.index ??= indexPages(new Uint8Array(this.own.buffer, this.own.byteOffset, this.own.byteLength)));
  }

  /** The bytes of the records before the one that begins at `at` of the run's own text, without their keys. */
  private plainBefore(at: number): number {
    if (at === this.lastAt) return this.lastPlain;
    const { own, pages } = this;
    const entry = PAGE_NUMBERS * Math.floor(at / PAGE_BYTES);
    let next = pages[entry];
    let plain = pages[entry + 1];
    while (next < at) {
      const bytes = own.getUint32(next, true);
      plain += bytes - LENGTH_BYTES - own.getUint32(next + LENGTH_BYTES, true);
      next += LENGTH_BYTES + bytes;
    }
    this.lastAt = at;
    this.lastPlain = plain;
    return plain;
  }
}

/** A run of text in memory, in any format. */
export function runInMemory(
  memory: SharedArrayBuffer,
  extent: TextExtent,
  ordering: Ordering,
  release?: () => void,
): TextRun {
  return ordering.format.kind === 'sized'
    ? new SizedRun(memory, extent, ordering, release)
    : new TextRun(memory, extent, ordering, release);
}
