/**
 * What each next byte of a record tells, in bits, given the two before it, as a sample has them: of digits in random order 3.3, of the rest
 * of a word that has begun next to nothing. Pure.
 */

/** Bytes of a record, behind what all share, that are learned from: enough for a few tens of thousands, soon counted. */
const LEARN_BYTES = 32;
/** One pair among 2^28 records, of which some 2^10 were looked at, is tied by chance as far as so many bits. */
const MOST_BITS = 50;
/** Bytes of a record that bits are kept of. */
export const SURPRISE_BYTES = 32;
/** Few of at most 30,000 triples meet another in the table; a larger one is more new memory at every start. */
const HASH_BITS = 19;

/** How often bytes occur: alone, behind another, behind two others; and how often one or two others stand before any, and before how many different ones. */
interface Counts {
  readonly single: Uint32Array;
  readonly pairs: Uint16Array;
  readonly triples: Uint16Array;
  readonly before: Uint32Array;
  readonly differentBefore: Uint16Array;
  readonly twoBefore: Uint16Array;
  readonly differentTwoBefore: Uint16Array;
  total: number;
}

const hash = (before: number, byte: number): number => Math.imul((before << 8) | byte, 0x9e3779b1) >>> (32 - HASH_BITS);
/** The two bytes before `at`; 0 for what is not there. */
const twoBefore = (record: Uint8Array, at: number): number => (at > 1 ? (record[at - 2]! << 8) | record[at - 1]! : at === 1 ? record[0]! : 0);

/**
 * Bits told by the first 1, 2 ... bytes of each record from `begins` on, SURPRISE_BYTES a record; where more than MOST_BITS are, or the record ends, no
 * more are added. What all have in their first `common` bytes teaches nothing, nor does what follows `most` bytes, if that is the same once more.
 */
export function surprises(records: readonly Uint8Array[], begins: ArrayLike<number>, common: number, most: number): Float32Array {
  const counts = learn(records, common, most);
  const result = new Float32Array(records.length * SURPRISE_BYTES);
  for (let r = 0; r < records.length; r++) tell(counts, records[r]!, begins[r]!, result, r * SURPRISE_BYTES);
  return result;
}

function learn(records: readonly Uint8Array[], common: number, most: number): Counts {
  const counts: Counts = {
    single: new Uint32Array(256), pairs: new Uint16Array(65536), triples: new Uint16Array(1 << HASH_BITS), before: new Uint32Array(256), differentBefore: new Uint16Array(256),
    twoBefore: new Uint16Array(65536), differentTwoBefore: new Uint16Array(65536), total: 0,
  };
  const { single, pairs, triples, before, differentBefore, differentTwoBefore } = counts;
  for (let r = 0; r < records.length; r++) {
    const record = records[r]!;
    const end = Math.min(record.length, most, common + LEARN_BYTES);
    let two = twoBefore(record, common);
    for (let at = common; at < end; at++) {
      const byte = record[at]!;
      single[byte]!++;
      before[two & 255]!++;
      counts.twoBefore[two]!++;
      const triple = hash(two, byte);
      if (triples[triple]!++ === 0) differentTwoBefore[two]!++;
      if (pairs[((two & 255) << 8) | byte]!++ === 0) differentBefore[two & 255]!++;
      two = ((two & 255) << 8) | byte;
    }
    counts.total += Math.max(0, end - common);
  }
  return counts;
}

/**
 * How likely a byte is that was seen `count` of `total` times, its own time among them, behind something that `different` bytes follow; `shorter` is how
 * likely it is by a shorter context. Its own time is left out: what was seen once would seem certain. The more different bytes have followed, the more
 * likely is one that never has (as Witten and Bell have it).
 */
function likelihood(count: number, total: number, different: number, shorter: number): number {
  const others = Math.max(0, total - 1);
  const kinds = count > 1 ? different : Math.max(0, different - 1);
  return others + kinds === 0 ? shorter : (Math.max(0, count - 1) + kinds * shorter) / (others + kinds);
}

function tell(counts: Counts, record: Uint8Array, begin: number, result: Float32Array, to: number): void {
  const { single, pairs, triples, before, differentBefore, twoBefore: contexts, differentTwoBefore, total } = counts;
  const count = Math.max(0, Math.min(record.length - begin, SURPRISE_BYTES));
  let two = twoBefore(record, begin);
  let bits = 0;
  let i = 0;
  for (; i < count && bits < MOST_BITS; i++) {
    const byte = record[begin + i]!;
    const seen = ((two & 255) << 8) | byte;
    const p0 = (Math.max(0, single[byte]! - 1) + 1 / 256) / (total + 1);
    const p1 = likelihood(pairs[seen]!, before[two & 255]!, differentBefore[two & 255]!, p0);
    // Triples that meet in the table are not seen more often than what they are made of.
    const p2 = likelihood(Math.min(triples[hash(two, byte)]!, contexts[two]!, pairs[seen]!), contexts[two]!, differentTwoBefore[two]!, p1);
    if (p2 < 1) bits -= Math.log2(p2);
    two = seen;
    result[to + i] = bits;
  }
  result.fill(bits, to + i, to + SURPRISE_BYTES);
}
