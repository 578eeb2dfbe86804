/** The small parts that all folders use: waiting, steps, reads and writes that continue, digests, kernels' memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { addDigests, NO_RECORDS } from '../src/report/digest.js';
import { fileSystem } from '../src/system/file-system.js';
import { growTo, newMemory } from '../src/system/memory.js';
import { allOver, inParallel, rest, Turns, untilAborted } from '../src/system/promises.js';
import { advance, finish, inOneStep, type Resumable } from '../src/system/resumable.js';
import { isClosedPipe, readFilling, readSome, writeFully } from '../src/system/transfer.js';
import { property } from './support/property.js';

describe('waiting for work', () => {
  it('reports the first failure after all work has ended', async () => {
    const ended: string[] = [];
    const work = async (name: string, ms: number, fails: boolean): Promise<string> => {
      await sleep(ms);
      ended.push(name);
      if (fails) throw new Error(name);
      return name;
    };
    await expect(allOver([work('a', 20, false), work('b', 10, true), work('c', 1, true)])).rejects.toThrow('b');
    expect(ended.sort()).toEqual(['a', 'b', 'c']);
    expect(await allOver([work('d', 2, false), work('e', 1, false)])).toEqual(['d', 'e']);
  });

  it('stops when a signal is aborted, and leaves no listener', async () => {
    const counted = (): { signal: AbortSignal; abort(reason: Error): void; listeners(): number } => {
      const controller = new AbortController();
      const { signal } = controller;
      let listeners = 0;
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        listeners++;
        addEventListener.apply(signal, args);
      };
      signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
        listeners--;
        removeEventListener.apply(signal, args);
      };
      return { signal, abort: (reason) => controller.abort(reason), listeners: () => listeners };
    };
    const done = counted();
    const works = Array.from({ length: 20 }, (_, i) => untilAborted(done.signal, sleep(i, i)));
    expect(done.listeners()).toBe(1);
    expect(await Promise.all(works)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    await expect(untilAborted(done.signal, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(done.listeners()).toBe(0);

    const stopped = counted();
    const waits = [0, 1].map(() => untilAborted(stopped.signal, new Promise(() => {})));
    stopped.abort(new Error('stop'));
    for (const wait of waits) await expect(wait).rejects.toThrow('stop');
    await expect(untilAborted(stopped.signal, new Promise(() => {}))).rejects.toThrow('stop');
  });

  it('starts no more parallel work after a failure, and waits for the work that was started', async () => {
    const [begun, ended]: number[][] = [[], []];
    const work = async (i: number): Promise<void> => {
      begun.push(i);
      await sleep(i === 1 ? 1 : 20);
      ended.push(i);
      if (i === 1) throw new Error('failed');
    };
    await expect(inParallel([0, 1, 2, 3, 4], 3, work)).rejects.toThrow('failed');
    expect(begun).toEqual([0, 1, 2]);
    expect(ended.sort()).toEqual([0, 1, 2]);
  });

  property(
    'runs each piece of work once, and no more than the limit at once, sequentially or in parallel',
    [fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 20 }), fc.boolean()],
    async (width, fails, isInTurns) => {
      let [running, most, runs] = [0, 0, 0];
      const work = async (): Promise<void> => {
        most = Math.max(most, ++running);
        runs++;
        await Promise.resolve();
        await new Promise(setImmediate);
        running--;
      };
      if (isInTurns) {
        const turns = new Turns(width);
        const failing = (isFailing: boolean) => async (): Promise<void> => {
          await work();
          if (isFailing) throw new Error('failed');
        };
        const results = await Promise.allSettled(fails.map((isFailing) => turns.run(failing(isFailing))));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(fails);
        // Later work finds all turns free.
        await allOver(Array.from({ length: width }, () => turns.run(work)));
        expect(runs).toBe(fails.length + width);
      } else {
        await inParallel(fails, width, work);
        expect(runs).toBe(fails.length);
      }
      expect(most).toBeLessThanOrEqual(width);
      if (fails.length >= width) expect(most).toBe(width);
    },
    { runs: 50, timeoutMs: 20_000 },
  );

  it('lets events through once a burst of work has lasted long enough', async () => {
    let isThrough = false;
    setImmediate(() => {
      isThrough = true;
    });
    for (const begin = performance.now(); !isThrough && performance.now() - begin < 5000; ) await rest();
    expect(isThrough).toBe(true);
  });
});

describe('steps', () => {
  function* counted(count: number, milliseconds: number): Resumable<string> {
    for (let i = 0; i < count; i++) {
      for (const begin = performance.now(); performance.now() - begin < milliseconds; );
      yield;
    }
    return 'done';
  }

  it('are run to the end by finish, and for a limited time by advance', () => {
    expect(finish(counted(3, 0))).toBe('done');
    expect(advance(counted(3, 0), 1000)).toEqual({ outcome: 'done' });
    const work = counted(20, 5);
    expect(advance(work, 20)).toBeNull();
    expect(finish(work)).toBe('done');
    expect(advance(inOneStep((n: number) => n + 1)(3), 0)).toEqual({ outcome: 4 });
  });
});

describe('reads and writes', () => {
  const saved = { ...fileSystem };
  afterEach(() => {
    Object.assign(fileSystem, saved);
  });
  const error = (code: string): Error => Object.assign(new Error(code), { code });
  /** An answer to a call: the bytes done, or an error. */
  const answers = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom('EAGAIN', 'EINTR')), {
    maxLength: 8,
  });
  /** Answers calls in order, then by their arguments. Throws those answers that are errors. */
  function playing(list: readonly (number | string)[]): (asked: number) => number {
    let calls = 0;
    return (asked) => {
      const answer = list[calls++] ?? asked;
      if (typeof answer === 'string') throw error(answer);
      return Math.min(answer, asked);
    };
  }

  property(
    'continue after short counts and interruptions',
    [fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 4 }), answers, fc.option(fc.nat(1000))],
    async (blocks, list, position) => {
      const content = Buffer.concat(blocks);
      const found = Buffer.alloc(content.length);
      let next = 0;
      let answer = playing(list);
      fileSystem.writev = async (_, parts, at) => {
        if (at !== null) expect(at).toBe(position! + next);
        const bytes = Buffer.concat(parts);
        const count = answer(bytes.length);
        bytes.copy(found, next, 0, count);
        next += count;
        return count;
      };
      await writeFully(9, blocks, position);
      expect(found).toEqual(content);

      const target = new Uint8Array(content.length + 7);
      answer = playing(list);
      fileSystem.read = async (_, into, at) => {
        const part = content.subarray(at!, at! + into.length);
        const count = part.length === 0 ? 0 : answer(part.length);
        into.set(part.subarray(0, count));
        return count;
      };
      expect(await readFilling(9, target, 0)).toBe(content.length);
      expect(Buffer.from(target.subarray(0, content.length))).toEqual(content);
    },
    { runs: 100 },
  );

  it('report other errors, and treat a pipe without a writer as at its end', async () => {
    fileSystem.read = () => Promise.reject(error('EIO'));
    fileSystem.writev = () => Promise.reject(error('ENOSPC'));
    await expect(readSome(9, new Uint8Array(1), null)).rejects.toThrow('EIO');
    await expect(writeFully(9, [new Uint8Array(1)], null)).rejects.toThrow('ENOSPC');
    fileSystem.read = () => Promise.reject(error('EOF'));
    expect(await readSome(9, new Uint8Array(1), null)).toBe(0);
    expect(['EPIPE', 'EOF', 'EIO'].map((code) => isClosedPipe(error(code)))).toEqual([true, true, false]);
  });
});

