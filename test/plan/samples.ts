/** Records of known shapes for the planner's tests, and samples of them: windows of adjacent records. */
import type { CpuPlan, GpuPlan, Plan } from '../../src/plan/plan.js';
import { type SampleStatistics, statisticsOf } from '../../src/plan/statistics.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const letters = (next: () => number, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join('');
const PRINTABLE = Array.from({ length: 64 }, (_, i) => String.fromCharCode(48 + i)).join('');
const LOWER = 'abcdefghijklmnopqrstuvwxyz';

/** Generators of records, by shape. `nearlog` jumps ahead after every 64 records, the size of a window. */
export const SHAPES: Readonly<Record<string, (next: () => number, i: number) => string>> = {
  random100: (next) => letters(next, PRINTABLE, 99),
  random11: (next) => letters(next, PRINTABLE, 10),
  dna150: (next) => letters(next, 'ACGT', 150),
  urls: (next) =>
    `https://www.site-${Math.floor(next() * 97)}.example.com/${'news/'.repeat(Math.floor(next() * 5))}item?id=${Math.floor(next() * 1e8)}`,
  words: (next) => {
    const rank = Math.floor(65536 ** next());
    return letters(random(rank), LOWER, 2 + (rank % 12));
  },
  sorted100: (_, i) =>
    `${String(i * 1000).padStart(16, '0')} ${'a line that is in order already; '.repeat(4)}`.slice(0, 99),
  nearlog: (next, i) =>
    `2026-11-21 ${String(1.1e9 + ((i >> 6) * 4000 + (i & 63)) * 1000 - (next() < 0.1 ? Math.floor(next() * 20) * 1000 : 0))} INFO request took ${Math.floor(next() * 1e6)} us`,
  reversed100: (_, i) =>
    `${String(1e9 - i * 1000).padStart(16, '0')} ${'a line that is in reverse order; '.repeat(4)}`.slice(0, 99),
  equal100: () => 'the same line again and again, '.repeat(4).slice(0, 99),
};

export function windowsOf(shape: string, count = 2048, window = 64): Uint8Array[][] {
  const next = random(1);
  return Array.from({ length: count / window }, (_, w) =>
    Array.from({ length: window }, (_record, i) => latin1(SHAPES[shape](next, w * window + i))),
  );
}

export function sampleFor(shape: string, count?: number): SampleStatistics {
  return statisticsOf(windowsOf(shape, count), LINES)!;
}

/** A plan of either engine: a test knows of which. */
export type EitherPlan = Omit<CpuPlan, 'engine'> & Omit<GpuPlan, 'engine'> & { readonly engine: never };

export const eitherPlan = (plan: Plan): EitherPlan => plan as EitherPlan;
