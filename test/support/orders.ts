/** Inputs that are in order, in reverse, or nearly so. */
import type { RandomBelow } from './random.js';

/** Moves the first record to a random place. */
function stray<T>(records: readonly T[], below: RandomBelow): T[] {
  const rest = records.slice(1);
  rest.splice(below(rest.length + 1), 0, ...records.slice(0, 1));
  return rest;
}

/** Each function permutes records that are in order. */
export const ORDERS: Readonly<Record<string, <T>(ascending: readonly T[], below: RandomBelow) => T[]>> = {
  'in order': (records) => [...records],
  'in reverse': (records) => [...records].reverse(),
  'in order except one': stray,
  'in reverse except one': (records, below) => stray([...records].reverse(), below),
  'two runs': (records) => [...records.filter((_, i) => i % 2 === 0), ...records.filter((_, i) => i % 2 === 1)],
  rotated: (records, below) => {
    const at = below(records.length + 1);
    return [...records.slice(at), ...records.slice(0, at)];
  },
  'in order, then in reverse': (records) => [
    ...records.filter((_, i) => i % 3 > 0),
    ...records.filter((_, i) => i % 3 === 0).reverse(),
  ],
  'neighbors swapped': (records) => records.map((record, i) => records[i ^ 1] ?? record),
};
