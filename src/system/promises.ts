/** Waiting for concurrent work that shares memory: the memory may be freed only after all of the work has ended. */

/** Like Promise.all, but settles only after all promises have. Rejects with the first failure in list order. */
export async function allOver<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Settles as `work` does or, if `signal` is aborted first, rejects with the reason. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).then(forget, forget);
  });
}

/** The waits for a signal. One listener ends them all, because Node warns if there are more than ten. */
interface Waits {
  readonly stops: Set<() => void>;
  readonly stopAll: () => void;
}
const waitsOf = new WeakMap<AbortSignal, Waits>();

/** Calls `stop` once `signal` is aborted, at once if it already is. The returned function ends the wait. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) stop();
  const { stops, stopAll } = waitsOf.get(signal) ?? beginWaits(signal);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size > 0) return;
    waitsOf.delete(signal);
    signal.removeEventListener('abort', stopAll);
  };
}

function beginWaits(signal: AbortSignal): Waits {
  const stops = new Set<() => void>();
  const waits: Waits = { stops, stopAll: () => stops.forEach((stop) => stop()) };
  waitsOf.set(signal, waits);
  signal.addEventListener('abort', waits.stopAll);
  return waits;
}

/**
 * Runs `work` on each item, at most `width` at once. After a failure it starts no more. Settles once all
 * started work has ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, i: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const i = next++;
      try {
        await work(items[i], i);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await allOver(Array.from({ length: Math.min(width, items.length) }, worker));
}

/** How long a burst of work may last before other events, such as signals, are let through. */
const BURST_MS = 50;
/** Calls of `rest` that are farther apart than this belong to different bursts. */
const APART_MS = 20;
let burst = { begin: 0, last: 0 };
/** Once a burst has lasted too long, every caller of `rest` waits for this. */
let pause: Promise<void> | undefined;

/**
 * Call this in long loops of the main thread: if the burst has lasted long enough, it returns a promise to await.
 * Awaiting a promise that is already settled would let no event through.
 */
export function rest(): Promise<void> | undefined {
  if (pause !== undefined) return pause;
  const now = performance.now();
  if (now - burst.last > APART_MS) burst = { begin: now, last: now };
  burst.last = now;
  if (now - burst.begin < BURST_MS) return undefined;
  return (pause = new Promise((resolve) => {
    setImmediate(() => {
      pause = undefined;
      burst.last = 0;
      resolve();
    });
  }));
}

/**
 * Runs at most `width` pieces of work at once; others wait in order of arrival. Work must not wait for other work of
 * the same object, because that may deadlock.
 */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(width: number) {
    this.free = width;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next !== undefined) next();
      else this.free++;
    }
  }
}

/** Settles when `work` does, and never rejects: its failure is handled where it is awaited, or does not matter. */
export async function quiet(work: PromiseLike<unknown> | null | undefined): Promise<void> {
  try {
    await work;
  } catch {
    /* handled elsewhere */
  }
}
