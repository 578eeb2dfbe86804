/** Lines with numeric keys for tests of keyed lines: orderings, lines, and the expected result of sorting them. */
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { randomBelow } from './random.js';

const WHOLE = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };
export const numericPart = (reverse: boolean): KeyPart => ({
  span: WHOLE,
  order: 'numeric',
  dictionary: false,
  printing: false,
  fold: false,
  reverse,
});
export const byNumber = (changes: Partial<Ordering> = {}): Ordering => ({
  format: { kind: 'lines', delimiter: 10 },
  key: { kind: 'normalized', parts: [numericPart(changes.reverse ?? false)], seed: null },
  reverse: false,
  unique: false,
  lastResort: true,
  ...changes,
});

/** Lines that start with a number. Some text may follow it, so lines with equal numbers may differ. */
export function numberLines(count: number, seed: number): string[] {
  const random = randomBelow(seed);
  return Array.from(
    { length: count },
    () => `${random(3) === 0 ? '-' : ''}${random(50)}${random(2) === 0 ? '' : ' '}${'xyz'.slice(0, random(4))}`,
  );
}

/**
 * The expected result of `sort -n`: by value, then by the last-resort comparison unless it is off, then in input order.
 * Reversing only the key part does not reverse the last-resort comparison.
 */
export function sortedNumbers(all: readonly string[], { key, reverse, unique, lastResort }: Ordering): string[] {
  const sign = reverse ? -1 : 1;
  const valueSign = key.kind === 'normalized' && key.parts[0].reverse ? -1 : 1;
  const items = all.map((line) => ({ line, value: Number.parseInt(line, 10) }));
  items.sort(
    (a, b) =>
      valueSign * (a.value - b.value) || (lastResort ? sign * (Number(a.line > b.line) - Number(a.line < b.line)) : 0),
  );
  return items.filter(({ value }, i) => !unique || i === 0 || items[i - 1].value !== value).map(({ line }) => line);
}

export const KEYED_ORDERINGS: readonly (readonly [string, Ordering])[] = [
  ['last resort', byNumber()],
  ['reversed', byNumber({ reverse: true })],
  ['stable', byNumber({ lastResort: false })],
  ['unique', byNumber({ lastResort: false, unique: true })],
  ['unique, reversed', byNumber({ lastResort: false, unique: true, reverse: true })],
  ['reversed key part only', byNumber({ key: { kind: 'normalized', parts: [numericPart(true)], seed: null } })],
];
