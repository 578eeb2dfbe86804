/**
 * What a sample of records tells of the input: the few numbers that the estimates of costs.ts are made of. Pure.
 */
import type { Ordering } from '../job.js';
import { alphabetOf } from '../keys/alphabet.js';
import { compareBytes } from '../keys/compare.js';
import { commonPrefixLength, orderedBytes } from '../keys/ordered-bytes.js';
import { displacementOf, keyValues, type Displacement } from './displacement.js';

export interface Sample {
  /** Records looked at. */
  readonly records: number;
  /** Their mean length with delimiters: the input has its bytes / recordBytes records. */
  readonly recordBytes: number;
  /** Mean length of what orders them. */
  readonly orderedBytes: number;
  /** Different bytes, and what of them a key of 64 bits holds (src/keys/alphabet.ts). */
  readonly alphabet: number;
  readonly symbolBits: number;
  readonly keySymbols: number;
  /** Bytes that all share. */
  readonly commonPrefix: number;
  /** Symbols of the first key that are not the same in all. */
  readonly differingSymbols: number;
  /** Mean of what sorted neighbours share, in bytes, and how much more it becomes whenever the records are doubled. */
  readonly neighbourPrefix: number;
  readonly growth: number;
  /** Share of records that differ from all others. */
  readonly distinct: number;
  /** From 0, in order or in reverse order, to 1: places in the order say nothing of places in the input. */
  readonly scatter: number;
  /** How far they are from their places, of keys of 64 bits. */
  readonly displaced: Displacement;
  /** What each record in order shares with the one before (0 for the first), and how long it is, in ordered bytes. */
  readonly ties: { readonly shared: Float64Array; readonly lengths: Float64Array };
}

/** Ordered bytes that are looked at: what is tied beyond costs each algorithm the same. */
const LOOK_BYTES = 4096;
/** Bytes that a number holds exactly. */
const HEAD_BYTES = 6;
/** Doublings over which growth is measured of late. Large alphabets have it go up and down, too short to matter beside keys of 8 bytes. */
const LATE_DOUBLINGS = 2;
/** Sorted neighbours share so many bytes less than log2(records) / entropy. */
const NEIGHBOUR_BYTES = 0.7;
/** Multiples of it spread evenly below 1. */
const GOLDEN = 0.618034;

/** The sample's statistics; `windows` are lists of neighbouring records (without delimiters) in input order. null where there are too few. */
export function sampleOf(windows: readonly (readonly Uint8Array[])[], ordering: Ordering): Sample | null {
  const records = windows.flat();
  if (records.length < 2) return null;
  const ordered = records.map((record) => orderedBytes(ordering, record, LOOK_BYTES));
  const commonPrefix = ordered.reduce((least, bytes) => Math.min(least, commonPrefixLength(ordered[0]!, bytes)), ordered[0]!.length);
  const order = sortedOrder(ordered, commonPrefix);
  const shared = Float64Array.from(order, (record, i) => (i === 0 ? 0 : commonPrefixLength(ordered[order[i - 1]!]!, ordered[record]!)));
  const lengths = Float64Array.from(order, (record) => ordered[record]!.length);
  const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
  const { size, symbolBits, keySymbols } = alphabetOf(presentBytes(records), ordering.format.kind === 'lines' ? ordering.format.delimiter : null);
  return {
    records: records.length, recordBytes: mean(records, (record) => record.length) + delimiter, orderedBytes: mean(lengths, (length) => length),
    alphabet: size, symbolBits, keySymbols, commonPrefix,
    differingSymbols: differingSymbols(ordered, commonPrefix, keySymbols),
    ...growthOf(order, shared, commonPrefix),
    distinct: distinctShare(shared, lengths),
    scatter: scatterOf(windows, ordered),
    displaced: displacementOf({
      windows: windows.map((window) => window.length), ranks: keyRanks(order, shared, lengths, commonPrefix + keySymbols, ordering.reverse),
      values: keyValues(ordered, commonPrefix, keySymbols, ordering.reverse),
    }),
    ties: { shared, lengths },
  };
}

/** The numbers of the byte strings in order; comparing the first bytes that differ as numbers takes a tenth of the time. */
function sortedOrder(ordered: readonly Uint8Array[], commonPrefix: number): number[] {
  const heads = Float64Array.from(ordered, (bytes) => {
    let head = 0;
    for (let i = 0; i < HEAD_BYTES; i++) head = 256 * head + (bytes[commonPrefix + i] ?? 0);
    return head;
  });
  return Array.from(ordered.keys()).sort((a, b) => heads[a]! - heads[b]! || compareBytes(ordered[a]!, ordered[b]!) || a - b);
}

function mean<T>(items: ArrayLike<T>, value: (item: T) => number): number {
  let sum = 0;
  for (let i = 0; i < items.length; i++) sum += value(items[i]!);
  return items.length === 0 ? 0 : sum / items.length;
}

/** A bit for each byte that occurs, as alphabetOf takes them. */
function presentBytes(records: readonly Uint8Array[]): Uint32Array {
  const present = new Uint32Array(8);
  for (const record of records) for (let i = 0; i < record.length; i++) present[record[i]! >> 5]! |= 1 << (record[i]! & 31);
  return present;
}

function differingSymbols(ordered: readonly Uint8Array[], from: number, count: number): number {
  let differing = 0;
  for (let at = from; at < from + count; at++) if (ordered.some((bytes) => bytes[at] !== ordered[0]![at])) differing++;
  return differing;
}

