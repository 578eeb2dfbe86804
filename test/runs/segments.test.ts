/** Segments that share chunks: the output equals each segment sorted by itself, however the text is cut. */
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../src/job.js';
import { smallEngine } from '../support/jobs.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';
import { expected, FIRST_FIELD, KINDS, ORDERS, text, written } from '../support/segments.js';

describe('segments across chunks', () => {
  it.each([20, 64, 300, 4096])('are sorted one by one in chunks of %d bytes', async (chunkBytes) => {
    for (const [k, order] of ORDERS.entries()) {
      for (const [segments, make, nameOf] of KINDS) {
        const ordering: Ordering = { ...order, segments };
        const engine = await smallEngine(ordering, chunkBytes);
        for (let seed = 0; seed < 20; seed++) {
          const records = make(1000 * k + seed, 1 + seed * 9);
          expect((await written(engine, records, ordering, seed % 2 === 0)).toString(), `seed ${seed}`).toBe(
            expected(records, nameOf, ordering).toString(),
          );
        }
        await engine.close();
      }
    }
  });

  it('contain records larger than a chunk', async () => {
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
  it.each([0.0001, 0.001, 0.5])('are sorted one by one if they end with probability %d per line', async (change) => {
    // 9 MB: three tiles of 4 MiB.
    const next = random(Math.round(1 / change));
    let key = 0;
    const records = text(
      Array.from({ length: 75_000 }, () => {
        if (next() < change) key++;
        return `${key} ${Math.floor(next() * 1e14)} ${'.'.repeat(100)}`;
      }),
    );
    for (const unique of [false, true]) {
      const ordering: Ordering = { ...LINES, unique, lastResort: !unique, segments: FIRST_FIELD };
      const engine = await smallEngine(ordering, 16 << 20);
      expect(
        (await written(engine, records, ordering, false)).equals(
          expected(records, (line) => line.split(' ')[0], ordering),
        ),
      ).toBe(true);
      await engine.close();
    }
  });
});
