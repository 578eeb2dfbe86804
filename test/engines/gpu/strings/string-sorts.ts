/**
 * The requirements for every string sort of the device: all distributions of strings.ts and records that are hard to
 * sort, under every kind of ordering. There is one table for all sorts; the test file of each sort runs its part.
 */
import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { DevicePool } from '../../../../src/engines/gpu/device/pool.js';
import type { OrderedRecords, Records } from '../../../../src/engines/gpu/records/records.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { random } from '../../../support/random.js';
import { LINES } from '../../../support/records.js';
import { sampled } from '../../../support/tier.js';
import { destroyRecords, readWords, uploadRecords } from '../helpers.js';
import { DISTRIBUTIONS, linesOf, referenceOrder, traitOf } from './strings.js';

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
  ...LINES,
  format: { kind: 'fixed', size: 23 },
  key: { kind: 'bytes', offset: 5, length: 10 },
};

const ORDERINGS: Readonly<Record<string, Ordering>> = {
  lines: LINES,
  'lines in reverse': REVERSE,
  'unique lines': UNIQUE,
  'unique lines in reverse': { ...UNIQUE, reverse: true },
  'whole records': { ...KEYED, key: { kind: 'record' } },
  'records by key': KEYED,
  'records by key in reverse': { ...KEYED, reverse: true, key: { kind: 'bytes', offset: 20, length: 3 } },
  'records by key alone': { ...KEYED, lastResort: false },
  // Among records with equal keys, the first in the input is kept.
  'unique records by key': { ...KEYED, lastResort: false, unique: true },
};

const SORTS = [
  'merges of 8-byte prefixes',
  'merges of 4-byte prefixes',
  'merges by moving windows',
  'radix-refine',
  'radix-refine after a locality sort',
  'MSD radix',
] as const;
type SortName = (typeof SORTS)[number];

/** Each sort as users get it, and with its sizes forced small, where few records make work of every kind. */
const SIZES = ['default sizes', 'small sizes'] as const;

/** A software GPU must compile the kernels of a sort again for each ordering and for other sizes. */
const CELLS = sampled(
  SORTS.flatMap((sort) => Object.keys(ORDERINGS).flatMap((kind) => SIZES.map((sizes) => ({ sort, kind, sizes })))),
  {
    count: 40,
    seed: 422,
    values: ({ sort, kind, sizes }) => {
      const { reverse, unique, format, lastResort } = ORDERINGS[kind];
      return [sort, sizes, reverse, unique, format.kind, lastResort];
    },
    always: ({ kind, sizes }) => kind.includes('lines') || (kind === 'records by key' && sizes === 'small sizes'),
  },
);

/** Fails with the first place that differs and both records there, which helps more than the full lists. */
function expectSame(found: Uint32Array, expected: Uint32Array, records: readonly Uint8Array[], what: string): void {
  const at = found.length === expected.length ? expected.findIndex((x, i) => x !== found[i]) : -2;
  if (at === -1) return;
  const show = (n: number | undefined): string =>
    `${n}: ${n === undefined || records[n] === undefined ? '' : Buffer.from(records[n]).toString('latin1').slice(0, 80)}`;
  expect.fail(
    at === -2
      ? `${what}: ${found.length} records, ${expected.length} expected`
      : `${what}: place ${at}: ${show(found[at])}, expected ${show(expected[at])}`,
  );
}

/** Sorts records on the device and expects the host's order. */
export async function checkStringSort(
  gpu: Gpu,
  sort: StringSort,
  records: readonly Uint8Array[],
  ordering: Ordering = LINES,
  commonPrefix = 0,
  what = 'sort',
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
  expectSame(found, referenceOrder(records, ordering), records, what);
}

export const filled = (length: number, byte = 120): Uint8Array => new Uint8Array(length).fill(byte);
const BYTES = Array.from({ length: 256 }, (_, byte) => byte);

/**
 * Lines of 9 or (`later`) 26 bytes, so many different ones that a key has 8. In the first sort or in the first round of
 * refinement, equal keys reach to the last byte of their lines, which decides.
 */
