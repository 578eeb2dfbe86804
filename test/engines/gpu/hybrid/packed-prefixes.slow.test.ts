/** The sort of packed prefixes: 12 bytes a record go to the device, and the host sorts the remaining ties. */
import { afterAll, expect, it } from 'vitest';
import { DevicePool } from '../../../../src/engines/gpu/device/pool.js';
import { startHostThreads } from '../../../../src/engines/gpu/hybrid/host-threads.js';
import { loadPackedPrefixes, sortByPrefixes } from '../../../../src/engines/gpu/hybrid/packed-prefixes.js';
import { SPLIT_TUNING } from '../../../../src/engines/gpu/strings/msd-radix/entries.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { join, LINES, positionsOf } from '../../../support/records.js';
import { useGpu } from '../helpers.js';
import { letters } from '../strings/msd-radix/sorts.js';
import { decidedAfterKeys, KEYED, REVERSE, UNIQUE } from '../strings/string-sorts.js';
import { linesOf, referenceOrder } from '../strings/strings.js';

const TUNING = { ...SPLIT_TUNING, tile: 64, wideDigitBits: 12, middleTiles: 2 };

describeGpu('the sort of packed prefixes', () => {
  const gpu = useGpu();
  const threads = startHostThreads(2);
  afterAll(() => threads.close());

  async function check(
    records: readonly Uint8Array[],
    ordering: Ordering = LINES,
  ): Promise<{ sentBytes: number; remainder: number }> {
    await loadPackedPrefixes(gpu(), TUNING);
    const pool = new DevicePool(gpu());
    const given = join(records, ordering);
    const text = new Uint8Array(new SharedArrayBuffer(given.length));
    text.set(given);
    const starts = new Uint32Array(new SharedArrayBuffer(4 * (records.length + 1)));
    starts.set(positionsOf(records, ordering).map(({ byte }) => byte));
    const before = gpu().traffic.sentBytes;
    const order = new Uint32Array(new SharedArrayBuffer(4 * records.length));
    const sorted = await sortByPrefixes(TUNING)(pool, threads, { text, starts, ordering, order });
    pool.destroyIdle();
    expect(gpu().traffic.sentBytes - before).toBe(sorted.sentBytes);
    expect([...order.subarray(0, sorted.count)]).toEqual([...referenceOrder(records, ordering)]);
    return sorted;
  }

  it('sends 12 bytes a record', async () => {
    expect(await check(letters(3000, 100, 'ACGT', 2))).toMatchObject({ sentBytes: 36000, remainder: 0 });
    await check([]);
    // A wide first digit: the host knows the alphabet.
    await check(letters(17_000, 50, 'ACGT', 8));
  });

  it('sorts the remainder on the host', async () => {
    expect((await check(linesOf('URLs', 900, 2))).remainder).toBeGreaterThan(400);
    for (const name of ['NULs', 'Zipf words', 'all equal, short', 'two letters, 0 to 600'])
      for (const ordering of [LINES, REVERSE, UNIQUE]) await check(linesOf(name, 700, 6), ordering);
  });

  it('knows which records of one length end in their packed symbols', async () => {
    for (const ordering of [LINES, REVERSE, UNIQUE])
      for (const later of [false, true]) await check(decidedAfterKeys(later), ordering);
  });

  it('skips the prefix that all records share, so the packed symbols settle the rest', async () => {
    const shared = letters(500, 5, 'abcdefgh', 4).map((record) => Buffer.concat([Buffer.alloc(90, 'x'), record]));
    expect((await check(shared)).remainder).toBe(0);
  });

  it('sorts fixed records by a key', async () => {
    const records = Array.from({ length: 300 }, (_, i) => Buffer.from(String((i * 7919) % 300).padStart(23, '0')));
    await check(records, KEYED);
  });
});
