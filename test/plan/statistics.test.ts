/** The statistics of a sample, on inputs made by hand. */
import { describe, expect, it } from 'vitest';
import { engineRecords } from '../../src/input/keyed-bytes.js';
import type { Ordering } from '../../src/job/ordering.js';
import { type SampleStatistics, statisticsOf } from '../../src/plan/statistics.js';
import { byNumber } from '../support/keyed.js';
import { LINES } from '../support/records.js';
import { sampleFor } from './samples.js';

const records = (...texts: string[]): Uint8Array[] => texts.map((text) => Buffer.from(text, 'latin1'));
const sample = (texts: string[], ordering: Ordering = LINES): SampleStatistics =>
  statisticsOf([records(...texts)], ordering)!;

describe('statistics', () => {
  it('of a handful of records', () => {
    expect(sample(['abd', 'abc', 'abcde', 'abc'])).toMatchObject({
      records: 4,
      recordBytes: 4.5,
      alphabet: 5,
      keySymbols: 21,
      commonPrefix: 2,
      // Sorted: abc, abc, abcde, abd.
      neighborPrefix: (3 + 3 + 2) / 3,
      distinct: 0.5,
    });
  });
  it('of keys in fixed records, with and without the last-resort comparison', () => {
    const fixed: Ordering = {
      format: { kind: 'fixed', size: 4 },
      key: { kind: 'bytes', offset: 1, length: 2 },
      reverse: false,
      unique: false,
      lastResort: true,
    };
    expect(sample(['xab1', 'yab2', 'zac3'], fixed)).toMatchObject({
      recordBytes: 4,
      commonPrefix: 1,
      distinct: 1,
      alphabet: 9,
    });
    expect(sample(['xab1', 'yab2', 'zac3'], { ...fixed, lastResort: false })).toMatchObject({
      distinct: 1 / 3,
    });
  });
  it('of keyed lines describe the keys', () => {
    const windows = engineRecords([records('10 x', '9'), records('-3 y')], byNumber());
    expect(windows.map((window) => window.length)).toEqual([2, 1]);
    // Each key has two digits; -3 sorts before 9 and 10.
    const keyed = statisticsOf(windows, byNumber())!;
    expect(keyed).toMatchObject({ records: 3, recordBytes: 4, keyedBytes: 10, distinct: 1 });
    expect(statisticsOf(engineRecords([records('1', '2', '10')], byNumber()), byNumber())!.scatter).toBe(0);
    expect(engineRecords(windows, LINES)).toBe(windows);
  });
  it('distinguish order and reverse order from disorder', () => {
    expect(sampleFor('sorted100').scatter).toBe(0);
    expect(sampleFor('reversed100').scatter).toBe(0);
    expect(sampleFor('random100').scatter).toBeGreaterThan(0.7);
    expect(sampleFor('equal100').scatter).toBe(1);
  });
  it('are null for fewer than two records', () => {
    expect(statisticsOf([], LINES)).toBeNull();
    expect(statisticsOf([records('a')], LINES)).toBeNull();
    expect(sample(['', ''])).toMatchObject({ alphabet: 0, distinct: 0 });
  });
});