export function decidedAfterKeys(later: boolean): Uint8Array[] {
  const tails = [...'ab'].flatMap((first) =>
    BYTES.slice(90, 230).map((last) => [...Buffer.from(`${first}xxxxxxx`), last]),
  );
  const lines = later
    ? [...'cd'].flatMap((c) => tails.map((tail) => [...Buffer.from(c.padEnd(17, 'y')), ...tail]))
    : tails;
  const next = random(5);
  return lines
    .flatMap((line) => [line, line])
    .map((line) => ({ line, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => Uint8Array.from(line));
}

/** A text of about `n` lines. */
type Make = (n: number) => Uint8Array[];

const HARD_LINES: Readonly<Record<string, Make>> = {
  'no line': () => [],
  'equal long lines': () => Array.from({ length: 300 }, () => filled(3000)),
  'prefixes of each other': () => {
    const next = random(7);
    return Array.from({ length: 250 }, () => filled(Math.floor(next() * 1500)));
  },
  'ends of lines before zero bytes, at lengths near those of keys': () =>
    Array.from({ length: 70 }, (_, length) => [
      filled(length),
      filled(length, 0),
      filled(length),
      Uint8Array.from([...filled(length, 0), 1]),
    ])
      .flat()
      .reverse(),
  'the same but for zero bytes at the end, the longest first': () =>
    [90, 0, 40, 2, 1, 0, 89, 3].map((zeros) => Uint8Array.from([120, ...filled(zeros, 0)])),
  'bytes 1 and 255': (n) => {
    const next = random(13);
    return Array.from({ length: n }, () => filled(Math.floor(next() * 12)).map(() => (next() < 0.5 ? 1 : 255)));
  },
  'one length, and the last byte after a first key': () => decidedAfterKeys(false),
  'one length, and the last byte after a later key': () => decidedAfterKeys(true),
  'all bytes but the delimiter': () => {
    const next = random(11);
    return BYTES.filter((byte) => byte !== 10)
      .flatMap((byte) => [Uint8Array.of(byte), Uint8Array.of(byte, Math.floor(next() * 10))])
      .reverse();
  },
  'huge lines, equal or different in the last byte': () => {
    const size = 1 << 20;
    const last = filled(size);
    last[size - 1] = 119;
    return [filled(5), filled(size), last, filled(size - 1), filled(size), Buffer.from('y')];
  },
};
const LINE_INPUTS: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(Object.keys(DISTRIBUTIONS).map((name) => [name, (n: number) => linesOf(name, n, n + 1)])),
  ...HARD_LINES,
};

/** `n` records of 23 bytes, few of them different before byte 5 and after byte 12. */
function similarRecords(n: number): Uint8Array[] {
  const next = random(3);
  return Array.from({ length: n }, () =>
    Uint8Array.from({ length: 23 }, (_, i) => Math.floor(next() * (i > 12 || i < 5 ? 2 : 1.2))),
  );
}

const RECORD_INPUTS: Readonly<Record<string, Make>> = {
  'few bytes': similarRecords,
  'all bytes': (n) => {
    const next = random(n);
    return Array.from({ length: n }, () => Uint8Array.from({ length: 23 }, () => Math.floor(next() * 256)));
  },
};

/** Registers the tests of a sort. `small`: the same sort with its sizes forced small. */
export function testStringSort(gpu: () => Gpu, name: SortName, sort: StringSort, small: StringSort): void {
  describe.each(CELLS.filter((cell) => cell.sort === name))('$sort, $sizes, $kind', ({ kind, sizes }) => {
    const ordering = ORDERINGS[kind];
    const isSmall = sizes === 'small sizes';
    const check = (records: readonly Uint8Array[], commonPrefix = 0, what = 'sort'): Promise<void> =>
      checkStringSort(gpu(), isSmall ? small : sort, records, ordering, commonPrefix, what);
    const isLines = ordering.format.kind === 'lines';
    const inputs = Object.entries(isLines ? LINE_INPUTS : RECORD_INPUTS);
    const drawn = sampled(inputs, { count: inputs.length, seed: 1, values: ([name]) => [traitOf(name)] });
    it.each(drawn)('sorts %s', (_, make) => check(make(isSmall ? 397 : 1601)));
    it.runIf(isLines)('sorts sizes near those of tiles', async () => {
      const counts = isSmall
        ? Array.from({ length: 130 }, (_, n) => n).filter((n) => n < 8 || n % 64 < 3 || n % 64 > 61 || n % 5 === 0)
        : [1023, 1025, 2049, 4097, 32767];
      for (const n of sampled(counts, { count: counts.length, seed: 1, values: (n) => [n >> 3] }))
        await check(linesOf('random strings', n, n + 1), 0, `${n} lines`);
    });
    it.runIf(kind === 'lines' && isSmall)(
      'sorts texts that end at any byte of a vector, after a byte that decides',
      async () => {
        for (const length of [1, 15, 16, 17, 31, 32, 33, 47, 63, 64]) {
          const decided = filled(length).with(length - 1, 119);
          for (let before = 0; before < 16; before++)
            await check(
              [filled(length), filled(before), filled(length), decided],
              0,
              `${before} before ${length} bytes`,
            );
        }
      },
    );
    it.runIf(isLines)('skips the prefix that all lines are known to share', async () => {
      const shared = Buffer.from('a prefix of all: ');
      const lines = linesOf('random strings', 500, 501).map((line) => Buffer.concat([shared, line]));
      for (const known of [11, shared.length]) await check(lines, known, `${known} bytes`);
    });
  });
}
