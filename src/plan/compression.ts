/** Whether a GPU compresses the output that the host writes. Pure. */
import type { SortJob } from '../job/job.js';
import { GiB } from '../report/units.js';
import { compressesOnDevice } from './bam.js';
import type { MachineFacts } from './facts.js';
import type { Plan } from './plan.js';

/** Seconds per byte of text: of one processor at level 1, and of a GPU with all transfers (H200). */
const PROCESSOR_SECONDS = 9e-9;
const GPU_SECONDS = 0.3e-9;
/** The GPU starts while the host sorts, but takes a processor meanwhile. */
const START_SECONDS = 0.3;
/** Groups on their way to the GPU and back take 0.5 GiB of host memory. */
const LEAST_MEMORY = 4 * GiB;

/**
 * Whether a GPU compresses the output of a job, if the machine has one. `textBytes`: about the bytes of the output's
 * text; null: unknown. A plan for BAM on the GPU compresses there itself.
 */
export function deflatesOnDevice(
  { output, resources }: Pick<SortJob, 'output' | 'resources'>,
  plan: Plan,
  textBytes: number | null,
  { processors, availableBytes }: Pick<MachineFacts, 'processors' | 'availableBytes'>,
): boolean {
  const { compression } = output;
  if (compression?.kind !== 'bgzf' || !compressesOnDevice(compression.level)) return false;
  if (resources.engine === 'cpu' || (plan.engine === 'gpu' && plan.bam !== null)) return false;
  if ((resources.memoryBytes ?? availableBytes) < LEAST_MEMORY) return false;
  return (textBytes ?? 0) * (PROCESSOR_SECONDS / processors - GPU_SECONDS) > START_SECONDS;
}
