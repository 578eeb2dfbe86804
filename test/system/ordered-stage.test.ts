/**
 * Stages of a stream: every byte is worked on once, results come in order, and bounds hold after failures and a close.
 */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderedStage } from '../../src/system/ordered-stage.js';
import { pour, pouring } from '../support/cuts.js';
import { property } from '../support/property.js';

const SPACE = 32;
const copyOf = (text: SharedArrayBuffer, bytes: number): Buffer => Buffer.from(new Uint8Array(text, 0, bytes));

property(
  'gives all groups to the work, and their results in order',
  [fc.array(fc.nat(4), { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), fc.nat(3), fc.nat(4), pouring(30)],
  async (lengths, groupBytes, atOnce, turns, how) => {
    const words = lengths.map((length, i) => `${String(i).repeat(length)} `).join('');
    const groups: string[] = [];
    let working = 0;
    const stage = new OrderedStage<string>({
      groupBytes,
      atOnce,
      // Works on whole words.
      begin: (text, filled) => {
        const bytes = copyOf(text, filled).lastIndexOf(SPACE) + 1;
        if (bytes === 0) return null;
        expect(++working).toBeLessThanOrEqual(atOnce + 1);
        const work = async (): Promise<string> => {
          for (let i = (bytes * 7) % (turns + 1); i >= 0; i--) await turn();
          working--;
          return copyOf(text, bytes).toString();
        };
        return { bytes, result: work() };
      },
      take: async (group) => {
        groups.push(group);
        await turn();
      },
    });
    const stream = stage.stream();
    await pour({ write: (block) => stream.write(block), finish: () => stream.flush() }, Buffer.from(words), how);
    await stage.taken();
    expect(groups.join('')).toBe(words);
    expect(groups.every((group) => group.endsWith(' '))).toBe(true);
    expect(stream.heldBytes).toBe(0);
  },
  { runs: 400 },
);

it('holds the bytes that no work takes', async () => {
  const stage = new OrderedStage<number>({ groupBytes: 4, atOnce: 1, begin: () => null, take: () => {} });
  const stream = stage.stream();
  await stream.write(Buffer.from('ten bytes.'));
  await stream.flush();
  expect(stream.heldBytes).toBe(10);
});

it('keeps the groups of its streams apart', async () => {
  const groups: string[] = [];
  const stage = new OrderedStage<string>({
    groupBytes: 4,
    atOnce: 1,
    begin: (text, bytes) => ({ bytes, result: Promise.resolve(copyOf(text, bytes).toString()) }),
    take: (group) => {
      groups.push(group);
    },
  });
  const [a, b] = [stage.stream(), stage.stream()];
  await a.write(Buffer.from('aa'));
  await b.write(Buffer.from('bbbbb'));
  await a.write(Buffer.from('aaa'));
  await stage.put(Promise.resolve('between'));
  await a.flush();
  await b.flush();
  await stage.taken();
  expect(groups).toEqual(['bbbb', 'aaaa', 'between', 'a', 'b']);
});

it.each(['work', 'take'])('throws a failure of %s to the writer, and at the end', async (who) => {
  const stage = new OrderedStage<void>({
    groupBytes: 1,
    atOnce: 0,
    begin: (_, bytes) => ({ bytes, result: who === 'work' ? Promise.reject(new Error('lost')) : Promise.resolve() }),
    take: () => Promise.reject(new Error('lost')),
  });
  await expect(stage.stream().write(Buffer.from('ab'))).rejects.toThrow('lost');
  await expect(stage.taken()).rejects.toThrow('lost');
  await stage.close();
});

it('ends the take under way when it is closed, and takes nothing afterwards', async () => {
  const events: string[] = [];
  const stage = new OrderedStage<string>({
    groupBytes: 1,
    atOnce: 9,
    begin: (text, bytes) => ({ bytes, result: Promise.resolve(copyOf(text, bytes).toString()) }),
    take: async (group) => {
      events.push(`takes ${group}`);
      for (let i = 0; i < 5; i++) await turn();
      events.push(`took ${group}`);
    },
    stop: async () => {
      events.push('stops');
    },
  });
  await stage.stream().write(Buffer.from('abc'));
  await turn();
  await stage.close();
  expect(events).toEqual(['takes a', 'stops', 'took a']);
  await stage.taken();
  expect(events).toHaveLength(3);
});

it('takes what is inserted between the bytes before and after it, and then resolves', async () => {
  const taken: string[] = [];
  const stage = new OrderedStage<string>({
    groupBytes: 4,
    atOnce: 1,
    begin: (text, bytes) => ({ bytes, result: Promise.resolve(copyOf(text, bytes).toString()) }),
    take: async (group) => {
      await turn();
      taken.push(group);
    },
  });
  const stream = stage.stream();
  // Calls need not wait for each other.
  const inserted = ['1', '2'].map((result, i) => {
    void stream.write(Buffer.from('abcdef'.slice(0, 6 - i)));
    return stream.insert(Promise.resolve(result)).then(() => taken.join(' '));
  });
  const empty = stream.insert(Promise.resolve('3')).then(() => taken.length);
  await stream.write(Buffer.from('g'));
  await stream.flush();
  expect(await Promise.all(inserted)).toEqual(['abcd ef 1', 'abcd ef 1 abcd e 2']);
  expect(await empty).toBe(7);
  await stage.taken();
  expect(taken).toEqual(['abcd', 'ef', '1', 'abcd', 'e', '2', '3', 'g']);
});

it.each(['work', 'take', 'result'])('throws a failure of %s to who inserts', async (who) => {
  const lost = Promise.reject(new Error('lost'));
  lost.catch(() => {});
  const stage = new OrderedStage<void>({
    groupBytes: 2,
    atOnce: 9,
    begin: (_, bytes) => ({ bytes, result: who === 'work' ? lost : Promise.resolve() }),
    take: () => (who === 'take' ? lost : undefined),
  });
  const stream = stage.stream();
  await stream.write(Buffer.from('a'));
  await expect(stream.insert(who === 'result' ? lost : Promise.resolve())).rejects.toThrow('lost');
  await expect(stream.insert(Promise.resolve())).rejects.toThrow('lost');
  await stage.close();
});
