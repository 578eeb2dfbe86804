/** Turns the engines' lines back into what a format writes. */
import type { BlockWriter } from '../engine.js';
import type { Framing } from '../job.js';
import { bamRestorer } from '../records/bam.js';
import type { Restorer } from '../records/framing.js';
import { newlineRestorer } from '../records/newlines.js';
import { createSharedMemory } from '../threads/buffers.js';
import type { Filter } from './filter.js';

export function restorerOf({ kind }: Framing): Restorer {
  return kind === 'bam' ? bamRestorer() : newlineRestorer();
}

/** Unused memory that a stage retains: the writes of two blocks overlap. */
const MOST_FREE = 2;

/**
 * A stage that restores each block. Blocks are an engine's memory, so restorers copy them. Copies are reused, because
 * garbage outside the heap is collected late.
 */
export function restoring(restorer: Restorer, write: BlockWriter): Filter {
  const memory = createSharedMemory(MOST_FREE);
  return {
    write: async (block) => {
      const target = memory.take(block.length);
      await write(restorer.next(block, new Uint8Array(target, 0, block.length)));
      memory.give(target);
    },
    finish: async () => {
      const last = restorer.end();
      if (last.length > 0) await write(last);
    },
    over: () => false,
  };
}
