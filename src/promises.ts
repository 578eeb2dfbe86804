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
