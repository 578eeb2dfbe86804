/** Tables of contigs, in which kernels look up names (kernels/wgsl/shared/contig-table.wgsl). Pure. */

/** Keys are digits of this base. */
const BASE = 255;
/** Ends each name. */
const NEWLINE = 10;
/** The words of a table before its slots, and those of a slot. */
const HEAD_WORDS = 3;
const SLOT_WORDS = 3;
const MULTIPLIER = 0x9e3779b1;

/** The table of the names in `contigs`, each followed by a newline. Of equal names the first counts. */
export function contigTable(contigs: Uint8Array): Uint32Array {
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
