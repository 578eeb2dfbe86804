/** Sample statistics, on inputs made by hand. */
import { describe, expect, it } from 'vitest';
import { engineRecords } from '../../src/input/keyed-bytes.js';
import type { Ordering } from '../../src/job.js';
import { type Sample, sampleOf } from '../../src/plan/sample.js';
import { byNumber } from '../support/keyed.js';
import { LINES } from '../support/records.js';
import { sampleFor } from './samples.js';

const records = (...texts: string[]): Uint8Array[] => texts.map((text) => Buffer.from(text, 'latin1'));
const sample = (texts: string[], ordering: Ordering = LINES): Sample => sampleOf([records(...texts)], ordering)!;

describe('statistics', () => {
  it('of a handful of records', () => {
    expect(sample(['abd', 'abc', 'abcde', 'abc'])).toMatchObject({
      records: 4,
      recordBytes: 4.5,
      orderedBytes: 3.5,
      alphabet: 5,
      symbolBits: 3,
      keySymbols: 21,
      commonPrefix: 2,
      // Sorted: abc, abc, abcde, abd.
      neighbourPrefix: (3 + 3 + 2) / 3,
      distinct: 0.5,
      differingSymbols: 3,
    });
  });
  it('of keys in fixed records, with and without what else orders them', () => {
    const fixed: Ordering = {
      format: { kind: 'fixed', size: 4 },
      key: { kind: 'bytes', offset: 1, length: 2 },
      reverse: false,
      unique: false,
      lastResort: true,
    };
    expect(sample(['xab1', 'yab2', 'zac3'], fixed)).toMatchObject({
      recordBytes: 4,
      orderedBytes: 6,
      commonPrefix: 1,
      distinct: 1,
      alphabet: 9,
    });
    expect(sample(['xab1', 'yab2', 'zac3'], { ...fixed, lastResort: false })).toMatchObject({
      orderedBytes: 2,
      distinct: 1 / 3,
    });
  });
  it('of keyed lines, by their keys', () => {
    const windows = engineRecords([records('10 x', '9'), records('-3 y')], byNumber());
    expect(windows.map((window) => window.length)).toEqual([2, 1]);
    // Each key has two digits; -3 sorts before 9 and 10.
    const keyed = sampleOf(windows, byNumber())!;
    expect(keyed).toMatchObject({ records: 3, recordBytes: 4, keyedBytes: 10, orderedBytes: 5, distinct: 1 });
    expect(sampleOf(engineRecords([records('1', '2', '10')], byNumber()), byNumber())!.scatter).toBe(0);
    expect(engineRecords(windows, LINES)).toBe(windows);
  });
  it('knows order and its reverse from disorder', () => {
    expect(sampleFor('sorted100').scatter).toBe(0);
    expect(sampleFor('reversed100').scatter).toBe(0);
    expect(sampleFor('random100').scatter).toBeGreaterThan(0.7);
    expect(sampleFor('equal100').scatter).toBe(1);
  });
  it('is none of fewer than two records', () => {
    expect(sampleOf([], LINES)).toBeNull();
    expect(sampleOf([records('a')], LINES)).toBeNull();
    expect(sample(['', ''])).toMatchObject({ orderedBytes: 0, alphabet: 0, distinct: 0 });
  });
});
