/**
 * Groups of tied records, sorted by multikey quicksort, in host threads and in the calling thread: the result is the
 * same for any number of threads, and a thread's failure is reported.
 */
import { afterAll, expect, it } from 'vitest';
import { JOINED, NEW, SAME } from '../../../../src/engines/gpu/hybrid/host-groups.js';
import type { HostTask, TaskRecords } from '../../../../src/engines/gpu/hybrid/host-tasks.js';
import {
  planTasks,
  sortOnThreads,
  startHostThreads,
  type TaskSizes,
  taskSizes,
} from '../../../../src/engines/gpu/hybrid/host-threads.js';
import { hostRecords, multikeyQuicksort } from '../../../../src/engines/gpu/hybrid/multikey-quicksort.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { compareRecords } from '../../../../src/keys/compare.js';
import { random } from '../../../support/random.js';
import { join, LINES, positionsOf } from '../../../support/records.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { DISTRIBUTIONS, linesOf, referenceOrder, traitOf } from '../strings/strings.js';

/** So small that a few hundred records make tasks of every kind. */
const SMALL: TaskSizes = { few: 0, task: 16, split: 40 };
const [none, one, three] = [0, 1, 3].map((workers) => startHostThreads(workers));
afterAll(() => Promise.all([none, one, three].map((threads) => threads.close())));

const shared = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes);
const words = (values: ArrayLike<number>): Uint32Array => {
  const list = new Uint32Array(shared(4 * values.length));
  list.set(values);
  return list;
};

/** Groups of records, each shuffled (by a stride), and the expected result. */
function problem(
  groups: readonly (readonly Uint8Array[])[],
  ordering: Ordering,
): { records: TaskRecords; order: number[]; states: number[] } {
  const records = groups.flat();
  const text = new Uint8Array(shared(join(records, ordering).length));
  text.set(join(records, ordering));
  const [places, states, order, expected]: [number[], number[], number[], number[]] = [[], [], [], []];
  let first = 0;
  for (const group of groups) {
    const members = group.map((_, i) => first + i);
    places.push(...[...members].sort((a, b) => ((a * 7919) % 997) - ((b * 7919) % 997)));
    states.push(...group.map((_, i) => (i === 0 ? NEW : JOINED)));
    const sorted = [...members].sort((a, b) => compareRecords(ordering, records[a], records[b]) || a - b);
    order.push(...sorted);
    expected.push(
      ...sorted.map((record, i) =>
        i > 0 && compareRecords(ordering, records[sorted[i - 1]], records[record]) === 0 ? SAME : NEW,
      ),
    );
    first += group.length;
  }
  return {
    records: {
      ordering,
      text,
      starts: words(positionsOf(records, ordering).map(({ byte }) => byte)),
      order: words(places),
      states: words(states),
    },
    order,
    states: expected,
  };
}

async function check(groups: readonly (readonly Uint8Array[])[], ordering: Ordering = LINES, depth = 0): Promise<void> {
  for (const [threads, sizes] of [
    [none, SMALL],
    [one, SMALL],
    [three, SMALL],
    [three, taskSizes(3, 1)],
  ] as const) {
    for (const unique of [false, true]) {
      const { records, order, states } = problem(groups, { ...ordering, unique });
      const members = await sortOnThreads(threads, records, depth, sizes);
      expect([...records.order]).toEqual(order);
      // States are valid only under `unique`.
      if (unique) expect([...records.states]).toEqual(states);
      expect(members).toBe(groups.reduce((sum, group) => sum + (group.length > 1 ? group.length : 0), 0));
    }
  }
}

const ORDERINGS: readonly Ordering[] = [LINES, { ...LINES, reverse: true }];

const names = Object.keys(DISTRIBUTIONS);
it.each(sampled(names, { count: names.length, seed: 1, values: (name) => [traitOf(name)] }))(
  'sorts groups of all sizes: %s',
  async (name) => {
    const make = (n: number): Uint8Array[] => linesOf(name, n, n);
    for (const ordering of NIGHTLY ? ORDERINGS : [ORDERINGS[name.length % 2]]) {
      await check([make(1), make(300), make(2), make(3), make(17), make(1), make(1), make(60), make(5)], ordering);
      await check([make(500)], ordering);
      if (NIGHTLY) for (let n = 0; n < 90; n++) await check([make(n), make(2)], ordering);
    }
  },
);

