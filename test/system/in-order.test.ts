/** Results of concurrent work: their order, the bounds of the work, and its state after faults and aborts. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InOrder, ReadAhead } from '../../src/system/in-order.js';
import { property } from '../support/property.js';

/** Tasks that end after a given number of turns of the event loop, and those in progress. */
class Tasks {
  readonly started: number[] = [];
  readonly ended: number[] = [];
  most = 0;

  async run(number: number, turns: number, failure?: string): Promise<number> {
    this.started.push(number);
    this.most = Math.max(this.most, this.underway);
    for (let i = 0; i <= turns; i++) await turn();
    this.ended.push(number);
    if (failure !== undefined) throw new Error(failure);
    return number;
  }

  get underway(): number {
    return this.started.length - this.ended.length;
  }
}

const TURNS = fc.array(fc.nat(4), { maxLength: 12 });
const MOST = fc.integer({ min: 1, max: 4 });
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('results that are pushed', () => {
  property(
    'are taken one at a time, in order, with no more work than allowed',
    [TURNS, MOST],
    async (turns, most) => {
      const tasks = new Tasks();
      const taken: number[] = [];
      let taking = 0;
      const results = new InOrder<number>(most, async (number) => {
        expect(++taking).toBe(1);
        await turn();
        taken.push(number);
        taking--;
      });
      for (const [i, count] of turns.entries()) {
        results.put(tasks.run(i, count));
        await results.room();
        expect(i + 1 - taken.length).toBeLessThanOrEqual(most);
      }
      await results.taken();
      expect(taken).toEqual(upTo(turns.length));
      expect(tasks.most).toBeLessThanOrEqual(most + 1);
    },
    { runs: 100 },
  );

  it.each([
    ['a task', 'task'],
    ['the taker', 'taker'],
  ])('end with the failure of %s, once all work has ended', async (_, who) => {
    const tasks = new Tasks();
    const taken: number[] = [];
    const results = new InOrder<number>(9, (number) => {
      if (who === 'taker' && number === 1) throw new Error('first');
      taken.push(number);
    });
    for (const i of upTo(4))
      results.put(tasks.run(i, i === 1 ? 0 : 5, i === 3 ? 'second' : who === 'task' && i === 1 ? 'first' : undefined));
    await expect(results.taken()).rejects.toThrow('first');
    expect(taken).toEqual([0]);
    expect(tasks.underway).toBe(0);
  });

  it('report a failure to whoever waits for room, and again at the end', async () => {
    const results = new InOrder<number>(0, () => {});
    results.put(Promise.reject(new Error('first')));
    await expect(results.room()).rejects.toThrow('first');
    results.put(Promise.resolve(1));
    await expect(results.taken()).rejects.toThrow('first');
  });

  it('may fail without an unhandled rejection if nobody waits', async () => {
    new InOrder<number>(1, () => {}).put(Promise.reject(new Error('unseen')));
    await turn();
  });
});

describe('results that are pulled', () => {
  const readAll = async (ahead: ReadAhead<number>): Promise<number[]> => {
    const read: number[] = [];
    for (let next = await ahead.next(); next !== null; next = await ahead.next()) read.push(next);
    return read;
  };

  property(
    'come in order, with no more work than allowed',
    [TURNS, MOST],
    async (turns, most) => {
      const tasks = new Tasks();
      const ahead = new ReadAhead<number>(most, async (begin) => {
        for (const [i, count] of turns.entries()) expect(await begin(() => tasks.run(i, count))).toBe(true);
      });
      expect(tasks.started).toEqual([]);
      expect(await readAll(ahead)).toEqual(upTo(turns.length));
      expect(await ahead.next()).toBeNull();
      expect(tasks.most).toBeLessThanOrEqual(most);
    },
    { runs: 100 },
  );

  it.each([
    ['a task', 'task'],
    ['the start of a task', 'start'],
    ['the feeder', 'feeder'],
  ])('come before the failure of %s, which stays', async (_, who) => {
    const tasks = new Tasks();
    const ahead = new ReadAhead<number>(2, async (begin) => {
      await begin(() => tasks.run(0, 3));
      if (who === 'feeder') throw new Error('fault');
      await begin(() => {
        if (who === 'start') throw new Error('fault');
        return tasks.run(1, 0, 'fault');
      });
      await begin(() => tasks.run(2, 0));
    });
    expect(await ahead.next()).toBe(0);
    await expect(ahead.next()).rejects.toThrow('fault');
    await expect(ahead.next()).rejects.toThrow('fault');
    ahead.close();
  });

  it('end when closed: no work begins, and failures of running work are ignored', async () => {
    const tasks = new Tasks();
    let isFed = false;
    const ahead = new ReadAhead<number>(2, async (begin) => {
      let number = 0;
      while (await begin(() => tasks.run(number++, 5, number > 1 ? 'unseen' : undefined)));
      isFed = true;
    });
    expect(await ahead.next()).toBe(0);
    ahead.close();
    expect(await ahead.next()).toBeNull();
    for (let i = 0; i < 20; i++) await turn();
    expect(isFed).toBe(true);
    expect(tasks.started.length).toBeLessThanOrEqual(3);
    expect(tasks.underway).toBe(0);
  });

  it('wake whoever waits for one when closed', async () => {
    const ahead = new ReadAhead<number>(1, () => new Promise(() => {}));
    const next = ahead.next();
    ahead.close();
    expect(await next).toBeNull();
  });
});
