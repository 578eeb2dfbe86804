/** How much of the input is read before the plan: a sample, or the beginning of a stream. Pure. */
import type { SortJob } from '../job/job.js';
import { choicePays } from './algorithm.js';
import { KiB } from './amount.js';
import { gpuBytes, worthwhile } from './engine.js';
import type { InputFacts, MachineFacts } from './facts.js';
import { MEMORY_SHARE, STREAM_AHEAD_BYTES } from './memory.js';
import { requestedEngine } from './requested-engine.js';

/** Whether the choice among GPU sorts depends on a sample, or --explain shows one. */
export function sampleMatters(job: SortJob, input: InputFacts): boolean {
  if (job.ordering.segments !== undefined) return false;
  return job.explain !== 'no' || (job.algorithm === 'auto' && choicePays(input));
}

/**
 * Bytes of a stream to read before planning: enough to choose the engine if there may be a GPU
 * (`gpu`), or for a sample.
 */
export function readAheadBytes(job: SortJob, machine: MachineFacts, input: InputFacts, gpu: boolean): number {
  const memory = job.memoryBytes ?? machine.availableBytes * MEMORY_SHARE;
  const decisive =
    gpu && requestedEngine(job) === 'auto' && input.bytes === null && worthwhile(job, input)
      ? gpuBytes(job.ordering.key)
      : STREAM_AHEAD_BYTES;
  return Math.max(64 * KiB, Math.min(decisive, memory / 4));
}
