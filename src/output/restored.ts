/** Turns the engines' lines back into what a format writes. */
import type { BlockWriter } from '../engine.js';
import type { Framing } from '../job.js';
import { bamRestorer } from '../records/bam.js';
import type { Restorer } from '../records/framing.js';
import { newlineRestorer } from '../records/newlines.js';
import type { Filter } from './filter.js';

export function restorerOf({ kind }: Framing): Restorer {
  return kind === 'bam' ? bamRestorer() : newlineRestorer();
}

/** A stage that restores each block. Blocks are an engine's memory, so restorers copy them. */
export function restoring(restorer: Restorer, write: BlockWriter): Filter {
  return {
    write: (block) => write(restorer.next(block)),
    finish: async () => {
      const last = restorer.end();
      if (last.length > 0) await write(last);
    },
    over: () => false,
  };
}
