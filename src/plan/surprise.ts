/**
 * Estimates the information in each byte of a record from a sample, in bits, given the two bytes before it: 3.3 for
 * digits in random order, almost nothing for the rest of a word. Pure.
 */

/** Bytes of each record, after the common prefix, to learn from: enough for a few tens of thousands of contexts. */
const LEARN_BYTES = 32;
/** Enough bits: among 2^28 records, of which about 2^10 were sampled, one pair is tied by chance this far. */
const MOST_BITS = 50;
/** Bytes of a record for which bits are kept. */
export const SURPRISE_BYTES = 32;
/** The maximum number of bytes before a byte on which its probability depends. */
const CONTEXT_BYTES = 2;
/** Few of at most 30,000 triples collide in the table. A larger table would touch more new memory at every start. */
const HASH_BITS = 19;
/** Used in place of the byte after a context: how often the context occurs, and how many different bytes follow it. */
const ANY = 256;
const KINDS = 257;
/** Entries for each preceding byte: 256 bytes, ANY and KINDS. */
const ROW = 258;
/** Where triples begin: after rows for each byte and for no byte, and two entries for each pair of bytes. */
const TRIPLES = 257 * ROW + 2 * 65536;

/**
 * The bits in the first 1, 2 ... bytes of each record from `begins` on, SURPRISE_BYTES values a record. The sum stops
 * growing after MOST_BITS and at the record's end. Learns neither from the common prefix of `common` bytes nor from
 * bytes after the first `most`, which may repeat earlier ones.
 */
export function surprises(
  records: readonly Uint8Array[],
  begins: ArrayLike<number>,
  common: number,
  most: number,
): Float32Array {
  const counts = learn(records, common, most);
  const result = new Float32Array(records.length * SURPRISE_BYTES);
  for (let r = 0; r < records.length; r++) {
    let bits = 0;
    for (let i = 0; i < SURPRISE_BYTES; i++) {
      const at = begins[r] + i;
      if (at < records[r].length && bits < MOST_BITS) bits -= Math.log2(probability(counts, records[r], at));
      result[r * SURPRISE_BYTES + i] = bits;
    }
  }
  return result;
}

/** Counts of bytes and kinds by context. */
function learn(records: readonly Uint8Array[], common: number, most: number): Uint32Array {
  const counts = new Uint32Array(TRIPLES + (1 << HASH_BITS));
  for (const record of records) {
    const end = Math.min(record.length, most, common + LEARN_BYTES);
    for (let at = common; at < end; at++) {
      const before = twoBefore(record, at);
      for (let size = 0; size <= CONTEXT_BYTES; size++) {
        counts[slot(size, before, ANY)]++;
        if (counts[slot(size, before, record[at])]++ === 0) counts[slot(size, before, KINDS)]++;
      }
    }
  }
  return counts;
}

/**
 * The probability of the byte at `at`, from longer and longer contexts. The occurrence itself is left out; otherwise a
 * byte seen once would seem certain. The more different bytes have followed, the more likely a new one is (as in Witten
 * and Bell).
 */
function probability(counts: Uint32Array, record: Uint8Array, at: number): number {
  const before = twoBefore(record, at);
  let result = 1 / 256;
  let count = Infinity;
  for (let size = 0; size <= CONTEXT_BYTES; size++) {
    const total = counts[slot(size, before, ANY)];
    const kinds = counts[slot(size, before, KINDS)];
    // Slots may collide, but nothing occurs more often in a longer context.
    count = Math.min(count, total, counts[slot(size, before, record[at])]);
    const others = Math.max(0, total - 1);
    const different = count === 1 ? Math.max(0, kinds - 1) : kinds;
    if (count > 1 || different > 0) result = (Math.max(0, count - 1) + different * result) / (others + different);
  }
  return result;
}

/** The two bytes before `at`; 0 for those before the record. */
function twoBefore(record: Uint8Array, at: number): number {
  return at > 1 ? (record[at - 2] << 8) | record[at - 1] : at === 1 ? record[0] : 0;
}

/** Where `byte` after the last `size` bytes of `before` is counted. Only triples share slots. */
function slot(size: number, before: number, byte: number): number {
  if (size < 2) return (size === 0 ? 256 : before & 255) * ROW + byte;
  if (byte >= ANY) return 257 * ROW + 2 * before + byte - ANY;
  return TRIPLES + (Math.imul((before << 8) | byte, 0x9e3779b1) >>> (32 - HASH_BITS));
}
