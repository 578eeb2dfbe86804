/**
 * The lists of contigs and read groups of key parts in the kernels' memory (kernels/wasm/keys/contig.ts). Parts share
 * equal lists.
 */

import type { KeyPart } from '../job/ordering.js';
import { KERNEL_SLACK } from '../system/memory.js';

/** The exports of the kernels that build tables. */
export interface ContigKernels {
  contigTableBytes(count: number): number;
  makeContigTable(table: number, count: number, at: number, end: number): void;
}

interface PlacedList {
  readonly names: Uint8Array;
  readonly count: number;
  readonly at: number;
  readonly table: number;
}

const NEWLINE = 10;
const WORD_BYTES = 4;

export class ContigTables {
  private readonly kernels: ContigKernels;
  private readonly lists: readonly PlacedList[];
  /** The address after all tables. */
  readonly end: number;

  /** Lays out the lists of `parts` from address `at` on. */
  constructor(kernels: ContigKernels, parts: readonly KeyPart[], at: number) {
    this.kernels = kernels;
    const lists: PlacedList[] = [];
    for (const names of new Set(parts.flatMap(({ contigs, libraries }) => [contigs, libraries?.groups]))) {
      if (names === undefined) continue;
      const count = names.reduce((sum, byte) => sum + Number(byte === NEWLINE), 0);
      const table = Math.ceil((at + names.length + KERNEL_SLACK) / WORD_BYTES) * WORD_BYTES;
      lists.push({ names, count, at, table });
      at = table + kernels.contigTableBytes(count);
    }
    this.lists = lists;
    this.end = at;
  }

  /** Makes the tables; the memory must extend to `end`. */
  make(memory: WebAssembly.Memory): void {
    for (const { names, count, at, table } of this.lists) {
      new Uint8Array(memory.buffer).set(names, at);
      this.kernels.makeContigTable(table, count, at, at + names.length);
    }
  }

  /** The table of a list. */
  tableOf(names: Uint8Array): number {
    return this.lists.find((list) => list.names === names)!.table;
  }
}