const hashes = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const digests = fc.record({ records: fc.nat(), bytes: fc.nat(), hash: hashes });
property(
  'adds digests in any order, and keeps 64 bits of hashes',
  [digests, digests, digests],
  (a, b, c) => {
    const sum = addDigests(addDigests(a, b), c);
    expect(addDigests(b, addDigests(c, a))).toEqual(sum);
    expect(sum.hash).toBe((a.hash + b.hash + c.hash) % 2n ** 64n);
    expect(sum.records).toBe(a.records + b.records + c.records);
    expect(addDigests(NO_RECORDS, a)).toEqual(a);
  },
  { runs: 50 },
);

describe("a kernel's memory", () => {
  const PAGE = 64 << 10;

  it('grows to the bytes requested or more, and never shrinks', () => {
    const memory = newMemory();
    for (const bytes of [1, PAGE, PAGE + 1, 10 * PAGE, 10 * PAGE + 1, 5]) {
      const before = memory.buffer.byteLength;
      growTo(memory, bytes);
      expect(memory.buffer.byteLength).toBeGreaterThanOrEqual(Math.max(bytes, before));
    }
  });

  it('grows by as much as there is room for, or throws a RangeError', () => {
    const memory = new WebAssembly.Memory({ initial: 80, maximum: 83 });
    growTo(memory, 82 * PAGE);
    expect(memory.buffer.byteLength).toBe(82 * PAGE);
    expect(() => growTo(memory, 84 * PAGE)).toThrow(RangeError);
  });
});
