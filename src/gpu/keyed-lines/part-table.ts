/**
 * The key parts in the kernels' format (kernels/wgsl/keyed-lines/key-rows.wgsl), and the byte filters for -d, -i and
 * -f. Pure.
 */
import type { KeyPart, Ordering } from '../../job.js';
import { spanArguments, spanNumbers } from '../../keys/span-numbers.js';

/** Marks a byte that the filter ignores. */
const DROPPED = 256;
const BASE = 255;

interface PartTable {
  readonly count: number;
  /** Eleven words per part. */
  readonly parts: Uint32Array<ArrayBuffer>;
  /** 256 words per table; at least one table. */
  readonly filters: Uint32Array<ArrayBuffer>;
}

/** The table of an ordering whose key parts the device supports (src/gpu/keyed-lines/key-support.ts). */
export function partTable({ key, reverse: all }: Ordering): PartTable {
  if (key.kind !== 'normalised') throw new Error('there are no keys to make');
  const filters: number[][] = [];
  const numbers = new Map<string, number>();
  const filterNumber = (part: KeyPart): number => {
    const { order, dictionary, printing, fold } = part;
    if (order !== 'bytes' || !(dictionary || printing || fold)) return 0;
    const id = JSON.stringify([dictionary, printing, fold]);
    if (!numbers.has(id)) numbers.set(id, filters.push(filterTable(part)));
    return numbers.get(id)!;
  };
  const parts = key.parts.map((part) => {
    return [
      Number(part.order === 'numeric'),
      part.reverse !== all ? BASE - 1 : 0,
      filterNumber(part),
      ...spanArguments(spanNumbers(part.span)),
    ];
  });
  return {
    count: parts.length,
    parts: Uint32Array.from(parts.flat()),
    filters: Uint32Array.from(filters.length === 0 ? filterTable(null) : filters.flat()),
  };
}

/** What each byte counts as; null: itself. The host's version is kernels/wasm/keys/text.ts. */
function filterTable(part: Pick<KeyPart, 'dictionary' | 'printing' | 'fold'> | null): number[] {
  const isUnder = (byte: number, characters: RegExp): boolean => characters.test(String.fromCharCode(byte));
  return Array.from({ length: 256 }, (_, byte) => {
    if (part === null) return byte;
    const drops = part.dictionary ? !isUnder(byte, /[ \t\na-zA-Z0-9]/) : part.printing && !isUnder(byte, /[ -~]/);
    return drops ? DROPPED : part.fold && isUnder(byte, /[a-z]/) ? byte - 32 : byte;
  });
}
