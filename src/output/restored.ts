/** Turns the engines' lines back into the form of their format. */
import type { BlockWriter } from '../engines/contract.js';
import type { Framing, SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { isKeyed } from '../keys/keyed.js';
import { bamRestorer } from '../records/bam.js';
import { newlineRestorer, type Restorer } from '../records/record-finder.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import type { Filter } from './filter.js';

const NEWLINE = 10;

/**
 * Whether engines may write records in the form of the output: they do so if they drop keys anyway, and if each filter
 * takes records in any form. `tallied`: whether the output's records are counted.
 */
function restoresEarly(job: SortJob, tallied: boolean): boolean {
  return canTake('restored', job) && isKeyed(job.ordering) && !tallied;
}

/** The job, changed so that engines write newlines again, if they can, and no filter has to. */
export function withOutputDelimiter(job: SortJob, tallied: boolean): SortJob {
  const { framing } = job.input;
  if (framing === null || framing.kind === 'bam' || !restoresEarly(job, tallied)) return job;
  return { ...job, ordering: { ...job.ordering, outputDelimiter: NEWLINE } };
}

/** The job, changed so that the CPU engine writes BAM, if it can, and no filter has to. */
export function withBamRestored(job: SortJob, engine: 'cpu' | 'gpu', tallied: boolean): SortJob {
  if (job.input.framing?.kind !== 'bam' || engine !== 'cpu' || !restoresEarly(job, tallied)) return job;
  return { ...job, ordering: { ...job.ordering, restoresBam: true } };
}

export function restorerOf({ kind }: Framing): Restorer {
  return kind === 'bam' ? bamRestorer() : newlineRestorer();
}

/** The text that `lines` stand for. */
export function restored(framing: Framing, lines: Uint8Array): Uint8Array {
  return restorerOf(framing).next(lines, new Uint8Array(lines.length));
}

/** Unused memory that a filter retains: the writes of two blocks overlap. */
const MOST_FREE = 2;

/**
 * A filter that restores each block. Blocks are an engine's memory, so restorers copy them. Copies are reused, because
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
