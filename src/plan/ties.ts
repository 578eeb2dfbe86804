/**
 * Predicts the ties of an input, round by round, from a sample. Pure.
 *
 * The sorted sample divides the input into families: each sampled record stands for its share of the input. Neighboring
 * families differ at the same byte in the input as in the sample, so groups seen in the sample exist in the input.
 * Beyond these bytes, a record still shares bytes with unsampled records: each further byte leaves a fraction of them,
 * given by its information (surprise.ts).
 */
import type { SampleStatistics } from './statistics.js';
import { SURPRISE_BYTES } from './surprise.js';

/** The ties that remain after the first sort of keys of bounded length, after the second, and so on. */
export interface Round {
  /** Share of all records that are in tied groups. */
  readonly share: number;
  /**
   * Bytes that groups share after the compared keys, summed over their members, divided by the number of all records.
   */
  readonly sharedBytes: number;
  /** The probability that there are any ties. */
  readonly chance: number;
}

/**
 * If at least this share of records are strays (at least half a window from their places), windows count as unordered.
 * In random order, a quarter are strays.
 */
const SCRAMBLED = 0.125;
/** Rounds with fewer tied records are ignored. */
const LEAST_TIED = 0.2;

/** The families of an input of `count` records. */
interface Growth {
  /** The number of unsampled records equal to record i in the first `depth` bytes. */
  others(i: number, depth: number): number;
  /** The common prefix of record i's group at `depth`. */
  common(i: number, depth: number): number;
}

function growth({ ties, records, displaced }: SampleStatistics, count: number): Growth {
  const { shared, lengths, bits, sharers, near } = ties;
  const most = Math.max(1, count / records);
  // The size of a family within one window: if the window is scrambled, the family spreads over all windows within the
  // displacement. Each further course brings the same number again.
  const window = records / displaced.windows;
  const { strays, displacement, courses } = displaced;
  const spread = strays < SCRAMBLED ? 1 : Math.max(1, (2 * displacement * count) / window);
  const nearFamily = Math.min(most, courses * spread);
  /** Information in bits between the byte at which record i differs from its neighbors and `depth`. */
  const bitsUpTo = (i: number, depth: number): number => {
    const bytes = Math.min(depth, lengths[i]) - Math.max(shared[i], shared[i + 1] ?? 0);
    if (bytes <= 0) return 0;
    const known = bits[i * SURPRISE_BYTES + Math.min(SURPRISE_BYTES, bytes) - 1];
    return (known * Math.max(SURPRISE_BYTES, bytes)) / SURPRISE_BYTES;
  };
  const others = (i: number, depth: number): number =>
    ((near[i] === 1 ? nearFamily : most) - 1) * sharers[i] * 2 ** -bitsUpTo(i, depth);
  const common = (i: number, depth: number): number => {
    // A group stays together until a byte's information splits it: one bit splits two records, less splits more.
    const limit = bitsUpTo(i, depth) + Math.min(1, 1 / others(i, depth));
    let to = depth;
    while (to < lengths[i] && bitsUpTo(i, to + 1) <= limit) to++;
    return to;
  };
  return { others, common };
}

/**
 * Simulates the rounds of sorting `count` records on the sample. The first keys reach `reach(0)` bytes past the
 * common prefix. Records that are still tied and continue skip their group's common prefix and take the
 * next `reach(round)` bytes.
 */
export function tieRounds(sample: SampleStatistics, count: number, reach: (round: number) => number): Round[] {
  const { shared, lengths } = sample.ties;
  const m = lengths.length;
  const { others, common } = growth(sample, count);
  const rounds: Round[] = [];
  let groups: [from: number, to: number, depth: number][] = [[0, m, sample.commonPrefix]];
  for (let round = 0; ; round++) {
    const next: typeof groups = [];
    let [members, sharedBytes] = [0, 0];
    for (const [from, to, depth] of groups) {
      const end = depth + reach(round);
      for (let begin = from, last = from; begin < to; begin = last) {
        // Records that end within the key are settled.
        let [going, least, only] = [0, Infinity, begin];
        for (last = begin; last < to && (last === begin || shared[last] >= end); last++) {
          if (lengths[last] <= end) continue;
          if (going++ > 0) least = Math.min(least, shared[last]);
          only = last;
        }
        // A single record can be tied only with unsampled ones.
        const tied = going === 1 ? 1 - Math.exp(-others(only, end)) : going;
        if (tied * count < LEAST_TIED) continue;
        if (going === 1) least = common(only, end);
        members += tied;
        sharedBytes += tied * (least - end);
        next.push(going === 1 ? [only, only + 1, least] : [begin, last, least]);
      }
    }
    const tied = (members * count) / m;
    if (tied < LEAST_TIED) return rounds;
    rounds.push({ share: members / m, sharedBytes: sharedBytes / m, chance: 1 - Math.exp(-tied / 2) });
    groups = next;
  }
}

/** Keys of `symbols` symbols are split by digits until a bucket has at most `tile` records. */
interface SplitKeys {
  readonly tile: number;
  readonly digitBits: number;
  readonly symbolBits: number;
  readonly symbols: number;
}

/**
 * Simulates splits from the most significant digit on: the levels until all buckets of `count` records are small
 * enough.
 */
export function splitLevels(
  sample: SampleStatistics,
  count: number,
  { tile, digitBits, symbolBits, symbols }: SplitKeys,
): number {
  const { shared, lengths } = sample.ties;
  const m = lengths.length;
  const { others, common } = growth(sample, count);
  const { commonPrefix } = sample;
  const isEqual = (i: number): boolean => shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  if (count <= tile) return 0;
  let levels = 0;
  for (let buckets: [from: number, to: number, bits: number][] = [[0, m, 0]]; buckets.length > 0; levels++) {
    const next: typeof buckets = [];
    let alike = false;
    for (const [from, to, bits] of buckets) {
      const end = bits + digitBits;
      const whole = Math.floor(end / symbolBits);
      const depth = commonPrefix + whole;
      for (let begin = from, last = from; begin < to; begin = last) {
        let [pieces, known] = [1, Infinity];
        for (last = begin + 1; last < to && (shared[last] >= depth || isEqual(last)); last++) {
          if (isEqual(last)) continue;
          known = Math.min(known, shared[last]);
          if (shared[last] === depth) pieces++;
        }
        const seen = last - begin;
        if (seen === 1) known = common(begin, depth);
        // The count in the sample may be high by chance, so use a low estimate.
        const likely = Math.max(1, seen - 2 * Math.sqrt(seen));
        const size = seen === 1 ? 1 + others(begin, depth) : (likely * count) / m;
        // Some bits of the next symbol also count.
        if (size / pieces ** (end / symbolBits - whole) <= tile) continue;
        const differs = Math.max(end, (known - commonPrefix) * symbolBits);
        if (differs < symbols * symbolBits) next.push([begin, last, differs]);
        else alike ||= end < symbols * symbolBits;
      }
    }
    buckets = next;
    // If all keys left are equal to their ends, finding that out takes two levels.
    if (buckets.length === 0 && alike) levels += 2;
  }
  return levels;
}
