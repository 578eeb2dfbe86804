/** Turns the engines' lines back into what a format writes. */
import type { BlockWriter } from '../engine.js';
import type { Framing, SortJob } from '../job.js';
import { isKeyed } from '../keys/keyed.js';
import { bamRestorer } from '../records/bam.js';
import type { Restorer } from '../records/framing.js';
import { newlineRestorer } from '../records/newlines.js';
import type { Filter } from './filter.js';

const NEWLINE = 10;

/**
 * The job with what lets its engines write records as the output has them, so that no stage has to. They do if they
 * leave keys out anyway, and if each stage takes records in any form.
 */
export function withOutputDelimiter(job: SortJob): SortJob {
  const { ordering, framing, mates, count, limit, debug, verify } = job;
  const needsLines = framing?.kind === 'bam' || mates.length > 0 || count || limit !== null || debug || verify;
  if (framing === null || needsLines || !isKeyed(ordering)) return job;
  return { ...job, ordering: { ...ordering, outputDelimiter: NEWLINE } };
}

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
