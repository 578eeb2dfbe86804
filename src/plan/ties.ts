/**
 * What is tied in an input, round by round, by a sample of it. Pure.
 *
 * In order, a sample cuts the input into families: each of its records stands for as many as there are more in the input. Where neighbours in the sample
 * part, families part at the same byte, whatever their size: so groups that are seen in the sample are those of the input. A record shares
 * more with others of the input than with any of the sample: of all that share as much as its neighbours do, each byte behind that leaves as many as
 * go on alike by what it tells (surprise.ts).
 */
import type { Sample } from './sample.js';
import { SURPRISE_BYTES } from './surprise.js';

/** The sorted sample, record by record. */
export interface Families {
  /** What each shares with the one before (0 for the first), and how long it is, in ordered bytes. */
  readonly shared: Float64Array;
  readonly lengths: Float64Array;
  /** What its bytes tell behind those that it shares with its neighbours (surprise.ts), and how many of the sample share these. */
  readonly bits: Float32Array;
  readonly sharers: Uint16Array;
  /** 1 where all that share these lie in the same window: there are hardly more of them in the input. */
  readonly near: Uint8Array;
  /** How often neighbours are of different windows, up to each record. */
  readonly changes: Uint16Array;
  /** Share of records that are not seen twice, in the sample and in every 4th record of it. */
  readonly once: number;
  readonly onceOfFourth: number;
}

/** What is still tied when keys of bounded length are sorted for the first time, the second, ... */
export interface Round {
  /** Records in groups that are still tied, as a share of all. */
  readonly share: number;
  /** Records a group, on average, among as many records as were asked about. */
  readonly groupSize: number;
  /** Bytes that groups share beyond what keys told of them, summed over members, by the number of all records. */
  readonly sharedBytes: number;
  /** How likely it is that there are any. */
  readonly chance: number;
}

/** Multiples of it spread evenly below 1. */
const GOLDEN = 0.618034;
/** Share of records half a window from home from which windows are in no order: a quarter is of random ones. */
const SCRAMBLED = 0.125;
/** Rounds with fewer records than this are none. */
const LEAST_TIED = 0.2;

/** How the families of a sample of `count` records are made up. */
interface Growth {
  /** How many records record i stands for. */
  family(i: number): number;
  /** Others, not of the sample, that are like record i as far as `depth`. */
  others(i: number, depth: number): number;
  /** How far the group shares that record i is in at `depth`. */
  common(i: number, depth: number): number;
}

function growth({ ties, records, displaced }: Sample, count: number): Growth {
  const { shared, lengths, bits, sharers, near, once, onceOfFourth } = ties;
  const most = Math.max(1, count / records);
  // Where a window's records are far from home, those about their homes are others; where few are, as few others come from elsewhere. Each course brings as many.
  const window = records / displaced.windows;
  const { strays, displacement, courses } = displaced;
  const nearFamily = Math.min(most, courses * (strays < SCRAMBLED ? 1 + strays : Math.max(1, 2 * displacement * count / window)));
  // Whenever there are four times as many records, so many of those seen once are seen again.
  const copied = 1 - Math.min(1, once / Math.max(onceOfFourth, 1e-9)) ** (Math.log2(most) / 2);
  const isCopied = (i: number): boolean => (i * GOLDEN) % 1 < copied;
  const leaf = (i: number): number => Math.max(shared[i]!, shared[i + 1] ?? 0);
  /** Bits told by the bytes from where record i leaves its neighbours to `depth`. */
  const told = (i: number, depth: number): number => {
    const bytes = Math.min(depth, lengths[i]!) - leaf(i);
    if (bytes <= 0) return 0;
    const known = bits[i * SURPRISE_BYTES + Math.min(SURPRISE_BYTES, Math.floor(bytes)) - 1] ?? 0;
    return bytes <= SURPRISE_BYTES ? known : known * bytes / SURPRISE_BYTES;
  };
  const family = (i: number): number => (near[i] === 1 ? nearFamily : most);
  const others = (i: number, depth: number): number => {
    const more = family(i) - 1;
    return isCopied(i) ? more : more * sharers[i]! * 2 ** -told(i, depth);
  };
  const common = (i: number, depth: number): number => {
    const end = lengths[i]!;
    if (isCopied(i)) return end;
    // A group goes on alike until what a byte tells parts it: two records for a bit, many at once.
    const limit = told(i, depth) + Math.min(1, 1 / others(i, depth));
    let to = depth;
    while (to < end && told(i, to + 1) <= limit) to++;
    return to;
  };
  return { family, others, common };
}

