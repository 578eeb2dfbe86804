/**
 * Starts work before its results are needed: a limited amount at once, with results in the order of the starts. A
 * failure is thrown where its result is taken, and every promise has a handler.
 */
import { allOver, quiet } from './promises.js';

/**
 * Results that a producer pushes: `take` receives each one as soon as all earlier ones are taken. After a failure, it
 * receives no more.
 */
export class InOrder<T> {
  private readonly most: number;
  private readonly take: (result: T) => Promise<void> | void;
  /** Work and calls of `take` in progress, oldest first. */
  private readonly underway: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();

  /** `most`: the maximum number of results that are being made, or wait to be taken, when more work begins (`room`). */
  constructor(most: number, take: (result: T) => Promise<void> | void) {
    this.most = most;
    this.take = take;
  }

  put(work: Promise<T>): void {
    this.last = allOver([this.last, work]).then(([, result]) => this.take(result));
    // Handled in room() or taken().
    quiet(this.last);
    this.underway.push(this.last);
  }

  /** Waits for the oldest work while there is too much. Rejects with its failure. */
  async room(): Promise<void> {
    while (this.underway.length > this.most) await this.underway.shift();
  }

  /** Settles once all work and all calls of `take` have ended. Rejects with the first failure in order. */
  taken(): Promise<void> {
    return this.last;
  }
}

/** Starts work once there is room for its result. Resolves to false, without starting it, if no more is needed. */
export type Begin<T> = (start: () => Promise<T>) => Promise<boolean>;

/** Results that a consumer pulls, while a feeder begins the work for later ones. */
export class ReadAhead<T> {
  private readonly queue: Ahead<Promise<T>>;
  private readonly feed: (begin: Begin<T>) => Promise<void>;
  private isFed = false;

  /** At most `most` results are being made or wait. `feed` is called at the first `next`. */
  constructor(most: number, feed: (begin: Begin<T>) => Promise<void>) {
    this.queue = new Ahead(most);
    this.feed = feed;
  }

  /**
   * The next result; null after the last one, and once closed. Rejects with the failure of its work or, after all
   * results before it, of the feeder; further calls reject again.
   */
  async next(): Promise<T | null> {
    if (!this.isFed) {
      this.isFed = true;
      void this.feedAll();
    }
    const work = await this.queue.first();
    if (work === null) return null;
    const result = await work;
    this.queue.remove();
    return result;
  }

  /** Begins no more work. Work in progress continues, and its results and failures are dropped. */
  close(): void {
    this.queue.close();
  }

  private async feedAll(): Promise<void> {
    try {
      await this.feed(async (start) => {
        if (!(await this.queue.room())) return false;
        this.put(start());
        return true;
      });
    } catch (error) {
      this.put(Promise.reject(error));
    }
    this.queue.end();
  }

  private put(work: Promise<T>): void {
    // Handled in next().
    quiet(work);
    this.queue.put(work);
  }
}

/** A bounded FIFO queue between a producer that starts work and a consumer that waits for its results. */
export class Ahead<Item> {
  /** Items put and not yet removed, oldest first. */
  readonly items: Item[] = [];
  private readonly most: number;
  private ended = false;
  private closed = false;
  /** Resolvers of the waiting calls. */
  private wakes: (() => void)[] = [];

  /** The queue holds at most `most` items. */
  constructor(most: number) {
    this.most = most;
  }

  /** Waits until there is room for an item. Resolves to false if the queue was closed. */
  async room(): Promise<boolean> {
    while (!this.closed && this.items.length >= this.most) await this.change();
    return !this.closed;
  }

  put(item: Item): void {
    this.items.push(item);
    this.wake();
  }

  /** Marks the end: no more items follow. */
  end(): void {
    this.ended = true;
    this.wake();
  }

  /** Waits for the oldest item. Resolves to null if the queue has ended and is empty, or was closed. */
  async first(): Promise<Item | null> {
    while (!this.closed && !this.ended && this.items.length === 0) await this.change();
    return this.closed ? null : (this.items[0] ?? null);
  }

  remove(): void {
    this.items.shift();
    this.wake();
  }

  /** Wakes all waiting calls and makes all later waits return at once. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wakes.push(resolve);
    });
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake();
  }
}
