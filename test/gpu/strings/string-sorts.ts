/**
 * What every string sort of the device must get right: the distributions of strings.ts, every kind of ordering, record
 * ends and zero bytes, long equal records.
 */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { DevicePool } from '../../../src/gpu/device/pool.js';
import type { OrderedRecords } from '../../../src/gpu/records/ordered-records.js';
import type { Records } from '../../../src/gpu/records/records.js';
import type { Ordering } from '../../../src/job.js';
import { random } from '../../support/random.js';
import { LINES } from '../../support/records.js';
import { NIGHTLY } from '../../support/tier.js';
import { destroyRecords, readWords, uploadRecords } from '../helpers.js';
import { DISTRIBUTIONS, linesOf, referenceOrder } from './strings.js';

/** Sorts records. The caller owns the returned buffer. */
export type StringSort = (
  gpu: Gpu,
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  commonPrefix: number,
) => Promise<OrderedRecords>;

export const REVERSE: Ordering = { ...LINES, reverse: true };
export const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };
export const KEYED: Ordering = {
  format: { kind: 'fixed', size: 23 },
  key: { kind: 'bytes', offset: 5, length: 10 },
  reverse: false,
  unique: false,
  lastResort: true,
};

/** By day, REVERSE and UNIQUE in one: a software GPU compiles all kernels of a sort for each ordering. */
const ORDERINGS: readonly Ordering[] = NIGHTLY ? [LINES, REVERSE, UNIQUE] : [LINES, { ...UNIQUE, reverse: true }];

/** Fails with the first place that differs and both records there, which helps more than the full lists. */
function expectSame(found: Uint32Array, expected: Uint32Array, records: readonly Uint8Array[]): void {
  const at = found.length === expected.length ? expected.findIndex((x, i) => x !== found[i]) : -2;
  if (at === -1) return;
  const show = (n: number | undefined): string =>
    `${n}: ${n === undefined || records[n] === undefined ? '' : Buffer.from(records[n]).toString('latin1').slice(0, 80)}`;
  expect.fail(
    at === -2
      ? `${found.length} records, ${expected.length} expected`
      : `place ${at}: ${show(found[at])}, expected ${show(expected[at])}`,
  );
}

/** Sorts records on the device and expects the host's order. */
export async function checkStringSort(
  gpu: Gpu,
  sort: StringSort,
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
  commonPrefix = 0,
): Promise<void> {
  const pool = new DevicePool(gpu);
  const uploaded = uploadRecords(gpu, records, ordering);
  const sorted = await sort(gpu, pool, uploaded, ordering, commonPrefix);
  if (!('order' in sorted)) throw new Error('a sort of strings gives record numbers');
  const { order, count } = sorted;
  const found = await readWords(gpu, order, count);
  pool.give(order);
  pool.destroyIdle();
  destroyRecords(uploaded);
  expectSame(found, referenceOrder(records, ordering), records);
}

const make = (name: string, n: number): Uint8Array[] => linesOf(name, n, n + 1);
const filled = (length: number, byte = 120): Uint8Array => new Uint8Array(length).fill(byte);

/**
 * Declares the tests that every string sort must pass. `small` is the same sort with all sizes forced small. `turn`: by
 * day, each sort leaves out another kind of keyed records.
 */
export function testStringSort(gpu: () => Gpu, sort: StringSort, small: StringSort, turn: number): void {
  const check = (records: readonly Uint8Array[], ordering?: Ordering, commonPrefix?: number): Promise<void> =>
    checkStringSort(gpu(), sort, records, ordering, commonPrefix);
  const checkSmall = (records: readonly Uint8Array[], ordering?: Ordering, commonPrefix?: number): Promise<void> =>
    checkStringSort(gpu(), small, records, ordering, commonPrefix);

  it('sorts every size from 0 to one more than two small tiles', async () => {
    for (let n = 0; n <= 129; n += n < 8 || n % 64 < 3 || n % 64 > 61 ? 1 : 5)
      await checkSmall(make('random strings', n));
  });
  it('sorts sizes near powers of two', async () => {
    for (const n of [1023, 1025, 2049, 4097, 32767]) await check(make('random strings', n));
  });
  it.each(Object.keys(DISTRIBUTIONS))('sorts %s', async (name) => {
    await check(make(name, 1601));
    await check(make(name, 700), { ...UNIQUE, reverse: true });
    for (const ordering of [LINES, REVERSE, UNIQUE]) await checkSmall(make(name, 397), ordering);
  });
  it('keeps the order of equal long records, and drops all but the first under unique', async () => {
    const records = Array.from({ length: 300 }, () => filled(3000));
    for (const ordering of ORDERINGS) await check(records, ordering);
  });
  it('sorts prefixes of each other', async () => {
    const next = random(7);
    const records = Array.from({ length: 250 }, () => filled(Math.floor(next() * 1500)));
    for (const ordering of ORDERINGS) await check(records, ordering);
  });
  it('sorts ends of records before zero bytes, at lengths near those of keys', async () => {
    const records: Uint8Array[] = [];
    for (let length = 0; length < 70; length++)
      records.push(filled(length), filled(length, 0), filled(length), Uint8Array.from([...filled(length, 0), 1]));
    for (const ordering of ORDERINGS) await check([...records].reverse(), ordering);
  });
  it('sorts all byte values except the delimiter, and every byte value in fixed records', async () => {
    const bytes = Array.from({ length: 256 }, (_, b) => b);
    const next = random(5);
    await check(
      bytes
        .filter((b) => b !== 10)
        .flatMap((b) => [Uint8Array.from([b]), Uint8Array.from([b, Math.floor(next() * 10)])])
        .reverse(),
    );
    await check(
      Array.from({ length: 900 }, () => Uint8Array.from({ length: 23 }, () => Math.floor(next() * 256))),
      { ...KEYED, key: { kind: 'record' } },
    );
  });
  it('sorts pairs of huge records, equal or differing in the last byte', async () => {
    const size = 1 << 20;
    const last = filled(size);
    last[size - 1] = 119;
    const records = [filled(5), filled(size), last, filled(size - 1), filled(size), Buffer.from('y')];
    for (const ordering of ORDERINGS) await check(records, ordering);
  });
  it('takes prefixes beyond what all records share', async () => {
    const shared = Buffer.from('a prefix of all: ');
    const records = make('random strings', 500).map((r) => Buffer.concat([shared, r]));
    await check(records, LINES, shared.length);
    await check(records, REVERSE, 11);
  });
  it('sorts fixed records by a key, with and without a last-resort comparison', async () => {
    const next = random(3);
    const records = Array.from({ length: 1300 }, () =>
      Uint8Array.from({ length: 23 }, (_, i) => Math.floor(next() * (i > 12 || i < 5 ? 2 : 1.2))),
    );
    const kinds: readonly Ordering[] = [
      KEYED,
      { ...KEYED, reverse: true, key: { kind: 'bytes', offset: 20, length: 3 } },
      // Of records with equal keys, the first in the input is kept.
      { ...KEYED, lastResort: false, unique: true },
    ];
    // A software GPU takes seconds to compile the kernels of each ordering. Whole records are sorted above.
    const today = NIGHTLY
      ? [...kinds, { ...KEYED, lastResort: false }, { ...KEYED, key: { kind: 'record' } } as const]
      : kinds.filter((_, i) => i !== turn % kinds.length);
    for (const ordering of today) await check(records, ordering);
  });
}
