/** A queue between what begins work and what waits for it, in order: so much is begun ahead, no more. */

export class Ahead<Item> {
  /** What was put and not removed, the oldest first. */
  readonly items: Item[] = [];
  private readonly most: number;
  private ended = false;
  private closed = false;
  /** Those who wait for a change. */
  private wakes: (() => void)[] = [];

  /** For at most `most` items. */
  constructor(most: number) { this.most = most; }

  /** Waits for room; false if the queue was closed. */
  async room(): Promise<boolean> {
    while (!this.closed && this.items.length >= this.most) await this.change();
    return !this.closed;
  }

  put(item: Item): void {
    this.items.push(item);
    this.wake();
  }

  /** Nothing more is put. */
  end(): void {
    this.ended = true;
    this.wake();
  }

  /** Waits for the oldest item; null if there is none any more, or the queue was closed. */
  async first(): Promise<Item | null> {
    while (!this.closed && !this.ended && this.items.length === 0) await this.change();
    return this.closed ? null : this.items[0] ?? null;
  }

  /** Removes the oldest item. */
  remove(): void {
    this.items.shift();
    this.wake();
  }

  /** Nobody waits any longer. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => { this.wakes.push(resolve); });
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake();
  }
}
