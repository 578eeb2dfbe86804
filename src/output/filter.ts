/** Stages between the ordered stream and where it goes. */
import type { BlockWriter } from '../engine.js';
import { allOver } from '../promises.js';

export interface Filter {
  /** Takes the next block, as the stream's own writer would. */
  readonly write: BlockWriter;
  /** Passes on what was held back: when all is written, and once. */
  finish(): Promise<void>;
  /** Whether nothing that is still to come would be passed on. */
  over(): boolean;
}

/** All the stages, the first of which takes what is written and the last of which gives to `write`. */
export function through(stages: readonly ((write: BlockWriter) => Filter)[], write: BlockWriter): Filter {
  const filters: Filter[] = [];
  for (const stage of [...stages].reverse()) filters.unshift(stage(filters[0]?.write ?? write));
  return {
    write: filters[0]?.write ?? write,
    finish: async () => { for (const filter of filters) await filter.finish(); },
    over: () => filters.some((filter) => filter.over()),
  };
}

/** A stage that passes on all that it is given, in its own way. */
export function passing(write: BlockWriter): Filter {
  return { write, finish: async () => undefined, over: () => false };
}

/** Gives what `text` is, asked when the first block comes or the stream ends, before all else. */
export function preceded(text: () => Uint8Array, write: BlockWriter): Filter {
  let begun: Promise<void> | null = null;
  const begin = (): Promise<void> => (begun ??= write(text()));
  return {
    write: async (block) => { await allOver([begin(), write(block)]); },
    finish: begin,
    over: () => false,
  };
}
