/**
 * orderRecords against a plain sort: the string merge sort, bounded ties, refinement, unique, merges of slices.
 */
import { expect, it } from 'vitest';
import type { Ordering } from '../../src/job.js';
import { loadOrder, orderRecords, TUNING, type OrderTuning } from '../../src/gpu/order.js';
import { BufferPool } from '../../src/gpu/pool.js';
import { describeGpu } from '../setup/gpu.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { destroyRecords, readWords, uploadRecords, useGpu } from './helpers.js';
import { DISTRIBUTIONS, referenceOrder } from './strings.js';

const REVERSE: Ordering = { ...LINES, reverse: true };
const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };
/** Tiles so small that few records make many merges. */
const SMALL: OrderTuning = { ...TUNING, tile: 64 };
/** Comparisons so short-sighted that refinement does most of the work. */
const SHORT: OrderTuning = { tile: 64, tieBytes: [8, 8, 16] };

const useTestGpu = useGpu();
let pool: BufferPool | undefined;

interface Options { slices?: number[]; commonPrefix?: number; tuning?: OrderTuning }

/** The place of each record would tell less on failure than this: the first place that differs, with both records. */
function expectSame(found: Uint32Array, expected: Uint32Array, records: readonly Uint8Array[]): void {
  const at = found.length === expected.length ? expected.findIndex((x, i) => x !== found[i]) : -2;
  if (at === -1) return;
  const show = (n: number | undefined): string => `${n}: ${n === undefined || records[n] === undefined ? '' : Buffer.from(records[n]!).toString('latin1').slice(0, 80)}`;
  expect.fail(at === -2 ? `${found.length} records, ${expected.length} expected` : `place ${at}: ${show(found[at])}, expected ${show(expected[at])}`);
}

async function check(records: readonly Uint8Array[], ordering: Ordering = LINES, { slices, commonPrefix = 0, tuning = TUNING }: Options = {}): Promise<void> {
  const gpu = useTestGpu();
  pool ??= new BufferPool(gpu);
  await loadOrder(gpu, ordering, tuning);
  const uploaded = uploadRecords(gpu, records, ordering);
  const { order, count } = await orderRecords(gpu, pool, uploaded, ordering, { slices: slices ?? null, commonPrefix, tuning });
  const found = await readWords(gpu, order, count);
  pool.give(order);
  destroyRecords(uploaded);
  expectSame(found, referenceOrder(records, ordering), records);
}

const make = (name: string, n: number): Uint8Array[] => DISTRIBUTIONS[name]!(n, random(n + 1));
const filled = (length: number, byte = 120): Uint8Array => new Uint8Array(length).fill(byte);

describeGpu('orderRecords', () => {
  it('sorts every size from 0 to two small tiles and one', async () => {
    for (let n = 0; n <= 129; n++) await check(make('random strings', n), LINES, { tuning: SMALL });
  });

  it('sorts sizes about the tile and about powers of two', async () => {
    for (const n of [1023, 1024, 1025, 2047, 2048, 2049, 4095, 4097, 16384, 32767, 32769]) await check(make('random strings', n));
  });

  for (const name of Object.keys(DISTRIBUTIONS)) {
    it(`sorts ${name}`, async () => {
      await check(make(name, 3001));
      await check(make(name, 777), LINES, { tuning: SMALL });
      await check(make(name, 777), LINES, { tuning: SHORT });
      await check(make(name, 777), REVERSE, { tuning: SHORT });
      await check(make(name, 777), UNIQUE, { tuning: SHORT });
      await check(make(name, 1500), { ...UNIQUE, reverse: true }, { tuning: SMALL });
      // Seven merge passes: ties are left to refinement by the default rule.
      await check(make(name, 8200), LINES, { tuning: SMALL });
    });
  }

  it('keeps the order of equal long records, and drops all but the first under unique', async () => {
    const records = Array.from({ length: 300 }, () => filled(3000));
    await check(records);
    for (const ordering of [REVERSE, UNIQUE]) for (const tuning of [SMALL, SHORT]) await check(records, ordering, { tuning });
  });

  it('sorts prefixes of each other', async () => {
    const next = random(7);
    const records = Array.from({ length: 700 }, () => filled(Math.floor(next() * 2500)));
    await check(records, LINES, { tuning: SMALL });
    await check(records, REVERSE, { tuning: SHORT });
    await check(records, UNIQUE, { tuning: SMALL });
  });

  it('sorts lengths about the bound of comparisons', async () => {
    const records: Uint8Array[] = [];
    for (let length = 0; length < 20; length++) records.push(filled(length), filled(length, 0), filled(length));
    for (let length = 250; length < 275; length++) records.push(filled(length, 0), filled(length), filled(length));
    for (const ordering of [LINES, REVERSE, UNIQUE]) await check(records.reverse(), ordering, { tuning: SMALL });
  });

  it('sorts pairs of huge records, equal or differing in the last byte', async () => {
    const size = 1 << 20;
    const last = filled(size);
    last[size - 1] = 119;
    const records = [filled(5), filled(size), last, filled(size - 1), filled(size), Buffer.from('y')];
    for (const ordering of [LINES, REVERSE, UNIQUE]) await check(records, ordering, { tuning: SMALL });
    await check(records, UNIQUE, { tuning: SHORT });
  });

  it('takes prefixes beyond what all records share', async () => {
    const shared = Buffer.from('a prefix of all: ');
    const records = make('random strings', 500).map((r) => Buffer.concat([shared, r]));
    await check(records, LINES, { commonPrefix: shared.length, tuning: SHORT });
    await check(records, REVERSE, { commonPrefix: 11, tuning: SMALL });
  });

  it('sorts fixed records by a key, with and without the last resort', async () => {
    const next = random(3);
    const keyed: Ordering = { format: { kind: 'fixed', size: 23 }, key: { kind: 'bytes', offset: 5, length: 10 }, reverse: false, unique: false, lastResort: true };
    const records = Array.from({ length: 1300 }, () => Uint8Array.from({ length: 23 }, (_, i) => Math.floor(next() * (i > 12 || i < 5 ? 2 : 1.2))));
    for (const tuning of [SMALL, SHORT]) {
      await check(records, keyed, { tuning });
      await check(records, { ...keyed, reverse: true, key: { kind: 'bytes', offset: 20, length: 3 } }, { tuning });
      await check(records, { ...keyed, lastResort: false }, { tuning });
      await check(records, { ...keyed, lastResort: false, unique: true }, { tuning });
      await check(records, { ...keyed, key: { kind: 'record' } }, { tuning });
    }
  });

  for (const k of [1, 2, 3, 7, 64]) {
    it(`merges ${k} slices`, async () => {
      const next = random(k);
      for (const name of ['random strings', 'Zipf words', 'URLs', 'two letters, 0 to 600']) {
        for (const ordering of [LINES, UNIQUE, REVERSE]) {
          const slices = [0];
          const records: Uint8Array[] = [];
          for (let s = 0; s < k; s++) {
            const slice = make(name, next() < 0.2 ? 0 : Math.floor(next() * next() * 6000 / k));
            records.push(...[...referenceOrder(slice, ordering)].map((i) => slice[i]!));
            slices.push(records.length);
          }
          await check(records, ordering, { slices, tuning: k === 3 && ordering === LINES ? TUNING : SMALL });
        }
      }
    });
  }
});
