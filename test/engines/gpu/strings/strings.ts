/** Inputs for sorts of strings, and the plain reference sort. Deterministic. */
import type { Ordering } from '../../../../src/job/ordering.js';
import { compareRecords } from '../../../../src/keys/compare.js';
import { random } from '../../../support/random.js';

type Make = (n: number, random: () => number) => Uint8Array[];

const text = (s: string): Uint8Array => Buffer.from(s, 'latin1');
const bytes = (random: () => number, length: number, low: number, count: number): Uint8Array =>
  Uint8Array.from({ length }, () => low + Math.floor(random() * count));
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const number = (i: number): Uint8Array => text(String(i).padStart(12, '0'));
const word = (rank: number): string => {
  let s = '';
  for (let x = rank * 7919 + 13; x > 0; x = Math.floor(x / 26)) s += String.fromCharCode(97 + (x % 26));
  return s.repeat(1 + (rank % 3));
};

export const DISTRIBUTIONS: Record<string, Make> = {
  'random strings': (n, r) => times(n, () => bytes(r, Math.floor(r() * 20), 32, 95)),
  // Cederman and Tsigas 2008, on 8-byte prefixes.
  uniform: (n, r) => times(n, () => bytes(r, 8, 0, 256)),
  zero: (n) => times(n, () => text('constant')),
  gaussian: (n, r) => times(n, () => number(Math.floor((r() + r() + r() + r()) * 250_000))),
  bucket: (n, r) => times(n, (i) => number(Math.floor(((Math.floor((i * 16) / n) % 4) + r()) * 250_000))),
  staggered: (n, r) => times(n, (i) => number(Math.floor((((Math.floor((i * 16) / n) * 2 + 1) % 16) + r()) * 60_000))),
  sorted: (n) => times(n, number),
  reversed: (n) => times(n, (i) => number(n - i)),
  'organ pipe': (n) => times(n, (i) => number(Math.min(i, n - i))),
  'near-sorted': (n, r) => times(n, (i) => number(i + Math.floor(r() * 30))),
  'all equal, short': (n) => times(n, () => text('same')),
  '16 values': (n, r) => times(n, () => text(`value ${Math.floor(r() * 16)}`)),
  'Zipf words': (n, r) => times(n, () => text(word(Math.floor(1 / (r() + 1e-4))))),
  URLs: (n, r) =>
    times(n, () =>
      text(
        `https://www.example${Math.floor(r() * 3)}.org/archive/2026/${'section/'.repeat(Math.floor(r() * 4))}item-${Math.floor(r() * 5000)}`,
      ),
    ),
  DNA: (n, r) => times(n, () => text(times(60, () => 'ACGT'[Math.floor(r() * r() * 4)]).join(''))),
  NULs: (n, r) => times(n, () => bytes(r, Math.floor(r() * 12), 0, 2)),
  'two letters, 0 to 600': (n, r) =>
    times(n, () => {
      const length = Math.floor(r() * 600);
      const same = Math.floor(r() * 600);
      return Uint8Array.from({ length }, (_, i) => (i < same ? 97 : 97 + Math.floor(r() * 2)));
    }),
};

/** The difficulty of each distribution. */
const TRAITS: Readonly<Record<string, readonly string[]>> = {
  'different keys': ['random strings', 'uniform', 'gaussian', 'bucket', 'staggered'],
  'an order': ['sorted', 'reversed', 'organ pipe', 'near-sorted'],
  'equal records': ['zero', 'all equal, short', '16 values'],
  'equal keys': ['Zipf words', 'URLs', 'DNA'],
  'zero bytes': ['NULs'],
  'long shared prefixes': ['two letters, 0 to 600'],
};
export const traitOf = (name: string): string =>
  Object.keys(TRAITS).find((trait) => TRAITS[trait].includes(name)) ?? name;

/** `n` records of a distribution, usable as lines: byte 11 replaces each newline. */
export function linesOf(name: string, n: number, seed: number): Uint8Array[] {
  return DISTRIBUTIONS[name](n, random(seed)).map((record) => record.map((byte) => (byte === 10 ? 11 : byte)));
}

/** The record numbers in sorted order, by the host's comparison alone. */
export function referenceOrder(records: readonly Uint8Array[], ordering: Ordering): Uint32Array {
  const order = Uint32Array.from(records.keys()).sort(
    (a, b) => compareRecords(ordering, records[a], records[b]) || a - b,
  );
  if (!ordering.unique) return order;
  return order.filter((r, i) => i === 0 || compareRecords(ordering, records[order[i - 1]], records[r]) !== 0);
}
