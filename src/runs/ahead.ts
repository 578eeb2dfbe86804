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
