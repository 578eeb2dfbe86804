/** Stages between the ordered stream and its destination. */
import type { BlockWriter } from '../engines/contract.js';
import { allOver } from '../system/promises.js';

export interface Filter {
  /** Takes the next block, under the contract of the stream's own writer. */
  readonly write: BlockWriter;
  /** Passes on the bytes held back. Called once, after the last write. */
  finish(): Promise<void>;
  /** Whether no later records would be passed on. */
  over(): boolean;
}

/** Chains the stages: the first one takes the stream, the last one passes it to `write`. */
export function through(stages: readonly ((write: BlockWriter) => Filter)[], write: BlockWriter): Filter {
  const filters: Filter[] = [];
  for (const stage of [...stages].reverse()) filters.unshift(stage(filters[0]?.write ?? write));
  return {
    write: filters[0]?.write ?? write,
    finish: async () => {
      for (const filter of filters) await filter.finish();
    },
    over: () => filters.some((filter) => filter.over()),
  };
}

/** A stage that passes on everything, converted to its form. */
export function passing(write: BlockWriter): Filter {
  return { write, finish: async () => undefined, over: () => false };
}

/** A stage that writes `text()` before everything else. It is called at the first block or at the end of the stream. */
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
