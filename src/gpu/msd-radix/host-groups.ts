/**
 * Groups of tied records in host memory: how each is sorted, and how a large one is split into parts that several threads can sort. Plain
 * functions over typed arrays; knows no device and no thread.
 */
import { compareFrom, multikeyQuicksort, orderedByte, type HostRecords } from './multikey-quicksort.js';

/** States of kernels/ties/mark.wgsl: a group begins, a record is equal to the one before it, is so as far as was looked. */
export const NEW = 0;
export const SAME = 1;
export const JOINED = 2;

/** What is sorted: records by their places in `starts`, and how each stands to the one before it. */
export interface HostOrder {
  /** Whether it is asked which records are equal: finding that out reads the text of neighbours once more. */
  readonly marks: boolean;
  readonly records: HostRecords;
  readonly order: Uint32Array;
  readonly states: Uint32Array;
}

/** Sorts order[from ... to), whose records share `depth` ordered bytes, and where it is asked writes the states of all but the first. */
export function sortRange({ marks, records, order, states }: HostOrder, from: number, to: number, depth: number): void {
  multikeyQuicksort(records, order, from, to, depth);
  if (!marks) return;
  for (let i = from + 1; i < to; i++) states[i] = compareFrom(records, order[i - 1]!, order[i]!, depth) === 0 ? SAME : NEW;
}

/** Sorts each group in [from, to): records JOINED to the one before them, which share `depth` ordered bytes. Returns how many records were in groups. */
export function sortGroups(sorted: HostOrder, from: number, to: number, depth: number): number {
  const { states } = sorted;
  let members = 0;
  for (let i = from + 1; i < to; i++) {
    if (states[i] !== JOINED) continue;
    const begin = i - 1;
    while (i < to && states[i] === JOINED) i++;
    sortRange(sorted, begin, i, depth);
    members += i - begin;
  }
  return members;
}

/** Parts of a split: each byte, and the records that end. */
export const PARTS = 257;

/** By what a group is split: its ordered bytes at `depth`, or, where all its records are equal, the bits of their numbers from `shift` on. */
export type Digit = { readonly depth: number } | { readonly shift: number };

/** The part of records that end. */
export function endedPart({ reverse }: HostRecords): number {
  return reverse ? PARTS - 1 : 0;
}

function partOf(records: HostRecords, record: number, digit: Digit): number {
  if ('shift' in digit) return Math.min(PARTS - 1, (records.numbers === null ? record : records.numbers[record]!) >>> digit.shift);
  const part = orderedByte(records, record, digit.depth) + 1;
  return records.reverse ? PARTS - 1 - part : part;
}

/** How many of order[from ... to) belong to each part. */
export function countParts({ records, order }: HostOrder, from: number, to: number, digit: Digit): Uint32Array {
  const counts = new Uint32Array(PARTS);
  for (let i = from; i < to; i++) counts[partOf(records, order[i]!, digit)]!++;
  return counts;
}

/** Moves order[from ... to) to where each part goes on in `target`; `places` are used up. */
export function moveParts({ records, order }: HostOrder, from: number, to: number, digit: Digit, places: Uint32Array, target: Uint32Array): void {
  for (let i = from; i < to; i++) {
    const record = order[i]!;
    target[places[partOf(records, record, digit)]!++] = record;
  }
}
