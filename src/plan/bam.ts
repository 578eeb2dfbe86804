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

/** From this many bytes of text on, this road is faster than sorting lines. */
const LEAST_TEXT = 8 * MiB;
/** From this many bytes of a file on, starting a GPU is worth it. */
const GPU_BYTES = 64 * MiB;
/** The maximum host memory that a GPU takes, with its driver (H200: 0.5 GB). */
const GPU_HOST_BYTES = 1024 * MiB;
/**
 * With this many processors, threads write uncompressed BAM as fast as a GPU: 16 processors took 3.6 s for 3.1 GB, an
 * H200 4.0 (28 November 2026).
 */
const FASTER_STORED = 16;
/** A quarter of the bytes of text that a processor inflates in a second: a GPU also compresses three times as fast. */
const RATE_OF_PROCESSOR = 90e6;

/**
 * Whether a job could be done this way: it sorts compressed files of BAM or plain files of SAM, by coordinate or name,
 * into BAM, and no filter looks at records. `bytes`: the size of the files as stored; null: not all inputs are such
 * files.
 */
export function isPlainBam(job: SortJob, facts: Pick<InputFacts, 'bytes'>): boolean {
  const becomesBam = bamSource(job) !== null && job.output.compression?.kind === 'bgzf';
  const isLarge = facts.bytes !== null && (textBytesOf(job, facts) >= LEAST_TEXT || job.resources.engine === 'gpu');
  return canTake('bam', job) && becomesBam && isLarge && bamOrder(job) !== null && job.input.contigs === null;
}

const ORDERS: readonly BamOrder[] = ['coordinate', 'queryname', 'queryname-ascii'];

/** The format that becomes BAM. */
type BamSource = 'bam' | 'sam';

/** The format that a job turns into BAM; null: the output is not BAM, or the input is neither format. */
export function bamSource({ input, output }: Pick<SortJob, 'input' | 'output'>): BamSource | null {
  return input.framing?.kind === 'bam'
    ? output.convertsTo === null
      ? 'bam'
      : null
    : output.convertsTo === 'bam'
      ? 'sam'
      : null;
}

/** The order of such a job, by the rules of samtools; null: it is another order. */
export function bamOrder({ input: { genomics } }: Pick<SortJob, 'input'>): BamOrder | null {
  return genomics?.as === null ? (ORDERS.find((order) => order === genomics.by) ?? null) : null;
}

/** The reason why threads should do such a job, without asking for a GPU; null: a GPU should do it, if there is one. */
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

/** The plan of such a sort on a GPU. `otherwise`: the plan for the GPU if this is impossible. */
export function gpuBamPlan(
  { output: { compression, index }, resources }: SortJob,
  { bytes }: InputFacts,
  { processors }: Pick<MachineFacts, 'processors'>,
  adapter: Extract<AdapterAnswer, { found: true }>,
  otherwise: GpuPlan,
): GpuPlan {
  const why = resources.engine === 'gpu' ? 'as requested' : formatBytes(bytes ?? 0);
  const { level } = compression!;
  const reasons = [
    `engine gpu: ${why}, on ${adapter.name}`,
    'BAM stays on the GPU, which inflates it, sorts it and writes its records in order',
    compressesOnDevice(level)
      ? `the GPU compresses it, ${strength(level)}${index === null ? '' : ', and finds positions for the index'}`
      : `threads of the host compress it, at level ${level}`,
  ];
  return { ...otherwise, bam: { reasons, leastRate: leastRate(resources, processors) } };
}

/** The usual bytes of text in files of BAM, or of the BAM that files of SAM become. */
export function textBytesOf(job: SortJob, { bytes }: Pick<InputFacts, 'bytes'>): number {
  return (bamSource(job) === 'bam' ? TEXT_RATIO : 1) * (bytes ?? 0);
}

/**
 * The plan of such a sort by threads. `why`: the reason not to use a GPU. `otherwise`: the plan for threads if this is
 * impossible.
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

/** The GPU compresses in two ways: for level 1, and for levels 2 to 6. */
export const compressesOnDevice = (level: number): boolean => level >= 1 && level <= 6;

/** How the GPU compresses at a level. */
const strength = (level: number): string => (level === 1 || level === 6 ? `at level ${level}` : 'as at level 6');

/**
 * The bytes of text that a GPU must inflate in a second so that the sort is probably faster there. Each thread of the
 * GPU inflates a block, so it needs thousands of threads (H200: 15 GB/s); an integrated GPU may have too few. The
 * measured time includes waits for a busy host, so the bound is low. More than 16 processors do not make a sort faster.
 * 0: the user requested the GPU.
 */
function leastRate({ engine }: SortJob['resources'], processors: number): number {
  return engine === 'gpu' ? 0 : Math.min(processors, 16) * RATE_OF_PROCESSOR;
}
