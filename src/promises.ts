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
