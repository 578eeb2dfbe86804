/**
 * Predicts the ties of an input, round by round, from a sample. Pure.
 *
 * The sorted sample divides the input into families: each sampled record stands for its share of the input.
 * Neighboring families part at the same byte in the input as in the sample. So groups seen in the sample exist in the
 * input. Beyond them a record shares more with unsampled records: each further byte leaves a fraction given by its
 * information (surprise.ts).
 */
import type { Sample } from './sample.js';
import { SURPRISE_BYTES } from './surprise.js';

/** The sorted sample, record by record. */
export interface Families {
  /** The common prefix with the record before (0 for the first), and the length, in ordered bytes. */
  readonly shared: Float64Array;
  readonly lengths: Float64Array;
  /**
   * The information in the bytes after the longest prefix shared with a neighbor (surprise.ts), and how many records of
   * the sample share that prefix.
   */
  readonly bits: Float32Array;
  readonly sharers: Uint16Array;
  /** 1 if all of these lie in one window: the input then has hardly more of them. */
  readonly near: Uint8Array;
  /** Running count of neighbors from different windows. */
  readonly changes: Uint16Array;
  /** Share of records that occur once in the sample, and in every 4th record of it. */
  readonly once: number;
  readonly onceOfFourth: number;
}

/** What is still tied after the first sort of keys of bounded length, after the second, and so on. */
export interface Round {
  /** Share of all records that are in tied groups. */
  readonly share: number;
  /** Mean records of a group, for the number of records asked about. */
  readonly groupSize: number;
  /**
   * Bytes that groups share after the compared keys, summed over their members, divided by the number of all records.
   */
  readonly sharedBytes: number;
  /** The probability that there are any ties. */
  readonly chance: number;
}

/** The fractional parts of its multiples are spread evenly over [0, 1). */
const GOLDEN = 0.618034;
/**
 * Share of strays (records half a window from home) from which windows count as unordered; random order has a quarter.
 */
const SCRAMBLED = 0.125;
/** Rounds with fewer tied records are ignored. */
const LEAST_TIED = 0.2;

/** The families of an input of `count` records. */
interface Growth {
  /** How many records sampled record i stands for. */
  family(i: number): number;
  /** The number of unsampled records equal to record i in the first `depth` bytes. */
  others(i: number, depth: number): number;
  /** The common prefix of record i's group at `depth`. */
  common(i: number, depth: number): number;
}

function growth({ ties, records, displaced }: Sample, count: number): Growth {
  const { shared, lengths, bits, sharers, near, once, onceOfFourth } = ties;
  const most = Math.max(1, count / records);
  // The size of a family within one window. If few records stray from the window, as few stray into it. If the window
  // is scrambled, the family spreads over all windows within the displacement. Each course brings as many again.
  const window = records / displaced.windows;
  const { strays, displacement, courses } = displaced;
  const nearFamily = Math.min(
    most,
    courses * (strays < SCRAMBLED ? 1 + strays : Math.max(1, (2 * displacement * count) / window)),
  );
  // Each time the number of records grows fourfold, the same share of those seen once is seen again.
  const copied = 1 - Math.min(1, once / Math.max(onceOfFourth, 1e-9)) ** (Math.log2(most) / 2);
  const isCopied = (i: number): boolean => (i * GOLDEN) % 1 < copied;
  const leaf = (i: number): number => Math.max(shared[i], shared[i + 1] ?? 0);
  /** Information from where record i parts from its neighbors to `depth`, in bits. */
  const told = (i: number, depth: number): number => {
    const bytes = Math.min(depth, lengths[i]) - leaf(i);
    if (bytes <= 0) return 0;
    const known = bits[i * SURPRISE_BYTES + Math.min(SURPRISE_BYTES, Math.floor(bytes)) - 1] ?? 0;
    return bytes <= SURPRISE_BYTES ? known : (known * bytes) / SURPRISE_BYTES;
  };
  const family = (i: number): number => (near[i] === 1 ? nearFamily : most);
  const others = (i: number, depth: number): number => {
    const more = family(i) - 1;
    return isCopied(i) ? more : more * sharers[i] * 2 ** -told(i, depth);
  };
  const common = (i: number, depth: number): number => {
    const end = lengths[i];
    if (isCopied(i)) return end;
    // A group stays together until a byte's information splits it: one bit splits two records, less splits more.
    const limit = told(i, depth) + Math.min(1, 1 / others(i, depth));
    let to = depth;
    while (to < end && told(i, to + 1) <= limit) to++;
    return to;
  };
  return { family, others, common };
}

/**
 * Plays the rounds of sorting `count` records on the sample. The first keys reach `reach(0)` bytes past the
 * common prefix. Records that are still tied and continue skip their group's common prefix and take the
 * next `reach(round)` bytes.
 */
