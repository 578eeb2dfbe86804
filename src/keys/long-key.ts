/**
 * Makes the key of one long line in little memory: the line, and one row of its key at a time. Its output is the keyed
 * line (keyed.ts) without the line itself. Knows no thread.
 */

import type { Ordering } from '../job/ordering.js';
import type { Presence } from '../report/recorder.js';
import { KERNEL_SLACK, newMemory } from '../system/memory.js';
import { KeyMaker } from './key-maker.js';
import { keyHeader, longestRow } from './keyed.js';

export class LongKey {
  private readonly ordering: Ordering;
  private readonly memory = newMemory();
  private readonly maker: KeyMaker;
  private readonly parts: number;
  private readonly delimiter: number;
  /** Where the line added so far ends, where rows are written, and where the kernels' scratch memory begins. */
  private end = 0;
  private row = 0;
  private spare = 0;
  /**
   * The header; the part of the current row that is still to be read, [at, to) of the memory; and
   * the next row's number.
   */
  private header: Uint8Array | null = null;
  private at = 0;
  private to = 0;
  private next = 0;

  constructor(ordering: Ordering, options: Pick<LongKeyRole, 'module' | 'presence'> = {}) {
    const { key, format } = ordering;
    if (key.kind !== 'normalized' || format.kind !== 'lines') throw new Error('there are no keys to make');
    this.ordering = ordering;
    this.maker = new KeyMaker(ordering, { ...options, memory: this.memory });
    this.parts = key.parts.length;
    this.delimiter = format.delimiter;
  }

  /** Begins a line of `bytes` bytes, without its delimiter. Throws `out-of-memory` if it is too long. */
  open(bytes: number): void {
    const { maker, ordering } = this;
    this.end = maker.free;
    this.row = this.end + bytes + 1 + KERNEL_SLACK;
    this.spare = this.row + longestRow(ordering.key, bytes + 1) + KERNEL_SLACK;
    // Untouched memory costs nothing.
    maker.reserve(this.spare + bytes + 1 + KERNEL_SLACK);
    [this.header, this.at, this.to, this.next] = [null, 0, 0, 0];
  }

  add(bytes: Uint8Array): void {
    new Uint8Array(this.memory.buffer).set(bytes, this.end);
    this.end += bytes.length;
  }

  /**
   * Fills `target` with the next bytes of header and key; returns how many, 0 at the end. Call it after
   * the whole line was added.
   */
  read(target: Uint8Array): number {
    if (this.header === null) {
      const header = (this.header = this.measure());
      target.set(header);
      return header.length;
    }
    while (this.at === this.to && this.next < this.parts) this.makeRow(this.next++, false);
    const bytes = Math.min(target.length, this.to - this.at);
    target.set(new Uint8Array(this.memory.buffer, this.at, bytes));
    this.at += bytes;
    return bytes;
  }

  /** Makes the header, which needs the lengths of all rows. A single row is kept; several are made again by `read`. */
  private measure(): Uint8Array {
    new Uint8Array(this.memory.buffer)[this.end] = this.delimiter;
    let length = 0;
    for (let part = 0; part < this.parts; part++) length += this.makeRow(part, true);
    if (this.parts === 1) this.next = 1;
    else this.at = this.to;
    return keyHeader(this.ordering, length);
  }

  private makeRow(part: number, isNew: boolean): number {
    const { maker, end, row, spare } = this;
    this.at = row;
    this.to = maker.rowTo(part, maker.free, end, row, spare, isNew);
    return this.to - row;
  }
}

/** A thread's task: open a line, add the first bytes of `piece`, or fill `target`. */
export type LongKeyTask =
  | { readonly kind: 'open'; readonly bytes: number }
  | { readonly kind: 'add'; readonly piece: SharedArrayBuffer; readonly bytes: number }
  | { readonly kind: 'read'; readonly target: SharedArrayBuffer };

/** `module`, `presence`: see KeyMaker. */
interface LongKeyRole {
  readonly ordering: Ordering;
  readonly module?: WebAssembly.Module;
  readonly presence?: Presence | null;
}

/** The role `long-key` of src/run/worker.ts. A task returns the number of bytes read. */
export function openLongKeyWorker({ ordering, ...options }: LongKeyRole): (task: LongKeyTask) => number {
  const key = new LongKey(ordering, options);
  return (task) => {
    if (task.kind === 'read') return key.read(new Uint8Array(task.target));
    if (task.kind === 'open') key.open(task.bytes);
    else key.add(new Uint8Array(task.piece, 0, task.bytes));
    return 0;
  };
}
