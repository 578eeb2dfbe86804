/** The hash of --verify: the WebAssembly kernels agree with the reference, and every change to records changes it. */
import { describe, expect, it } from 'vitest';
import type { Ordering, RecordFormat } from '../../src/job/ordering.js';
import { NO_RECORDS } from '../../src/report/digest.js';
import { InputDigest, OpenRecord, Summer } from '../../src/verify/summer.js';
import { digestOf } from '../support/digests.js';
import { randomBelow } from '../support/random.js';
import { join, LINES } from '../support/records.js';

const NEWLINE: RecordFormat = { kind: 'lines', delimiter: 10 };
const next = randomBelow(3);

/** Records of any bytes except `delimiter`. */
const records = (count: number, most: number, delimiter = 10): Buffer[] =>
  Array.from({ length: count }, () => {
    const bytes = Buffer.from(Array.from({ length: next(most + 1) }, () => next(256)));
    return bytes.map((byte) => (byte === delimiter ? 32 : byte)) as Buffer;
  });
const digest = (lines: readonly Uint8Array[], ordering: Ordering = LINES) =>
  new Summer(ordering.format).digest(join(lines, ordering));

describe('the hash of records', () => {
  it.each([0, 1, 15, 16, 17, 31, 32, 33, 64, 1000, 4096])(
    'computes the reference hash of records of %i bytes',
    (length) => {
      const lines = [Buffer.alloc(length, 'a'), Buffer.from(Array.from({ length }, () => 11 + next(245)))];
      expect(digest(lines)).toEqual(digestOf(lines));
    },
  );

  it('computes the reference hash of many records of all formats', () => {
    const lines = records(20_000, 50);
    expect(digest(lines)).toEqual(digestOf(lines));
    const zero: Ordering = { ...LINES, format: { kind: 'lines', delimiter: 0 } };
    const others = records(2000, 50, 0);
    expect(digest(others, zero)).toEqual(digestOf(others, zero.format));
    const fixed: Ordering = { ...LINES, format: { kind: 'fixed', size: 23 } };
    const binary = Array.from({ length: 3000 }, () => Buffer.from(Array.from({ length: 23 }, () => next(256))));
    expect(digest(binary, fixed)).toEqual(digestOf(binary, fixed.format));
  });

  it('computes the same hash of a record that arrives in pieces', () => {
    for (const length of [0, 15, 16, 100, 70_000]) {
      const record = Buffer.from(Array.from({ length }, () => 11 + next(245)));
      const open = new Summer(NEWLINE).openRecord();
      for (let at = 0; at < length; ) {
        const end = at + 1 + next(5000);
        open.add(record.subarray(at, end));
        at = end;
      }
      expect(open.close()).toEqual(digestOf([record]));
    }
  });

  it('computes the same hash of a long record of which only the beginning is kept', () => {
    const record = Buffer.from(Array.from({ length: 3000 }, () => 11 + next(245)));
    const open = new OpenRecord(LINES, 1000);
    for (let at = 0; at < 3000; at += 700) open.add(record.subarray(at, at + 700));
    open.add(Buffer.of(10), { ends: true });
    const report = open.report(() => {
      throw new Error('it is long');
    });
    expect(report.digest).toEqual(digestOf([record]));
    expect(report.first).toEqual(record.subarray(0, 1000));
  });

  it('computes the same hash however an input is cut, and without its last newline', () => {
    const lines = records(3000, 40);
    const text = join(lines, LINES);
    for (const [most, end] of [
      [1, text.length],
      [7, text.length - 1],
      [100, text.length],
      [100_000, text.length - 1],
    ] as const) {
      const input = new InputDigest(LINES, new Summer(NEWLINE));
      for (let at = 0; at < end; ) {
        const to = Math.min(end, at + 1 + next(most));
        input.add(text.subarray(at, to));
        at = to;
      }
      input.end();
      expect(input.sum).toEqual(digestOf(lines));
    }
  });

  it('computes the hash of no records as zero', () => {
    expect(digest([])).toEqual(NO_RECORDS);
  });
});

describe('a change of the records', () => {
  const lines = (...texts: string[]): bigint => digest(texts.map((text) => Buffer.from(text))).hash;
  const [a, b] = ['the first line, which is longer than a step of the hash', 'another'];

  it('computes the same hash of records in another order', () => {
    expect(lines(a, b)).toBe(lines(b, a));
  });

  it.each([
    ['one byte more', [`${a}!`, b]],
    ['bytes exchanged between records', [a.replace('first', 'other'), b.replace('other', 'first')]],
    ['tails exchanged', [`${a.slice(0, 20)}${b.slice(3)}`, `${b.slice(0, 3)}${a.slice(20)}`]],
    ['a record in place of another', [a, a]],
    ['a NUL at the end', [a, `${b}\0`]],
    ['records joined', [a + b, '']],
    ['steps exchanged in a record', [a.slice(16, 32) + a.slice(0, 16) + a.slice(32), b]],
  ])('computes another hash of changed records: %s', (_, changed) => {
    expect(lines(...changed)).not.toBe(lines(a, b));
  });

  it('computes another hash of a record with any bit flipped', () => {
    const record = Buffer.from(a);
    const hash = digest([record]).hash;
    for (let bit = 0; bit < record.length * 8; bit++) {
      const other = Buffer.from(record);
      other[bit >> 3] ^= 1 << (bit & 7);
      if (other[bit >> 3] !== 10) expect(digest([other]).hash).not.toBe(hash);
    }
  });
});
