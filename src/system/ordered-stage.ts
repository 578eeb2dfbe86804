/**
 * A stage of a stream: gathers bytes in groups of shared memory, works on several groups at once, perhaps in threads,
 * and takes the results in the order of the bytes.
 */
import { InOrder } from './in-order.js';
import { copyBytes } from './memory.js';
import { quiet } from './promises.js';
import { createSharedMemory, type SharedMemory } from './threads/buffers.js';

/** Work on the first `bytes` bytes of a group. The remaining bytes begin the next group. */
export interface GroupWork<Result> {
  readonly bytes: number;
  readonly result: Promise<Result>;
}

interface StageOptions<Result> {
  /** Bytes of a group. */
  readonly groupBytes: number;
  /** Groups that are worked on, or whose results wait, when the next one has been filled. */
  readonly atOnce: number;
  /**
   * Begins to work on the `bytes` bytes of a group, which keep their memory until the result is ready. Null: the work
   * needs more bytes; a full group then gets twice the memory.
   */
  begin(text: SharedArrayBuffer, bytes: number): GroupWork<Result> | null;
  /** Takes the next result. */
  take(result: Result): Promise<void> | void;
  /** Ends the work that is under way; its results are not needed. */
  stop?(): Promise<void>;
}

/** A failure of the work, or of `take`, is thrown to the caller that waits for room, and again by `taken`. */
export class OrderedStage<Result> {
  readonly options: StageOptions<Result>;
  /** The memory of groups. */
  readonly memory: SharedMemory;
  private readonly results: InOrder<Result>;
  /** The last call of `take`. The memory that it uses may be freed only after it has ended. */
  private taking: Promise<void> | void = undefined;
  private isClosed = false;

  constructor(options: StageOptions<Result>) {
    this.options = options;
    this.memory = createSharedMemory(options.atOnce + 1);
    this.results = new InOrder(options.atOnce, (result) => this.take(result));
  }

  /** Begins a stream. Streams of one stage may be written at the same time, and share its bounds. */
  stream(): StageStream<Result> {
    return new StageStream(this);
  }

  /** Adds a result after those of all groups so far, and waits for room. */
  async put(result: Promise<Result>): Promise<void> {
    this.results.put(result);
    await this.results.room();
  }

  /** Settles once all results so far are taken. */
  taken(): Promise<void> {
    return this.results.taken();
  }

  /** Ends the stage: no result is taken afterwards, even if work continues. May be called more than once. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.options.stop?.();
    await Promise.allSettled([this.taking]);
  }

  private take(result: Result): Promise<void> | void {
    if (this.isClosed) return;
    return (this.taking = this.options.take(result));
  }
}

/** The bytes of one stream on their way into groups. */
export class StageStream<Result> {
  private readonly stage: OrderedStage<Result>;
  /** The group that is being filled, and its bytes; null: it is empty. */
  private text: SharedArrayBuffer | null = null;
  private size = 0;
  private filled = 0;
  private last: Promise<void> = Promise.resolve();

  constructor(stage: OrderedStage<Result>) {
    this.stage = stage;
  }

  /** The number of bytes on which no work has begun. */
  get heldBytes(): number {
    return this.filled;
  }

  /** Copies the next bytes. Calls need not wait for each other. */
  write(block: Uint8Array): Promise<void> {
    return (this.last = this.last.then(() => this.append(block)));
  }

  /**
   * Begins the work on all bytes so far; their last group may be short. If the work needs more bytes, they are held.
   */
  async flush(): Promise<void> {
    await this.last;
    while (this.filled > 0 && (await this.begin()));
  }

  /** Adds a result after those of all bytes so far, on which the work begins. Resolves once it is taken. */
  insert(result: Promise<Result>): Promise<void> {
    let taken = Promise.resolve();
    const inserted = this.last.then(async () => {
      while (this.filled > 0 && (await this.begin()));
      const put = this.stage.put(result);
      taken = this.stage.taken();
      // Awaited below.
      quiet(taken);
      await put;
    });
    this.last = inserted;
    return inserted.then(() => taken);
  }

  private async append(block: Uint8Array): Promise<void> {
    for (let at = 0; at < block.length; ) {
      this.text ??= this.open(this.stage.options.groupBytes);
      const part = block.subarray(at, at + this.size - this.filled);
      copyBytes(part, new Uint8Array(this.text), this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === this.size && !(await this.begin())) this.grow(this.text);
    }
  }

  /** Begins the work on the group, and waits for room. False: it needs more bytes. */
  private async begin(): Promise<boolean> {
    const { stage, text, filled } = this;
    const work = stage.options.begin(text!, filled);
    if (work === null) return false;
    this.text = null;
    this.filled = 0;
    if (work.bytes < filled) this.hold(new Uint8Array(text!, work.bytes, filled - work.bytes));
    await stage.put(
      work.result.then((result) => {
        stage.memory.give(text!);
        return result;
      }),
    );
    return true;
  }

  private grow(text: SharedArrayBuffer): void {
    this.hold(new Uint8Array(text, 0, this.filled));
    this.stage.memory.give(text);
  }

  /** Begins a group with these bytes, and room for more. */
  private hold(bytes: Uint8Array): void {
    let size = this.stage.options.groupBytes;
    while (size <= bytes.length) size *= 2;
    this.text = this.open(size);
    copyBytes(bytes, new Uint8Array(this.text));
    this.filled = bytes.length;
  }

  private open(size: number): SharedArrayBuffer {
    this.size = size;
    return this.stage.memory.take(size);
  }
}
