/** Turns the engines' lines back into the form of their format. */
import type { BlockWriter, RecordForm } from '../contract/engine.js';
import type { Framing, SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { isKeyed } from '../keys/keyed.js';
import { bamRestorer } from '../records/bam.js';
import { newlineRestorer, type Restorer } from '../records/record-finder.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import type { Filter } from './filter.js';

/**
 * The form in which merges write the records of a job: with keys if a filter compares these; in the form of the output
 * if the merge drops keys anyway and no filter depends on the form; otherwise as they were read.
 */
export function streamForm(job: SortJob, { engine, tallied }: StreamUse): RecordForm {
  const { input, ordering, output } = job;
  if (output.count || ((output.duplicates !== null || output.keepsLast) && isKeyed(ordering))) return 'run';
  if (input.framing === null || tallied || !isKeyed(ordering) || !canTake('restored', job)) return 'plain';
  if (input.framing.kind !== 'bam') return 'newlines';
  return engine === 'cpu' ? 'bam' : 'plain';
}

/** The engine that merges the records of a job, and whether the records of the output are counted. */
interface StreamUse {
  readonly engine: 'cpu' | 'gpu';
  readonly tallied: boolean;
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
