/**
 * Records of many megabytes are cut by a few splitters at a time, and hundreds of small runs into even ranges.
 * combined.test.ts has the records of ranges.
 */
import { describe, expect, it } from 'vitest';
import type { Position, Run, Slice } from '../../src/contract/engine.js';
import { partition, wholeRun } from '../../src/runs/partition.js';
import { TextRun } from '../../src/runs/text-run.js';
import { randomBelow } from '../support/random.js';
import { join, LINES, sortedRecords } from '../support/records.js';

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

describe('hundreds of small runs', () => {
  const RUNS = 300;
  const LINES_PER_RUN = 250;
  const LINE_BYTES = 100;

  function smallRun(): TextRun {
    const lines = Array.from({ length: LINES_PER_RUN }, () =>
      Buffer.from(`${below(2 ** 31)}`.padStart(10, '0').padEnd(LINE_BYTES - 1, '.')),
    );
    const text = join(sortedRecords(lines));
    const memory = new SharedArrayBuffer(text.length);
    new Uint8Array(memory).set(text);
    return new TextRun(memory, { begin: 0, end: text.length }, LINES);
  }

  it('are cut in one step into as many even ranges', async () => {
    let [calls, misplaced] = [0, 0];
    const runs = Array.from({ length: RUNS }, smallRun);
    for (const run of runs) {
      const sample = run.sample.bind(run);
      run.sample = (...request) => {
        calls++;
        return sample(...request);
      };
    }
    const wanted = LINES_PER_RUN * LINE_BYTES;
    const ends = new Map<Run, number>(runs.map((run) => [run, 0]));
    const sizes: number[] = [];
    for await (const { slices } of partition(runs.map(wholeRun), LINES, { wanted, most: 4 * wanted, cutsAtOnce: 8 })) {
      sizes.push(slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0));
      for (const { run, from, to } of slices) {
        if (from.byte !== ends.get(run) || to.byte <= from.byte) misplaced++;
        ends.set(run, to.byte);
      }
    }
    expect(misplaced).toBe(0);
    expect([...ends.values()]).toEqual(runs.map(({ end }) => end.byte));
    // The first range is small, so that its merge ends early.
    expect(sizes.length).toBe(RUNS + 1);
    expect(calls).toBe(RUNS);
    expect(Math.max(...sizes)).toBeLessThan(2.5 * wanted);
  });
});
