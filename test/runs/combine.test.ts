/** Results on their way to the output: in order, several at once if possible, and none after a failure. */
import { describe, expect, it } from 'vitest';
import type { Engine, Sorted } from '../../src/engines/contract.js';
import { combine, type Step } from '../../src/runs/combine.js';
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
  return { engine: { ...(await smallEngine(LINES, 1024)), mergesAhead: 4, merge }, released };
}

async function* stepsOf(count: number, over: (number: number) => void): AsyncGenerator<Step> {
  for (let i = 0; i < count; i++)
    yield {
      kind: 'range',
      range: { slices: [], commonPrefix: 0 },
      over: () => {
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
