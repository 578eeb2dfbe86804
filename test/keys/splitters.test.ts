/** Splitters, and the statistics of their buckets in the sample. */
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../src/job/ordering.js';
import { DividedSample } from '../../src/keys/splitters.js';
import { LINES } from '../support/records.js';

const lines = (count: number, line: (i: number) => string): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(line(i)));
const numbered = lines(1000, (i) => `line ${String((i * 7919) % 1000).padStart(4, '0')}`);
const text = (number: bigint): string => Buffer.from(number.toString(16).padStart(16, '0'), 'hex').toString('latin1');
const divide = (sample: readonly (readonly Buffer[])[], ordering: Ordering = LINES, buckets = 4) => {
  const divided = new DividedSample(sample, ordering);
  return { ...divided.divide(buckets), distinct: divided.distinct, inOrder: divided.inOrder };
};
const part = (sample: readonly Buffer[], ordering: Ordering = LINES, buckets = 4) =>
  divide([sample], ordering, buckets);

describe('splitters', () => {
  it('are the quantiles of the bytes after the common prefix', () => {
    const {
      splitters: { prefix, keys },
      largest,
      distinct,
    } = part(numbered);
    expect(Buffer.from(prefix).toString()).toBe('line 0');
    expect(Array.from(keys, text)).toEqual(['250', '500', '750'].map((key) => key.padEnd(8, '\0')));
    expect(largest).toBeCloseTo(1);
    expect(distinct).toBe(1);
  });
  it('are complemented in reverse order', () => {
    const { keys } = part(numbered, { ...LINES, reverse: true }).splitters;
    expect(Array.from(keys, (key) => text(BigInt.asUintN(64, ~key)))).toEqual(
      ['749', '499', '249'].map((key) => key.padEnd(8, '\0')),
    );
    expect([...keys].every((key, i) => i === 0 || keys[i - 1] < key)).toBe(true);
  });
  it('come from the key part', () => {
    const ordering = {
      ...LINES,
      format: { kind: 'fixed', size: 9 } as const,
      key: { kind: 'bytes', offset: 5, length: 4 } as const,
    };
    expect(Buffer.from(part(numbered, ordering, 2).splitters.prefix).toString()).toBe('0');
  });
  it('can come from a single record', () => {
    expect(part([Buffer.from('one')], LINES, 2)).toEqual({
      splitters: { prefix: Buffer.from('one'), keys: BigUint64Array.of(0n) },
      largest: 2,
      distinct: 1,
      inOrder: 0,
    });
  });
  it('divide bytes, not records, of each sampled place', () => {
    const [short, long] = [lines(90, (i) => `a${String(i).padStart(3, '0')}`), lines(10, (i) => `b${i}`)];
    const {
      splitters: { keys },
      largest,
    } = divide([short, long]);
    expect(Array.from(keys, text)).toEqual(['a045', 'b0', 'b5'].map((key) => key.padEnd(8, '\0')));
    expect(largest).toBeCloseTo(1);
  });
});

describe('the largest bucket', () => {
  const largest = (sample: Buffer[]): number => part(sample, LINES, 16).largest;
  it('is as large as the others if keys differ', () => {
    expect(largest(numbered)).toBeLessThan(1.1);
  });
  it('holds all equal records', () => {
    expect(largest(lines(1000, (i) => (i % 4 === 0 ? 'the same' : `other ${i}`)))).toBeGreaterThan(4);
    expect(largest(lines(1000, () => 'the same'))).toBeCloseTo(16);
    expect(largest(lines(1000, (i) => `key ${i % 10}`))).toBeLessThan(2);
  });
  it('holds all records that differ only after 8 bytes', () => {
    expect(largest([...lines(500, (i) => `a sentence ${i}`), ...lines(500, (i) => `b sentence ${i}`)])).toBeCloseTo(8);
  });
});

it('estimates the share of distinct keys under -u', () => {
  const sample = lines(1000, (i) => `key ${i % 500}`);
  expect(part(sample, { ...LINES, unique: true, lastResort: false }).distinct).toBe(0.5);
  // Keys count, not records.
  const byKey = { ...LINES, format: { kind: 'fixed', size: 8 }, key: { kind: 'bytes', offset: 0, length: 2 } } as const;
  const records = lines(1000, (i) => `k${i % 4}${String(i).padStart(6, '0')}`);
  expect(part(records, { ...byKey, unique: true, lastResort: false }).distinct).toBe(0.004);
  expect(part(records, byKey).distinct).toBe(1);
});

it('estimates the share of places in order or in reverse', () => {
  const places = Array.from({ length: 11 }, (_, i) => lines(9, (j) => `line ${String(10 * i + j).padStart(4, '0')}`));
  const inOrder = (sample: Buffer[][], ordering: Ordering = LINES): number => divide(sample, ordering).inOrder;
  expect(inOrder(places)).toBe(1);
  expect(inOrder([...places].reverse())).toBe(1);
  expect(inOrder(places, { ...LINES, reverse: true })).toBe(1);
  expect(inOrder([...places.slice(5), ...places.slice(0, 5)])).toBe(0.9);
  expect(inOrder(places.map((_, i) => places[(i * 4) % 11]))).toBe(0.7);
  // The median of a place decides, so a single stray record changes nothing, be it the least or the greatest.
  for (const stray of ['', 'zz'])
    expect(inOrder(places.map((records, i) => (i % 2 === 0 ? records : [Buffer.from(stray), ...records])))).toBe(1);
  expect(inOrder(places.slice(0, 1))).toBe(0);
});
