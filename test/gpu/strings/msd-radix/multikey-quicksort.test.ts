/** Multikey quicksort against a plain sort, on the host. */
import { expect, it } from 'vitest';
import { hostRecords, multikeyQuicksort } from '../../../../src/gpu/strings/msd-radix/multikey-quicksort.js';
import type { Ordering } from '../../../../src/job.js';
import { random } from '../../../support/random.js';
import { join, LINES, positionsOf } from '../../../support/records.js';
import { DISTRIBUTIONS, referenceOrder } from '../strings.js';

const KEYED: Ordering = {
  format: { kind: 'fixed', size: 9 },
  key: { kind: 'bytes', offset: 3, length: 4 },
  reverse: false,
  unique: false,
  lastResort: true,
};

function check(records: readonly Uint8Array[], ordering: Ordering, depth = 0): void {
  const starts = Uint32Array.from(positionsOf(records, ordering), ({ byte }) => byte);
  // Starts in reverse order: record numbers break ties. The elements before and after the range must not change.
  const order = Uint32Array.from({ length: records.length + 2 }, (_, i) =>
    i === 0 || i > records.length ? 0xffffffff : records.length - i,
  );
  multikeyQuicksort(hostRecords(join(records, ordering), starts, ordering), order, 1, records.length + 1, depth);
  expect([...order]).toEqual([0xffffffff, ...referenceOrder(records, ordering), 0xffffffff]);
}

it.each(Object.keys(DISTRIBUTIONS))('sorts %s', (name) => {
  for (const n of [0, 1, 2, 13, 500])
    for (const reverse of [false, true]) check(DISTRIBUTIONS[name](n, random(n + 3)), { ...LINES, reverse });
});

it('sorts ends of records before zero bytes, at lengths near those of keys of symbols', () => {
  const records: Uint8Array[] = [];
  for (let length = 0; length < 14; length++)
    records.push(
      new Uint8Array(length),
      new Uint8Array(length).fill(255),
      new Uint8Array(length),
      Uint8Array.from([...new Uint8Array(length), 1]),
    );
  for (const reverse of [false, true])
    for (const depth of [0, 1, 3])
      check(
        records.filter((r) => r.length >= depth && r.subarray(0, depth).every((byte) => byte === 0)),
        { ...LINES, reverse },
        depth,
      );
  check(records, LINES);
});

it('sorts long equal records, and those that share a depth', () => {
  check(
    Array.from({ length: 100 }, () => new Uint8Array(20000).fill(7)),
    LINES,
  );
  check(
    DISTRIBUTIONS['random strings'](300, random(1)).map((r) => Buffer.concat([Buffer.from('shared'), r])),
    LINES,
    6,
  );
});

it('sorts fixed records by a key', () => {
  const next = random(2);
  const records = Array.from({ length: 800 }, () => Uint8Array.from({ length: 9 }, () => Math.floor(next() * 2)));
  for (const reverse of [false, true])
    for (const lastResort of [false, true]) check(records, { ...KEYED, reverse, lastResort });
});
