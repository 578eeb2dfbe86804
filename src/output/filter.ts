/** A filter: a step that the ordered stream passes on its way to the sink. */
import type { BlockWriter, CountsOf } from '../contract/engine.js';
import { allOver, quiet } from '../system/promises.js';

export interface Filter {
  /** Takes the next block, under the same contract as the stream's own writer. */
  readonly write: BlockWriter;
  /** Passes on the bytes held back. Called once, after the last write. */
  finish(): Promise<void>;
  /** Whether no later records would be passed on. */
  over(): boolean;
  /**
   * Called before the first block if each distinct record comes only once; `countsOf` says how often records occurred.
   * Absent: the filter needs every repeat of a record.
   */
  weigh?(countsOf: CountsOf): void;
}

/** Chains filters: the first one takes the stream, the last one passes it to `write`. */
export function through(makers: readonly ((write: BlockWriter) => Filter)[], write: BlockWriter): Filter {
  const filters: Filter[] = [];
  for (const make of [...makers].reverse()) filters.unshift(make(filters[0]?.write ?? write));
  const [first] = filters;
  return {
    ...(first?.weigh !== undefined && { weigh: (countsOf) => first.weigh!(countsOf) }),
    write: filters[0]?.write ?? write,
    finish: async () => {
      for (const filter of filters) await filter.finish();
    },
    over: () => filters.some((filter) => filter.over()),
  };
}

/** A filter whose `processor` takes one block after another, and passes on the rest at the end. */
export function oneByOne(processor: { take(block: Uint8Array): Promise<void>; finish(): Promise<void> }): Filter {
  let turn: Promise<void> = Promise.resolve();
  return {
    write: (block) => (turn = turn.then(() => processor.take(block))),
    finish: () => turn.then(() => processor.finish()),
    over: () => false,
  };
}

/** Writes blocks that each have memory of their own: one is written while the next one is made. */
export class WriteBehind {
  private readonly write: BlockWriter;
  private writing: Promise<void> = Promise.resolve();

  constructor(write: BlockWriter) {
    this.write = write;
  }

  /** Begins to write a block, once the previous one is written. */
  async begin(block: Uint8Array): Promise<void> {
    await this.writing;
    this.writing = this.write(block);
    // Handled before the next write, or at the end.
    quiet(this.writing);
  }

  /** Settles once all blocks are written. */
  ended(): Promise<void> {
    return this.writing;
  }
}

/** A writer as a filter that holds nothing back. */
export function passing(write: BlockWriter): Filter {
  return { write, finish: async () => undefined, over: () => false };
}

/**
 * A filter that writes `text()` before everything else. It is called at the first block or at the end of the stream.
 */
export function preceded(text: () => Uint8Array, write: BlockWriter): Filter {
  let begun: Promise<void> | null = null;
  const begin = (): Promise<void> => (begun ??= write(text()));
  return {
    write: async (block) => {
      await allOver([begin(), write(block)]);
    },
    finish: begin,
    over: () => false,
  };
}
