/** Splitters: what they part a sample into, and when that is not worth it. */
import { describe, expect, it } from 'vitest';
import { partsEvenly, splittersOf } from '../../src/keys/splitters.js';
import { LINES } from '../support/records.js';

const lines = (count: number, line: (i: number) => string): Buffer[] => Array.from({ length: count }, (_, i) => Buffer.from(line(i)));
const numbered = lines(1000, (i) => `line ${String((i * 7919) % 1000).padStart(4, '0')}`);
const text = (number: bigint): string => Buffer.from(number.toString(16).padStart(16, '0'), 'hex').toString('latin1');

describe('splitters', () => {
  it('are the quantiles of what stands behind the common prefix', () => {
    const { prefix, keys } = splittersOf(numbered, LINES, 4);
    expect(Buffer.from(prefix).toString()).toBe('line 0');
    expect(Array.from(keys, text)).toEqual(['250', '500', '750'].map((key) => key.padEnd(8, '\0')));
  });
  it('are turned about where larger keys come first', () => {
    const { keys } = splittersOf(numbered, { ...LINES, reverse: true }, 4);
    expect(Array.from(keys, (key) => text(BigInt.asUintN(64, ~key)))).toEqual(['749', '499', '249'].map((key) => key.padEnd(8, '\0')));
    expect([...keys].every((key, i) => i === 0 || keys[i - 1]! < key)).toBe(true);
  });
  it('are of a part where that is the key', () => {
    const ordering = { ...LINES, format: { kind: 'fixed', size: 9 } as const, key: { kind: 'bytes', offset: 5, length: 4 } as const };
    expect(Buffer.from(splittersOf(numbered, ordering, 2).prefix).toString()).toBe('0');
  });
  it('take a single record', () => {
    expect(splittersOf([Buffer.from('one')], LINES, 2)).toEqual({ prefix: Buffer.from('one'), keys: BigUint64Array.of(0n) });
  });
});

describe('buckets are even', () => {
  const even = (sample: Buffer[], ordering = LINES, buckets = 16): boolean => partsEvenly(sample, ordering, splittersOf(sample, ordering, buckets));
  it('where keys differ', () => {
    expect(even(numbered)).toBe(true);
    expect(even(numbered, { ...LINES, reverse: true })).toBe(true);
  });
  it('not where many keys are equal', () => {
    expect(even(lines(1000, (i) => (i % 4 === 0 ? 'the same' : `other ${i}`)))).toBe(false);
    expect(even(lines(1000, () => 'the same'))).toBe(false);
    expect(even(lines(1000, (i) => `key ${i % 10}`))).toBe(true);
    expect(even(lines(1000, (i) => `key ${i % 3}`))).toBe(false);
  });
  it('not where little is left of sorted chunks under -u', () => {
    const unique = { ...LINES, unique: true, lastResort: false };
    expect(even(numbered, unique)).toBe(true);
    expect(even(lines(1000, (i) => `key ${i % 500}`), unique)).toBe(false);
  });
});