/** Ends of records before zero bytes, and the largest bytes, at lengths near those of keys of symbols. */
const ENDS = Array.from({ length: 14 }, (_, length) => [
  new Uint8Array(length),
  new Uint8Array(length).fill(255),
  new Uint8Array(length),
  Uint8Array.from([...new Uint8Array(length), 1]),
]).flat();
const isZero = (byte: number): boolean => byte === 0;

it.each(ORDERINGS)(
  'sorts the end of a record before a zero byte, also after a depth that all share: %o',
  async (ordering) => {
    await check([ENDS, ENDS.slice(3, 9)], ordering);
    for (const depth of [1, 3])
      await check([ENDS.filter((r) => r.length >= depth && r.subarray(0, depth).every(isZero))], ordering, depth);
  },
);

it('sorts no records, a single record, long equal ones, and a group after a prefix that all share', async () => {
  await check([]);
  await check([[Buffer.from('a')], [Buffer.from('a')]]);
  await check([Array.from({ length: 100 }, () => new Uint8Array(20000).fill(7))]);
  const records = linesOf('random strings', 200, 1).map((record) => Buffer.concat([Buffer.from('shared'), record]));
  await check([records], LINES, 6);
});

it.each([
  [false, true],
  [true, true],
  [false, false],
])('sorts fixed records by a key (reversed: %s, last resort: %s)', async (reverse, lastResort) => {
  const next = random(2);
  const records = Array.from({ length: 300 }, () => Uint8Array.from({ length: 9 }, () => Math.floor(next() * 2)));
  const key = { kind: 'bytes', offset: 3, length: 4 } as const;
  const ordering: Ordering = { ...LINES, format: { kind: 'fixed', size: 9 }, key, reverse, lastResort };
  await check([records, records.slice(0, 20)], ordering);
});

it('leaves everything outside a range unchanged', () => {
  const records = linesOf('Zipf words', 500, 3);
  const order = Uint32Array.from({ length: 502 }, (_, i) => (i === 0 || i > 500 ? 0xffffffff : 500 - i));
  const starts = Uint32Array.from(positionsOf(records), ({ byte }) => byte);
  multikeyQuicksort(hostRecords(join(records), starts, LINES), order, 1, 501, 0);
  expect([...order]).toEqual([0xffffffff, ...referenceOrder(records, LINES), 0xffffffff]);
});

it('sorts large groups one at a time, and small ones together', () => {
  const states = Uint32Array.from([0, 2, 2, 2, 0, 0, 2, 0, 0, 0, 2, 2, 0]);
  expect(planTasks(states, 13, 3)).toEqual({
    large: [
      [0, 4],
      [9, 12],
    ],
    batches: [
      [4, 7],
      [7, 9],
      [12, 13],
    ],
  });
  expect(planTasks(states, 13, 100)).toEqual({ large: [], batches: [[0, 13]] });
  expect(planTasks(states, 0, 3)).toEqual({ large: [], batches: [] });
  expect(planTasks(Uint32Array.from([0, 1, 0, 1]), 4, 1)).toEqual({
    large: [],
    batches: [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ],
  });
});

it('reports why a thread failed, and continues', async () => {
  const { records } = problem([[Buffer.from('b'), Buffer.from('a')]], LINES);
  const bad = {
    kind: 'move',
    records,
    from: 0,
    to: 2,
    digit: { depth: 0 },
    places: undefined,
    target: undefined,
  } as unknown as HostTask;
  await expect(three.perform(bad)).rejects.toThrow(/^Cannot read properties of undefined[^\n]*$/);
  await expect(sortOnThreads(three, records, 0, SMALL)).resolves.toBe(2);
});

it('fails without waiting once its threads have ended', async () => {
  const threads = startHostThreads(1);
  const { records } = problem([[Buffer.from('b'), Buffer.from('a')]], LINES);
  const under = sortOnThreads(threads, records, 0, SMALL);
  const failure = expect(under).rejects.toThrow('the threads are closed');
  await threads.close();
  await failure;
  await expect(sortOnThreads(threads, records, 0, SMALL)).rejects.toThrow('the threads are closed');
});