/**
 * Plays the rounds of a sort of `count` such records on the sample: keys reach `reach(0)` bytes beyond what all share; whatever is still tied
 * and goes on skips what its group shares and takes the next `reach(round)` bytes.
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
        for (last = begin; last < to && (last === begin || shared[last]! >= end); last++) {
          if (lengths[last]! <= end) continue;
          if (going++ > 0) least = Math.min(least, shared[last]!);
          standsFor += family(last);
          only = last;
        }
        if (going === 0) continue;
        if (going > 1) {
          members += going;
          // Groups of one window are no larger in the input than these records' families; others take all that lies between windows.
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
    const tied = members * count / m;
    if (tied < LEAST_TIED) return rounds;
    rounds.push({ share: members / m, groupSize: members / found, sharedBytes: sharedBytes / m, chance: 1 - Math.exp(-tied / 2) });
    groups = next;
  }
}

/** What splits from the most significant digit on do. */
export interface Splits {
  /** Levels until all buckets are small enough. */
  readonly levels: number;
  /** How often a record is moved, on average. */
  readonly moves: number;
  /** Records of its bucket, in the end, that a record is compared with. */
  readonly crowd: number;
}

/** Keys of `symbols` symbols, split by digits until buckets have no more than `tile`; what fits that is told apart by one more digit, then one by one. */
export interface SplitShape { readonly tile: number; readonly digitBits: number; readonly lastBits: number; readonly symbolBits: number; readonly symbols: number }

/** Plays splits of `count` such records on the sample. */
export function splitLevels(sample: Sample, count: number, { tile, digitBits, lastBits, symbolBits, symbols }: SplitShape): Splits {
  const { shared, lengths } = sample.ties;
  const m = lengths.length;
  const { others, common } = growth(sample, count);
  const { commonPrefix } = sample;
  const keyBits = symbols * symbolBits;
  const isEqual = (i: number): boolean => shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  /** Runs of [from, to) that are the same as far as `bits`: how many records each stands for, and what it is known to share. */
  const runs = (from: number, to: number, bits: number, each: (begin: number, end: number, size: number, known: number) => void): void => {
    const whole = Math.floor(bits / symbolBits);
    const depth = commonPrefix + whole;
    for (let begin = from, last = from; begin < to; begin = last) {
      let pieces = 1;
      let known = Infinity;
      for (last = begin + 1; last < to && (shared[last]! >= depth || isEqual(last)); last++) {
        if (isEqual(last)) continue;
        known = Math.min(known, shared[last]!);
        if (shared[last] === depth) pieces++;
      }
      const seen = last - begin;
      // Few that are seen are many by chance.
      const likely = Math.max(1, seen - 2 * Math.sqrt(seen));
      const size = seen === 1 ? 1 + others(begin, depth) : likely * count / m;
      // Of the next symbol some bits count, too; where nearly all seen differ there, there are more of them than are seen.
      if (2 * pieces > seen) pieces = Math.max(pieces, Math.min(sample.alphabet, seen * seen / (2 * Math.max(1, seen - pieces))));
      each(begin, last, size / pieces ** (bits / symbolBits - whole), seen === 1 ? common(begin, depth) : known);
    }
  };
  let [levels, moved, crowd] = [0, 0, 0];
  let buckets: [from: number, to: number, bits: number][] = [[0, m, 0]];
  const finish = (from: number, to: number, bits: number): void => {
    runs(from, to, bits + lastBits, (begin, end, size) => { crowd += (end - begin) * Math.min(tile, size); });
  };
  if (count <= tile) return { levels, moves: 0, crowd: 0 };
  for (; buckets.length > 0; levels++) {
    const next: typeof buckets = [];
    let alike = false;
    for (const [from, to, bits] of buckets) {
      moved += to - from;
      const end = bits + digitBits;
      runs(from, to, end, (begin, last, size, known) => {
        if (size <= tile) { finish(begin, last, end); return; }
        const differs = Math.max(end, (known - commonPrefix) * symbolBits);
        if (differs < keyBits) next.push([begin, last, differs]);
        else alike ||= end < keyBits;
      });
    }
    buckets = next;
    // That all go on alike to the ends of their keys takes two levels to find out.
    if (buckets.length === 0 && alike) levels += 2;
  }
  return { levels, moves: moved / m, crowd: crowd / m };
}
