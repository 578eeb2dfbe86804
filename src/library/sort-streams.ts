/**
 * A sort as a stream: a Readable of its output, or a Duplex that also takes its input. The sort writes to an internal
 * Writable, as to a Writable of the caller. That hands each block to the stream once there is room.
 */
import { Duplex, Readable, Writable } from 'node:stream';
import { closed } from './streams.js';
import type { SortDuplex, SortedReadable, SortInput, SortResult } from './types.js';

/** Starts a sort. If `stop` is aborted, the sort rejects with its reason. */
export type Start = (input: SortInput, output: Writable, stop: AbortSignal) => Promise<SortResult>;

/** The output of a sort of `input`. */
export function sortedReadable(input: SortInput, start: Start): SortedReadable {
  const stream = new Readable({
    read: () => outlet.read(),
    destroy: (error, done) => outlet.close(error, done),
  });
  const outlet = new Outlet(stream, input, start);
  return Object.assign(stream, { result: outlet.result });
}

/** A stream that sorts what is written to it. */
export function sortDuplex(start: Start): SortDuplex {
  const intake = new Intake();
  const stream = new Duplex({
    // The sort encodes text itself: a surrogate pair may be cut between two blocks.
    decodeStrings: false,
    writev: (writes, done) => intake.offer(writes.map(blockOf), done),
    final: (done) => intake.end(done),
    read: () => outlet.read(),
    destroy: (error, done) => outlet.close(error, done),
  });
  const outlet = new Outlet(stream, intake, start);
  return Object.assign(stream, { result: outlet.result });
}

type StreamCallback = (error?: Error | null) => void;
const NOTHING = (): void => undefined;

/**
 * Starts a sort whose output becomes the readable side of `stream`. That side ends after the sort has succeeded; if the
 * sort fails, the stream is destroyed. If the stream is destroyed, the sort ends before the stream is closed.
 */
class Outlet {
  readonly result: Promise<SortResult>;
  private readonly controller = new AbortController();
  /** Takes the next block, once the stream has room for it. */
  private takeNext: () => void = NOTHING;

  constructor(stream: Readable, input: SortInput, start: Start) {
    const output = new Writable({
      highWaterMark: 1,
      write: (block, _, done) => {
        if (stream.destroyed) return;
        if (stream.push(block)) done();
        else this.takeNext = done;
      },
    });
    this.result = start(input, output, this.controller.signal);
    this.result.then(
      () => stream.push(null),
      (error: unknown) => stream.destroy(asError(error)),
    );
  }

  /** Called when the stream has room. */
  read(): void {
    const takeNext = this.takeNext;
    this.takeNext = NOTHING;
    takeNext();
  }

  close(error: Error | null, done: StreamCallback): void {
    this.controller.abort(error ?? closed(null));
    const isOver = (): void => done(error);
    this.result.then(isOver, isOver);
  }
}

/**
 * The reason for which a sort ended, as the error of a stream: in the form that Node uses if the reason is not an
 * Error.
 */
function asError(reason: unknown): Error {
  if (reason instanceof Error) return reason;
  const error = new Error('The operation was aborted', { cause: reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

type StreamBlock = Uint8Array | string;
type Next = IteratorResult<StreamBlock, undefined>;
const END: Next = { done: true, value: undefined };

/** The blocks written to a stream, as an iterable. The stream may take more once the sort has taken everything. */
class Intake implements AsyncIterableIterator<StreamBlock> {
  private blocks: StreamBlock[] = [];
  private isOver = false;
  /** Called when the stream may take more. */
  private takeNext: StreamCallback = NOTHING;
  /** Gives the sort the blocks that it waits for. */
  private give: ((next: Next) => void) | undefined;

  offer(blocks: StreamBlock[], done: StreamCallback): void {
    this.blocks = joined(blocks);
    this.takeNext = done;
    // If the sort needs no more input, the rest is taken and dropped.
    if (this.isOver) this.end(done);
    else if (this.give !== undefined) this.give(this.taken());
  }

  end(done: StreamCallback): void {
    this.isOver = true;
    this.blocks = [];
    this.takeNext = NOTHING;
    this.give?.(END);
    done();
  }

  next(): Promise<Next> {
    if (this.blocks.length > 0) return Promise.resolve(this.taken());
    if (this.isOver) return Promise.resolve(END);
    return new Promise((resolve) => {
      this.give = resolve;
    });
  }

  /** Called when the sort needs no more input. */
  return(): Promise<Next> {
    this.end(this.takeNext);
    return Promise.resolve(END);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private taken(): Next {
    const value = this.blocks.shift()!;
    this.give = undefined;
    if (this.blocks.length === 0) {
      const { takeNext } = this;
      this.takeNext = NOTHING;
      takeNext();
    }
    return { value, done: false };
  }
}

/** A block as it was written, unless it is text in another encoding than UTF-8. */
function blockOf({ chunk, encoding }: { chunk: StreamBlock; encoding: BufferEncoding }): StreamBlock {
  return typeof chunk === 'string' && !/^utf-?8$/i.test(encoding) ? Buffer.from(chunk, encoding) : chunk;
}

/** Blocks that were written together as one, if all are bytes or all are text. */
function joined(blocks: StreamBlock[]): StreamBlock[] {
  const texts = blocks.filter((block) => typeof block === 'string').length;
  if (blocks.length > 1 && texts === blocks.length) return [blocks.join('')];
  return blocks.length > 1 && texts === 0 ? [Buffer.concat(blocks as Uint8Array[])] : blocks;
}
