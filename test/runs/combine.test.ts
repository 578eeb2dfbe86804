/** Results on their way to the output: in order, several at once if possible, and none after a failure. */
import { describe, expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { Engine, Sorted } from '../../src/contract/engine.js';
import { combine, type Step, steps } from '../../src/runs/combine.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TextRun } from '../../src/runs/text-run.js';
import { allOver } from '../../src/system/promises.js';
import { smallEngine } from '../support/jobs.js';
import { LINES } from '../support/records.js';

/** An engine whose merges produce the texts `0`, `1` ..., in two blocks each. Merge number `failing` fails. */
async function engineOf(atOnce: boolean, failing = -1): Promise<{ engine: Engine; released: Set<number> }> {
  let merges = 0;
  const released = new Set<number>();
  const merge = async (): Promise<Sorted[]> => {
    const number = merges++;
    if (number === failing) throw new Error('cannot be merged');
    const blocks = [Buffer.from(`${number}`), Buffer.from(',')];
    return [
      {
        bytes: 2,
        records: 1,
        borrowed: false,
        ...(atOnce && { atOnce }),
        emit: async (write) => {
          await allOver(blocks.map((block) => write(block)));
          released.add(number);
        },
        keep: async () => null,
        release: () => {
          released.add(number);
        },
      },
    ];
  };
  return { engine: decorated(await smallEngine(LINES, 1024), { mergesAhead: 4, merge }), released };
}

async function* stepsOf(count: number, over: (number: number) => void): AsyncGenerator<Step> {
  for (let i = 0; i < count; i++)
    yield {
      kind: 'range',
      range: { slices: [], commonPrefix: 0 },
      ended: () => {
        over(i);
      },
    };
}

describe.each([
  [true, 3],
  [false, 1],
])('results that are emitted at once: %s', (atOnce, most) => {
  it(`writes merged results in order, at most ${most} at a time`, async () => {
    const { engine } = await engineOf(atOnce);
    let [text, writing, mostWriting] = ['', 0, 0];
    const over: number[] = [];
    await combine(
      stepsOf(10, (number) => {
        over.push(number);
      }),
      {
        engine,
        ordering: LINES,
        write: async (block) => {
          text += Buffer.from(block).toString();
          mostWriting = Math.max(mostWriting, ++writing);
          await new Promise((resolve) => {
            setTimeout(resolve, 2);
          });
          writing--;
        },
        unneeded: null,
      },
    );
    expect(text).toBe('0,1,2,3,4,5,6,7,8,9,');
    expect(mostWriting).toBe(2 * most);
    expect(over).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
  it('drops merged results after a merge that fails', async () => {
    const { engine, released } = await engineOf(atOnce, 5);
    let text = '';
    await expect(
      combine(
        stepsOf(10, () => {}),
        {
          engine,
          ordering: LINES,
          write: async (block) => {
            text += Buffer.from(block).toString();
          },
          unneeded: null,
        },
      ),
    ).rejects.toThrow('cannot be merged');
    expect(text).toBe('0,1,2,3,4,');
    expect(released.has(5)).toBe(false);
    for (let i = 0; i < 5; i++) expect(released).toContain(i);
  });
  it('writes no merged results after a write that fails', async () => {
    const { engine } = await engineOf(atOnce);
    const written: string[] = [];
    let [failed, writing] = [false, 0];
    await expect(
      combine(
        stepsOf(10, () => {}),
        {
          engine,
          ordering: LINES,
          write: async (block) => {
            writing++;
            await new Promise((resolve) => {
              setTimeout(resolve, 2);
            });
            writing--;
            failed ||= Buffer.from(block).toString() === '4';
            // Like the real writers: once one write has failed, all fail.
            if (failed) throw new Error('disk full');
            written.push(Buffer.from(block).toString());
          },
          unneeded: null,
        },
      ),
    ).rejects.toThrow('disk full');
    expect(written.join('')).toBe('0,1,2,3,');
    expect(writing).toBe(0);
  });
});

describe('the last records', () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => `${1000 + i}\n`);
  const runs = [0, 1].map((rest) => {
    const text = Buffer.from(numbers.filter((_, i) => i % 2 === rest).join(''));
    const memory = new SharedArrayBuffer(text.length);
    Buffer.from(memory).set(text);
    return new TextRun(memory, { begin: 0, end: text.length }, LINES);
  });
  /** The records of each range that is merged for the last `count` records, in order. */
  async function rangesFor(count: number): Promise<string[][]> {
    const engine = decorated(await smallEngine(LINES, 1024), { rangeBytes: 256, mergeBytes: 1024 });
    const ranges: string[][] = [];
    for await (const step of steps(engine, runs.map(wholeRun), [], LINES, { last: count }))
      if (step.kind === 'range')
        ranges.push(
          step.range.slices.flatMap(({ run, from, to }) =>
            Buffer.from((run as TextRun).memory)
              .toString('latin1', from.byte, to.byte)
              .match(/.*\n/g),
          ) as string[],
        );
    return ranges.map((range) => range.sort());
  }

  it.each([1, 10, 52, 400])('need only the ranges that hold them: %i', async (count) => {
    const ranges = await rangesFor(count);
    expect(ranges.flat().slice(-count)).toEqual(numbers.slice(-count));
    expect(ranges.slice(1).flat().length).toBeLessThan(count);
  });

  it('need no range if there are none, and all if they are more than half', async () => {
    expect(await rangesFor(0)).toEqual([]);
    expect((await rangesFor(700)).flat()).toEqual(numbers);
  });
});
