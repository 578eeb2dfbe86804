/**
 * The key parts in the kernels' format (kernels/wgsl/records/keyed-lines/key-rows.wgsl), and the tables that they need:
 * byte filters, lists of contigs. Pure.
 */
import { type KeyPart, type Ordering, PART_ORDERS } from '../../../../job/ordering.js';
import { spanArguments, spanNumbers } from '../../../../keys/fields.js';
import { contigTable } from '../contig-table.js';

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
