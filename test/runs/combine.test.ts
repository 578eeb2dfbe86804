/** Results on their way to the output: in order, several at once if possible, and none after a failure. */
import { describe, expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { BlockTaker, Engine, Slice, Sorted } from '../../src/contract/engine.js';
import { combine, type Step, steps } from '../../src/runs/combine.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TextRun } from '../../src/runs/text-run.js';
import { allOver } from '../../src/system/promises.js';
import { smallEngine } from '../support/jobs.js';
import { LINES } from '../support/records.js';
import { bySizedKeys, keyedSized, sized, sizedRun } from '../support/sized.js';

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

it('tells merges that compress the bytes of text before them, without keys', async () => {
  const ordering = bySizedKeys();
  /** A run of records whose texts have so many bytes. */
  const runOf = (...texts: number[]): TextRun =>
    sizedRun(
      texts.map((bytes, i) => keyedSized(Buffer.of(i), sized(Buffer.alloc(bytes)))),
      20,
    );
  const slices = [runOf(100, 20, 3000), runOf(7), runOf(1, 2)].map(wholeRun);
  // After the first record, its lengths and its key.
  const second = { byte: 20 + 4 + 4 + 1 + 104 };
  const parts: Slice[][] = [[{ ...slices[0], to: second }], [{ ...slices[0], from: second }, slices[1]], [slices[2]]];
  const given: unknown[] = [];
  const events: string[] = [];
  const taker: BlockTaker = {
    text: async ({ length }) => void events.push(`${length}`),
    blocks: async ({ length }, sizes, textBytes, text) => void events.push([length, sizes, textBytes, text].join()),
  };
  const merge: Engine['merge'] = async (merged, _, form, __, blocks) => {
    const number = given.push([merged.length, form, blocks]);
    return [
      {
        ...{ bytes: number, records: 1, borrowed: false, atOnce: true, keep: async () => null, release: () => {} },
        emit: () => Promise.reject(new Error('text is compressed')),
        emitBlocks: async (to) => {
          await allOver([to.text(Buffer.alloc(number)), to.blocks(Buffer.alloc(7), [3, 4], 100, null)]);
        },
      },
    ];
  };
  async function* all(): AsyncGenerator<Step> {
    for (const part of parts) yield { kind: 'range', range: { slices: part, commonPrefix: 0 } };
  }
  const engine = decorated(await smallEngine(ordering, 1024), { mergesAhead: 4, merge });
  const write = (): Promise<void> => Promise.reject(new Error('text is compressed'));
  const form = { level: 5, wantsText: false };
  const blocks = { before: 1000, ...form, taker };
  await combine(all(), { engine, ordering, write, unneeded: null }, { blocks });
  expect(given).toEqual([
    [1, 'plain', { before: 1000, ...form }],
    [2, 'plain', { before: 1000 + 104, ...form }],
    [1, 'plain', { before: 1000 + 104 + 24 + 3004 + 11, ...form }],
  ]);
  expect(events.join(' ')).toBe('1 7,3,4,100, 2 7,3,4,100, 3 7,3,4,100,');
});
