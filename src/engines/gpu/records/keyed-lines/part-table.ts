/**
 * The key parts in the kernels' format (kernels/wgsl/records/keyed-lines/key-rows.wgsl), and the tables that they need:
 * byte filters, lists of contigs. Pure.
 */
import { type KeyPart, type Ordering, PART_ORDERS } from '../../../../job/ordering.js';
import { spanArguments, spanNumbers } from '../../../../keys/fields.js';

/** Marks a byte that the filter ignores. */
const DROPPED = 256;
const BASE = 255;

/** Stands for no table. */
const NO_TABLE = 0xffffffff;
const [TAB, COMMA] = [9, 44];

interface PartTable {
  readonly count: number;
  /** Twelve words per part. */
  readonly parts: Uint32Array<ArrayBuffer>;
  /** The filters, 256 words each, and the lists of contigs that parts name; at least one word. */
  readonly tables: Uint32Array<ArrayBuffer>;
}

/**
 * The table of an ordering whose key parts the device supports (src/engines/gpu/records/keyed-lines/key-support.ts).
 */
export function partTable({ key, reverse: all }: Ordering): PartTable {
  if (key.kind !== 'normalized') throw new Error('there are no keys to make');
  const tables = new Tables();
  const parts = key.parts.map((part) => [
    PART_ORDERS.indexOf(part.order),
    part.reverse !== all ? BASE - 1 : 0,
    tables.tableOf(part),
    ...spanArguments(spanNumbers(part.span)),
    Number(part.dropsReturn ?? false),
  ]);
  return { count: parts.length, parts: Uint32Array.from(parts.flat()), tables: tables.words() };
}

/** Tables one after the other. Parts share equal ones. */
class Tables {
  private readonly tables: Uint32Array[] = [];
  private readonly places = new Map<unknown, number>();
  private end = 0;

  /** The word at which the table of a part begins; NO_TABLE if it needs none. */
  tableOf(part: KeyPart): number {
    const { order, contigs, dictionary, printing, fold } = part;
    if (order === 'contig' || order === 'mapped-contig') return this.place(contigs, () => contigTable(contigs!));
    if (order === 'alleles') return this.place(order, allelesTable);
    if (order === 'numeric' || !(dictionary || printing || fold)) return NO_TABLE;
    return this.place(JSON.stringify([dictionary, printing, fold]), () => filterTable(part));
  }

  words(): Uint32Array<ArrayBuffer> {
    const words = new Uint32Array(Math.max(1, this.end));
    for (let i = 0, at = 0; i < this.tables.length; at += this.tables[i++].length) words.set(this.tables[i], at);
    return words;
  }

  private place(id: unknown, make: () => Uint32Array): number {
    let place = this.places.get(id);
    if (place === undefined) {
      const table = make();
      place = this.end;
      this.places.set(id, place);
      this.tables.push(table);
      this.end += table.length;
    }
    return place;
  }
}

/** Alleles are compared with a tab after each. */
function allelesTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => (byte === COMMA ? TAB : byte));
}

/** What each byte counts as. The host's version is kernels/wasm/keys/text.ts. */
function filterTable({ dictionary, printing, fold }: KeyPart): Uint32Array {
  const isUnder = (byte: number, characters: RegExp): boolean => characters.test(String.fromCharCode(byte));
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    const drops = dictionary ? !isUnder(byte, /[ \t\na-zA-Z0-9]/) : printing && !isUnder(byte, /[ -~]/);
    return drops ? DROPPED : fold && isUnder(byte, /[a-z]/) ? byte - 32 : byte;
  });
}

/** Ends each name in a list of contigs. Tables of contigs: kernels/wgsl/records/keyed-lines/key-contigs.wgsl. */
const NEWLINE = 10;
/** The words of a list before its slots, and those of a slot. */
const HEAD_WORDS = 3;
const SLOT_WORDS = 3;
const MULTIPLIER = 0x9e3779b1;

/** The list of `contigs`, each followed by a newline. Of equal names the first counts. */
function contigTable(contigs: Uint8Array): Uint32Array {
  const names = namesOf(contigs);
  // A power of two, at least twice the count.
  const slots = 4 << (31 - Math.clz32(names.length | 1));
  const text = HEAD_WORDS + SLOT_WORDS * slots;
  const table = new Uint32Array(names.reduce((sum, { words }) => sum + words.length, text));
  table.set([names.length, digitsOf(names.length), slots - 1]);
  let end = text;
  for (const [rank, { words, bytes }] of names.entries()) {
    const slot = findSlot(table, words, bytes);
    if (table[slot] !== 0) continue;
    table.set([rank + 1, bytes, end], slot);
    table.set(words, end);
    end += words.length;
  }
  return table.subarray(0, end);
}

/** The digits of a key: ranks up to `count`, which means no contig. */
function digitsOf(count: number): number {
  return count < BASE ? 1 : count < BASE ** 2 ? 2 : count < BASE ** 3 ? 3 : 4;
}

interface Name {
  readonly bytes: number;
  /** The name in little-endian words, with zeros after its end. */
  readonly words: Uint32Array;
}

function namesOf(contigs: Uint8Array): Name[] {
  const names: Name[] = [];
  for (let at = 0; at < contigs.length; ) {
    const end = contigs.indexOf(NEWLINE, at);
    const padded = new Uint8Array(Math.ceil((end - at) / 4) * 4);
    padded.set(contigs.subarray(at, end));
    names.push({ bytes: end - at, words: new Uint32Array(padded.buffer) });
    at = end + 1;
  }
  return names;
}

/** The place of the slot that holds a name, or of the empty slot where it belongs. */
function findSlot(table: Uint32Array, words: Uint32Array, bytes: number): number {
  const mask = table[2];
  for (let i = hashOf(words, bytes) & mask; ; i = (i + 1) & mask) {
    const slot = HEAD_WORDS + SLOT_WORDS * i;
    const [found, length, begin] = table.subarray(slot, slot + SLOT_WORDS);
    if (found === 0 || (length === bytes && words.every((word, j) => table[begin + j] === word))) return slot;
  }
}

/** The hash of a name, as in the kernel. */
function hashOf(words: Uint32Array, bytes: number): number {
  let hash = bytes;
  for (const word of words) {
    hash = Math.imul(hash ^ word, MULTIPLIER) >>> 0;
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
