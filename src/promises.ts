/** Waiting for several things at once whose memory must not be given up before all of them are over. */

/** Resolves as Promise.all does, or rejects with the first failure in the order of the list, but only when all are settled. */
export async function allOver<T extends readonly unknown[] | []>(promises: T): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Does `work` for each item, `width` at once; over when all that was begun is, also where one fails. After a failure none is begun. */
export async function inParallel<T>(items: readonly T[], width: number, work: (item: T, i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const i = next++;
      try {
        await work(items[i]!, i);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await allOver(Array.from({ length: Math.min(width, items.length) }, worker));
}

/** How long a burst of work may last before other events are let through, signals among them. */
const BURST_MS = 50;
/** Calls of `rest` farther apart than this are of different bursts. */
const APART_MS = 20;
let burst = { begin: 0, last: 0 };
/** What all wait for that want to go on once a burst has lasted too long. */
let pause: Promise<void> | undefined;

/**
 * For loops of the main thread that may be long: something to wait for if their burst has lasted long enough, else undefined. Waiting for promises that are
 * settled lets no event through.
 */
export function rest(): Promise<void> | undefined {
  if (pause !== undefined) return pause;
  const now = performance.now();
  if (now - burst.last > APART_MS) burst = { begin: now, last: now };
  burst.last = now;
  if (now - burst.begin < BURST_MS) return undefined;
  return pause = new Promise((resolve) => {
    setImmediate(() => {
      pause = undefined;
      burst.last = 0;
      resolve();
    });
  });
}

/**
 * Lets at most `width` pieces of work run at once; others wait for their turn, first come, first served. Work that waits for other
 * work of the same turns may wait for ever.
 */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(width: number) { this.free = width; }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--; else await new Promise<void>((resolve) => { this.waiting.push(resolve); });
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next !== undefined) next(); else this.free++;
    }
  }
}
