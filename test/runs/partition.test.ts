/** Records of many megabytes are cut by a few splitters at a time. combined.test.ts has ranges of short records. */
import { describe, expect, it } from 'vitest';
import type { Position, Run, Slice } from '../../src/contract/engine.js';
import { partition, wholeRun } from '../../src/runs/partition.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';

const below = randomBelow(7);

describe('records of many megabytes', () => {
  const LONGEST = Buffer.alloc(40 << 20, 'x');

  interface Place extends Position {
    readonly index: number;
  }
  interface LongRun extends Run {
    readonly begin: Place;
  }

  /**
   * A run of records that are prefixes of one another; none of them is stored. `held` receives the total bytes of the
   * records that a call of `cut` is given, if they are more than two.
   */
  function longRun(lengths: readonly number[], held: (bytes: number) => void): LongRun {
    const places: Place[] = [{ index: 0, byte: 0 }];
    for (const length of lengths) places.push({ index: places.length, byte: places.at(-1)!.byte + length + 1 });
    const firstOf = (from: Place, to: Place, least: number): Place =>
      places[Math.min(to.index, Math.max(from.index, lengths.findIndex((length) => length >= least) >>> 0))];
    return {
      kind: 'stored',
      begin: places[0],
      end: places.at(-1)!,
      sample: async (from: Place, to: Place) =>
        places
          .slice(to.index - from.index > 1 ? from.index + 1 : from.index, to.index)
          .map((at) => ({ at, head: LONGEST.subarray(0, 64), bytes: lengths[at.index] })),
      record: async (at: Place) => LONGEST.subarray(0, lengths[at.index]),
      cut: async (from: Place, to: Place, records: readonly Uint8Array[]) => {
        if (records.length > 2) held(records.reduce((sum, record) => sum + record.length, 0));
        return records.map(({ length }) => ({
          lower: firstOf(from, to, length),
          upper: firstOf(from, to, length + 1),
        }));
      },
      release: () => {},
    };
  }

  it.each([
    [
      'in long runs',
      Array.from({ length: 8 }, () =>
        Array.from({ length: 12 }, () => (20 << 20) + below(20 << 20)).sort((a, b) => a - b),
      ),
    ],
    ['one per run', Array.from({ length: 12 }, () => [(20 << 20) + below(20 << 20)])],
    ['equal, one per run', Array.from({ length: 12 }, () => [40 << 20])],
    [
      'among short records',
      Array.from({ length: 8 }, (_, i) => [
        ...Array.from({ length: 2000 }, (_, j) => j),
        (30 << 20) + i,
        (39 << 20) + i,
      ]),
    ],
  ])('cuts records of many megabytes by a few splitters at a time: %s', async (_, lengths) => {
    let most = 0;
    const runs = lengths.map((each) =>
      longRun(each, (bytes) => {
        most = Math.max(most, bytes);
      }),
    );
    const size = { wanted: 60 << 20, most: 80 << 20, cutsAtOnce: 5 };
    const last = runs.map(() => 0);
    let longest = 0;
    for await (const { slices } of partition(runs.map(wholeRun), LINES, size)) {
      expect(slices.reduce((sum, s) => sum + s.to.byte - s.from.byte, 0)).toBeLessThanOrEqual(size.most);
      const within = (slices as Slice<LongRun>[]).flatMap(({ run, from, to }) => {
        const i = runs.indexOf(run);
        expect(from.index).toBe(last[i]);
        last[i] = to.index;
        return lengths[i].slice(from.index, to.index);
      });
      expect(Math.min(...within)).toBeGreaterThanOrEqual(longest);
      longest = Math.max(...within);
    }
    expect(last).toEqual(lengths.map((each) => each.length));
    expect(most).toBeLessThanOrEqual(64 << 20);
  });
});