/**
 * The mean of what sorted neighbours share in the sample; and its growth, taken for the lesser of what it was on the whole (each doubling
 * adds 1 / entropy a byte, if all bytes are alike) and lately, from a sample of every 4th record on: beyond what hosts, dates and words tell
 * apart, bytes differ more, and equal records share no more than they have.
 */
function growthOf(order: readonly number[], shared: Float64Array, commonPrefix: number): Pick<Sample, 'neighbourPrefix' | 'growth'> {
  const thinned = (step: number): number => {
    let sum = 0;
    let pairs = -1;
    let least = Infinity;
    order.forEach((record, i) => {
      least = Math.min(least, shared[i]!);
      if (record % step !== 0) return;
      if (++pairs > 0) sum += least;
      least = Infinity;
    });
    return pairs > 0 ? sum / pairs : commonPrefix;
  };
  const neighbourPrefix = thinned(1);
  const whole = (neighbourPrefix - commonPrefix + NEIGHBOUR_BYTES) / Math.log2(order.length);
  const late = (neighbourPrefix - thinned(2 ** LATE_DOUBLINGS)) / LATE_DOUBLINGS;
  return { neighbourPrefix, growth: Math.max(0, Math.min(whole, late)) };
}

function distinctShare(shared: Float64Array, lengths: Float64Array): number {
  const equalsBefore = (i: number): boolean => i > 0 && i < lengths.length && shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  let distinct = 0;
  for (let i = 0; i < lengths.length; i++) if (!equalsBefore(i) && !equalsBefore(i + 1)) distinct++;
  return distinct / lengths.length;
}

/** Each record's place among those that differ in their first `end` bytes. */
function keyRanks(order: readonly number[], shared: Float64Array, lengths: Float64Array, end: number, reverse: boolean): Int32Array {
  const ranks = new Int32Array(order.length);
  let rank = 0;
  order.forEach((record, i) => {
    const equal = i > 0 && shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
    if (shared[i]! < end && !equal) rank += reverse ? -1 : 1;
    ranks[record] = rank;
  });
  return ranks;
}

/** How far neighbours within windows, and windows among each other, are from being in order or in reverse. */
function scatterOf(windows: readonly (readonly Uint8Array[])[], ordered: readonly Uint8Array[]): number {
  let [pairs, ascending] = [0, 0];
  let first = 0;
  let before: Uint8Array | null = null;
  const count = (a: Uint8Array, b: Uint8Array, weight: number): void => {
    const order = compareBytes(a, b);
    pairs += weight;
    ascending += order < 0 ? weight : order === 0 ? weight / 2 : 0;
  };
  // Neighbours of all windows weigh together what the windows do.
  const within = ordered.length - windows.length;
  for (const window of windows) {
    for (let i = first + 1; i < first + window.length; i++) count(ordered[i - 1]!, ordered[i]!, 1 / Math.max(1, within));
    if (before !== null) count(before, ordered[first]!, 1 / (windows.length - 1));
    before = ordered[first]!;
    first += window.length;
  }
  return 1 - Math.abs(2 * (ascending / pairs) - 1);
}

/** What sorted neighbours share by the estimate among `count` records of which this is a sample: longer by so many bytes. */
export function prefixGrowth(sample: Sample, count: number): number {
  return sample.growth * Math.max(0, Math.log2(count / sample.records));
}

/** What is still tied when keys of bounded length are sorted for the first time, the second, ... */
export interface Round {
  /** Records in groups that are still tied, as a share of all. */
  readonly share: number;
  /** Records a group, on average, among as many records as were asked about. */
  readonly groupSize: number;
  /** Bytes that groups share beyond what keys told of them, summed over members, by the number of all records. */
  readonly sharedBytes: number;
}

/**
 * Plays the rounds of a sort of `count` such records on the sample: keys reach `reach(0)` bytes beyond what all share; whatever is still tied
 * and goes on skips what its group shares and takes the next `reach(round)` bytes.
 */
export function tieRounds(sample: Sample, count: number, reach: (round: number) => number): Round[] {
  const { shared, lengths } = sample.ties;
  const m = lengths.length;
  const longer = prefixGrowth(sample, count);
  // Fractions of bytes are given to so many of the records, evenly.
  const lcp = shared.map((bytes, i) => (i === 0 ? 0 : Math.min(lengths[i]!, lengths[i - 1]!, bytes + Math.floor(longer + ((i * GOLDEN) % 1)))));
  const rounds: Round[] = [];
  let groups: [from: number, to: number, depth: number][] = [[0, m, sample.commonPrefix]];
  for (let round = 0; ; round++) {
    const next: typeof groups = [];
    let [members, sharedBytes] = [0, 0];
    for (const [from, to, depth] of groups) {
      const end = depth + reach(round);
      for (let begin = from, last = from; begin < to; begin = last) {
        // Records that end within the key are settled.
        let going = lengths[begin]! > end ? 1 : 0;
        let common = Infinity;
        for (last = begin + 1; last < to && lcp[last]! >= end; last++) {
          if (lengths[last]! <= end) continue;
          going++;
          common = Math.min(common, lcp[last]!);
        }
        if (going < 2) continue;
        members += going;
        sharedBytes += going * (common - end);
        next.push([begin, last, common]);
      }
    }
    if (next.length === 0) return rounds;
    rounds.push({ share: members / m, groupSize: (members * count) / m / next.length, sharedBytes: sharedBytes / m });
    groups = next;
  }
}
