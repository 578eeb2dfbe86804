/** The plan of -m: threads, and memory for the windows through which sorted inputs are read. Pure. */
import type { SortJob } from '../job/job.js';
import { KiB } from './amount.js';
import { CHUNKS_A_THREAD, CPU_RANGE_BYTES, cpuPlan } from './cpu-plan.js';
import type { MachineFacts } from './facts.js';
import { memoryForText, plannedMemory } from './memory.js';
import type { Plan } from './plan.js';
import { atLeastOneRecord } from './records.js';
import { windowsOf } from './windows.js';

/**
 * The plan for merging `bytes` bytes (null: unknown) of sorted text on the CPU. A chunk is the text of one merge, and
 * memory is for windows.
 */
export function mergePlan(job: SortJob, machine: MachineFacts, bytes: number | null): Plan {
  const memory = plannedMemory(job, machine);
  const plan = cpuPlan({ ...job, chunkBytes: null }, machine, memory, { bytes }, []);
  const threads = plan.workers + Number(plan.helps);
  const forText = memoryForText(memory, threads);
  const chunkBytes = atLeastOneRecord(
    job,
    job.chunkBytes ??
      Math.max(64 * KiB, Math.min(CPU_RANGE_BYTES.least, Math.floor(forText / (2 * CHUNKS_A_THREAD * threads)))),
  );
  return {
    ...plan,
    buckets: 0,
    limit: null,
    chunkBytes,
    rangeBytes: chunkBytes,
    residentBytes: 0,
    windows: windowsOf(job, Math.max((forText * 3) / 4, memory / 4)),
  };
}
