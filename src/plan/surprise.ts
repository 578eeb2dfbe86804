/**
 * The information in each byte of a record, in bits, given the two bytes before it, estimated from a sample: 3.3 for
 * digits in random order, almost nothing for the rest of a word. Pure.
 */

/**
 * Bytes of each record, after the common prefix, to learn from: enough for a few tens of thousands of
 * triples, counted quickly.
 */
const LEARN_BYTES = 32;
/** Enough bits: among 2^28 records, of which about 2^10 were sampled, one pair is tied by chance this far. */
const MOST_BITS = 50;
/** Bytes of a record for which bits are kept. */
export const SURPRISE_BYTES = 32;
/** Few of at most 30,000 triples collide in the table. A larger one would touch more new memory at every start. */
const HASH_BITS = 19;

/**
 * How often bytes occur alone, after another byte and after two; how often one or two bytes precede another one, and
 * how many different bytes follow them.
 */
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
/** The two bytes before `at`; 0 for those before the record. */
const twoBefore = (record: Uint8Array, at: number): number =>
  at > 1 ? (record[at - 2] << 8) | record[at - 1] : at === 1 ? record[0] : 0;

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
  for (let r = 0; r < records.length; r++) tell(counts, records[r], begins[r], result, r * SURPRISE_BYTES);
  return result;
}

function learn(records: readonly Uint8Array[], common: number, most: number): Counts {
  const counts: Counts = {
    single: new Uint32Array(256),
    pairs: new Uint16Array(65536),
    triples: new Uint16Array(1 << HASH_BITS),
    before: new Uint32Array(256),
    differentBefore: new Uint16Array(256),
    twoBefore: new Uint16Array(65536),
    differentTwoBefore: new Uint16Array(65536),
    total: 0,
  };
  const { single, pairs, triples, before, differentBefore, differentTwoBefore } = counts;
  for (let r = 0; r < records.length; r++) {
    const record = records[r];
    const end = Math.min(record.length, most, common + LEARN_BYTES);
    let two = twoBefore(record, common);
    for (let at = common; at < end; at++) {
      const byte = record[at];
      single[byte]++;
      before[two & 255]++;
      counts.twoBefore[two]++;
      const triple = hash(two, byte);
      if (triples[triple]++ === 0) differentTwoBefore[two]++;
      if (pairs[((two & 255) << 8) | byte]++ === 0) differentBefore[two & 255]++;
      two = ((two & 255) << 8) | byte;
    }
    counts.total += Math.max(0, end - common);
  }
  return counts;
}

/**
 * The probability of a byte seen `count` of `total` times, itself included, after a context that `different` bytes
 * follow. `shorter` is its probability in a shorter context. The occurrence itself is left out, or a byte seen once
 * would seem certain. The more different bytes have followed, the more likely is a new one (as in Witten and Bell).
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
    const byte = record[begin + i];
    const seen = ((two & 255) << 8) | byte;
    const p0 = (Math.max(0, single[byte] - 1) + 1 / 256) / (total + 1);
    const p1 = likelihood(pairs[seen], before[two & 255], differentBefore[two & 255], p0);
    // Limit the counts of colliding triples: a triple cannot occur more often than its parts.
    const p2 = likelihood(
      Math.min(triples[hash(two, byte)], contexts[two], pairs[seen]),
      contexts[two],
      differentTwoBefore[two],
      p1,
    );
    if (p2 < 1) bits -= Math.log2(p2);
    two = seen;
    result[to + i] = bits;
  }
  result.fill(bits, to + i, to + SURPRISE_BYTES);
}