export function tieRounds(sample: Sample, count: number, reach: (round: number) => number): Round[] {
  const { shared, lengths, changes } = sample.ties;
  const m = lengths.length;
  const { family, others, common } = growth(sample, count);
  const rounds: Round[] = [];
  let groups: [from: number, to: number, depth: number][] = [[0, m, sample.commonPrefix]];
  for (let round = 0; ; round++) {
    const next: typeof groups = [];
    let [members, found, sharedBytes] = [0, 0, 0];
    for (const [from, to, depth] of groups) {
      const end = depth + reach(round);
      for (let begin = from, last = from; begin < to; begin = last) {
        // Records that end within the key are settled.
        let going = 0;
        let standsFor = 0;
        let least = Infinity;
        let only = begin;
        for (last = begin; last < to && (last === begin || shared[last] >= end); last++) {
          if (lengths[last] <= end) continue;
          if (going++ > 0) least = Math.min(least, shared[last]);
          standsFor += family(last);
          only = last;
        }
        if (going === 0) continue;
        if (going > 1) {
          members += going;
          // Groups within one window are as large as these records' families. Others take all records
          // between their windows.
          found += changes[begin] === changes[last - 1] ? going / standsFor : m / count;
          sharedBytes += going * (least - end);
          next.push([begin, last, least]);
          continue;
        }
        const alike = others(only, end);
        const tied = 1 - Math.exp(-alike);
        if (tied * count < LEAST_TIED) continue;
        const shares = common(only, end);
        members += tied;
        found += tied / Math.max(2, 1 + alike);
        sharedBytes += tied * (shares - end);
        next.push([only, only + 1, shares]);
      }
    }
    const tied = (members * count) / m;
    if (tied < LEAST_TIED) return rounds;
    rounds.push({
      share: members / m,
      groupSize: members / found,
      sharedBytes: sharedBytes / m,
      chance: 1 - Math.exp(-tied / 2),
    });
    groups = next;
  }
}

/** The work of splits from the most significant digit on. */
interface Splits {
  /** Levels until all buckets are small enough. */
  readonly levels: number;
  /** Moves of a record on average. */
  readonly moves: number;
  /** Records of its final bucket that a record is compared with. */
  readonly crowd: number;
}

/**
 * Keys of `symbols` symbols are split by digits until a bucket has at most `tile` records. Such a bucket is split by
 * one more digit, then its records are compared one by one.
 */
interface SplitShape {
  readonly tile: number;
  readonly digitBits: number;
  readonly lastBits: number;
  readonly symbolBits: number;
  readonly symbols: number;
}

/** Plays the splits of `count` records on the sample. */
export function splitLevels(
  sample: Sample,
  count: number,
  { tile, digitBits, lastBits, symbolBits, symbols }: SplitShape,
): Splits {
  const { shared, lengths } = sample.ties;
  const m = lengths.length;
  const { others, common } = growth(sample, count);
  const { commonPrefix } = sample;
  const keyBits = symbols * symbolBits;
  const isEqual = (i: number): boolean => shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  /**
   * Calls `each` for the runs of [from, to) that agree in the first `bits` bits, with the number of records that one
   * run stands for and its known common prefix.
   */
  const runs = (
    from: number,
    to: number,
    bits: number,
    each: (begin: number, end: number, size: number, known: number) => void,
  ): void => {
    const whole = Math.floor(bits / symbolBits);
    const depth = commonPrefix + whole;
    for (let begin = from, last = from; begin < to; begin = last) {
      let pieces = 1;
      let known = Infinity;
      for (last = begin + 1; last < to && (shared[last] >= depth || isEqual(last)); last++) {
        if (isEqual(last)) continue;
        known = Math.min(known, shared[last]);
        if (shared[last] === depth) pieces++;
      }
      const seen = last - begin;
      // The count in the sample may be high by chance, so use a low estimate.
      const likely = Math.max(1, seen - 2 * Math.sqrt(seen));
      const size = seen === 1 ? 1 + others(begin, depth) : (likely * count) / m;
      // Some bits of the next symbol count, too. If nearly all sampled records differ in it, the input has more
      // values than the sample.
      if (2 * pieces > seen)
        pieces = Math.max(pieces, Math.min(sample.alphabet, (seen * seen) / (2 * Math.max(1, seen - pieces))));
      each(begin, last, size / pieces ** (bits / symbolBits - whole), seen === 1 ? common(begin, depth) : known);
    }
  };
  let [levels, moved, crowd] = [0, 0, 0];
  let buckets: [from: number, to: number, bits: number][] = [[0, m, 0]];
  const finish = (from: number, to: number, bits: number): void => {
    runs(from, to, bits + lastBits, (begin, end, size) => {
      crowd += (end - begin) * Math.min(tile, size);
    });
  };
  if (count <= tile) return { levels, moves: 0, crowd: 0 };
  for (; buckets.length > 0; levels++) {
    const next: typeof buckets = [];
    let alike = false;
    for (const [from, to, bits] of buckets) {
      moved += to - from;
      const end = bits + digitBits;
      runs(from, to, end, (begin, last, size, known) => {
        if (size <= tile) {
          finish(begin, last, end);
          return;
        }
        const differs = Math.max(end, (known - commonPrefix) * symbolBits);
        if (differs < keyBits) next.push([begin, last, differs]);
        else alike ||= end < keyBits;
      });
    }
    buckets = next;
    // If all keys left are equal to their ends, finding that out takes two levels.
    if (buckets.length === 0 && alike) levels += 2;
  }
  return { levels, moves: moved / m, crowd: crowd / m };
}
