/**
 * Whether BAM is sorted as it is, without lines and keys (src/run/sort-bam.ts): by coordinate on a GPU, by coordinate
 * or name in threads. SAM that becomes BAM is sorted by threads in the same way. Pure.
 */
import type { BamOrder, PlannedJob, SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { TEXT_RATIO } from '../records/bam.js';
import { formatBytes, MiB } from '../report/units.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import { memoryForText, memoryReason, plannedMemory } from './memory.js';
import type { CpuPlan, GpuPlan } from './plan.js';

/** From this many bytes of text on, this way is faster than lines. */
const LEAST_TEXT = 8 * MiB;
/** From this many bytes of a file on, starting a GPU pays. */
const GPU_BYTES = 64 * MiB;
/** Memory of the host that a GPU takes at most, with its driver (H200: 0.5 GB). */
const GPU_HOST_BYTES = 1024 * MiB;
/**
 * With this many processors, threads store BAM as fast as a GPU: 16 took 3.6 s for 3.1 GB, an H200 4.0 (28 November
 * 2026).
 */
const FASTER_STORED = 16;
/** A quarter of the text that a processor inflates in a second: a GPU compresses three times as fast beside that. */
const RATE_OF_PROCESSOR = 90e6;

/**
 * Whether a job could be done this way: compressed files of BAM or plain files of SAM, by coordinate or name, into BAM,
 * and nothing in between looks at records. `bytes`: of the files as they are stored; null: not all of them are such
 * files.
 */
export function isPlainBam(job: SortJob, facts: Pick<InputFacts, 'bytes'>): boolean {
  const becomesBam = bamSource(job) !== null && job.output.compression?.kind === 'bgzf';
  const isLarge = facts.bytes !== null && (textBytesOf(job, facts) >= LEAST_TEXT || job.resources.engine === 'gpu');
  return canTake('bam', job) && becomesBam && isLarge && bamOrder(job) !== null && job.input.contigs === null;
}

const ORDERS: readonly BamOrder[] = ['coordinate', 'queryname', 'queryname-ascii'];

/** What becomes BAM. */
type BamSource = 'bam' | 'sam';

/** What becomes BAM in a job; null: nothing does. */
export function bamSource({ input, output }: Pick<SortJob, 'input' | 'output'>): BamSource | null {
  return input.framing?.kind === 'bam'
    ? output.convertsTo === null
      ? 'bam'
      : null
    : output.convertsTo === 'bam'
      ? 'sam'
      : null;
}

/** The order of such a job, with the rules of samtools; null: another one. */
export function bamOrder({ input: { genomics } }: Pick<SortJob, 'input'>): BamOrder | null {
  return genomics?.as === null ? (ORDERS.find((order) => order === genomics.by) ?? null) : null;
}

/** Why threads should do such a job, without asking for a GPU; null: a GPU should, if there is one. */
export function whyNotOnGpu(
  job: SortJob,
  { bytes }: Pick<InputFacts, 'bytes'>,
  { processors }: Pick<MachineFacts, 'processors'>,
): string | null {
  const { output, resources } = job;
  const { engine, gpuMemoryBytes, memoryBytes } = resources;
  if (engine === 'cpu') return 'as requested';
  if (bamSource(job) === 'sam') return 'the CPU converts SAM';
  if (bamOrder(job) !== 'coordinate') return 'the CPU sorts names';
  // All text lies in the memory of the GPU.
  if (gpuMemoryBytes !== null) return '--gpu-memory limits the memory of the GPU';
  if (engine === 'gpu') return null;
  if ((memoryBytes ?? Infinity) < GPU_HOST_BYTES) return 'a GPU would need more host memory';
  if ((bytes ?? 0) < GPU_BYTES) return `sorting ${formatBytes(bytes ?? 0)} takes less time than starting a GPU`;
  if (output.compression!.level === 0 && processors >= FASTER_STORED)
    return `${processors} processors are as fast as a GPU`;
  return null;
}

/** The plan of such a sort on a GPU. `otherwise`: what the GPU does if it cannot. */
export function gpuBamPlan(
  { output: { compression, index }, resources }: SortJob,
  { bytes }: InputFacts,
  { processors }: Pick<MachineFacts, 'processors'>,
  adapter: Extract<AdapterAnswer, { found: true }>,
  otherwise: GpuPlan,
): GpuPlan {
  const why = resources.engine === 'gpu' ? 'as requested' : formatBytes(bytes ?? 0);
  const reasons = [
    `engine gpu: ${why}, on ${adapter.name}`,
    'BAM stays on the GPU, which inflates it, sorts it and writes its records in order',
    compressesOnDevice(compression!.level)
      ? `the GPU compresses it${index === null ? '' : '; the text is read back for the index'}`
      : `threads of the host compress it, at level ${compression!.level}`,
  ];
  return { ...otherwise, bam: { reasons, leastRate: leastRate(resources, processors) } };
}

/** Bytes of text that files of BAM usually hold, or that files of SAM become. */
export function textBytesOf(job: SortJob, { bytes }: Pick<InputFacts, 'bytes'>): number {
  return (bamSource(job) === 'bam' ? TEXT_RATIO : 1) * (bytes ?? 0);
}

/**
 * The plan of such a sort by threads. `why`: the reason not to use a GPU. `otherwise`: what threads do if they cannot.
 */
export function cpuBamPlan(
  source: BamSource,
  job: PlannedJob,
  machine: MachineFacts,
  why: string,
  otherwise: CpuPlan,
): CpuPlan {
  const threads = otherwise.workers + Number(otherwise.helps);
  const reasons = [
    `engine cpu: ${why}`,
    memoryReason(job, machine),
    source === 'bam'
      ? 'BAM is sorted as it is: all of its text stays in memory'
      : 'SAM becomes BAM before it is sorted: all of it stays in memory',
    `threads that ${source === 'bam' ? 'inflate' : 'convert'}, sort and compress it: ${threads}`,
  ];
  return { ...otherwise, bam: { reasons, memoryBytes: memoryForText(plannedMemory(job, machine), threads, 0) } };
}

/** The GPU has one level. */
export const compressesOnDevice = (level: number): boolean => level === 1;

/**
 * The bytes of text that a GPU must inflate in a second for the sort to be probably faster there. Each of its threads
 * inflates a block, so it needs thousands of threads (H200: 15 GB/s); an integrated GPU may have too few. The time
 * includes waits for a busy host, so the bound is low. More than 16 processors do not make a sort faster. 0: the user
 * requested the GPU.
 */
function leastRate({ engine }: SortJob['resources'], processors: number): number {
  return engine === 'gpu' ? 0 : Math.min(processors, 16) * RATE_OF_PROCESSOR;
}
