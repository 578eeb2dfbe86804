/** Segments that share chunks: the output equals each segment sorted by itself, however the text is cut. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../src/job/ordering.js';
import { seeds } from '../support/distributions.js';
import { smallEngine } from '../support/jobs.js';
import { property } from '../support/property.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { expected, FIRST_FIELD, KINDS, ORDERS, text, written } from '../support/segments.js';
import { sampled } from '../support/tier.js';

describe('segments across chunks', () => {
  const CHUNKS = [20, 64, 300, 4096];
  const names = ['blank lines', 'the first field', 'the second field'];
  for (const [k, [segments, make, nameOf]] of KINDS.entries())
    for (const order of ORDERS)
      property(
        `sorts each segment across chunks: by ${names[k]}${order.reverse ? ', -r' : ''}${order.unique ? ', -u' : ''}`,
        [fc.constantFrom(...CHUNKS), fc.integer({ min: 1, max: 180 }), fc.boolean(), seeds],
        async (chunkBytes, count, isBounded, seed) => {
          const ordering: Ordering = { ...order, segments };
          const engine = await smallEngine(ordering, chunkBytes);
          const records = make(seed, count);
          expect((await written(engine, records, ordering, isBounded)).toString()).toBe(
            expected(records, nameOf, ordering).toString(),
          );
          await engine.close();
        },
        { runs: 60, seed: 10 * k + ORDERS.indexOf(order) },
      );

  it('sorts segments with records larger than a chunk', async () => {
    const long = (first: string, size: number): string => `${first} ${'z'.repeat(size)}`;
    const lines = ['a 2', long('a', 90), 'a 1', long('b', 100), long('b', 80), 'b 5', 'a 1', long('c', 100)];
    for (const order of ORDERS) {
      const ordering: Ordering = { ...order, segments: FIRST_FIELD };
      const engine = await smallEngine(ordering, 64);
      expect((await written(engine, text(lines), ordering, false)).toString()).toBe(
        expected(text(lines), (line) => line.split(' ')[0], ordering).toString(),
      );
      await engine.close();
    }
  });
});

describe('segments across tiles of a chunk', () => {
  const CASES = [0.0001, 0.001, 0.5].flatMap((change) => [false, true].map((unique) => ({ change, unique })));
  it.each(sampled(CASES, { count: CASES.length, seed: 1 }))(
    'sorts segments across tiles if they end with probability $change per line (-u: $unique)',
    async ({ change, unique }) => {
      // 9 MB: three tiles of 4 MiB.
      const next = random(Math.round(1 / change));
      let key = 0;
      const records = text(
        Array.from({ length: 75_000 }, () => {
          if (next() < change) key++;
          return `${key} ${Math.floor(next() * 1e14)} ${'.'.repeat(100)}`;
        }),
      );
      const ordering: Ordering = { ...LINES, unique, lastResort: !unique, segments: FIRST_FIELD };
      const engine = await smallEngine(ordering, 16 << 20);
      const found = await written(engine, records, ordering, false);
      expect(found.equals(expected(records, (line) => line.split(' ')[0], ordering))).toBe(true);
      await engine.close();
    },
  );
});
