/**
 * Whether BAM is sorted as it is, without lines (src/run/sort-bam.ts): by coordinate or name on a GPU, in any order in
 * threads. SAM that becomes BAM is sorted in the same way, by coordinate or name. Pipes of BAM are kept meanwhile, as
 * they are compressed, because the road may turn out to be impossible. Pure.
 */
import { firstShare, roomForText } from '../engines/cpu/bam/sizes.js';
import type { PlannedJob, SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { TEXT_RATIO } from '../records/bam.js';
import { formatBytes, MiB } from '../report/units.js';
import { compressesOnDevice, leastRate, strength } from './device-codec.js';
import type { AdapterAnswer, MachineFacts } from './facts.js';
import { memoryForText, memoryReason, plannedMemory } from './memory.js';
import type { BamSource, CpuPlan, GpuPlan } from './plan.js';

/** From this many bytes of text on, this road is faster than sorting lines. */
const LEAST_TEXT = 8 * MiB;
/** From this many bytes of files on, starting a GPU is worth it. BAM has about a quarter of the bytes of SAM. */
const GPU_BYTES = { bam: 64 * MiB, sam: 256 * MiB };
/**
 * Bytes to read ahead in pipes if there is no GPU, and the share of the memory that they may take. Their text is as
 * long as what lines read ahead (READ_AHEAD_BYTES).
 */
const AHEAD_BYTES = 16 * MiB;
const AHEAD_SHARE = 1 / 16;
/** A pipe that goes on is supposed to have this many times the bytes that have arrived. */
const GOES_ON = 4;
/** The maximum host memory that a GPU takes, with its driver (H200: 0.5 GB). */
const GPU_HOST_BYTES = 1024 * MiB;
/**
 * With this many processors, threads write uncompressed BAM as fast as a GPU: 16 processors took 3.6 s for 3.1 GB, an
 * H200 4.0 (28 November 2026).
 */
const FASTER_STORED = 16;

/** The bytes of BAM as it is compressed, or of SAM. */
export interface StoredSize {
  /** Those of files, and of pipes what has arrived. */
  readonly bytes: number;
  /** Whether these are all: no pipe goes on. */
  readonly isWhole: boolean;
}

/**
 * Whether a job could be done this way, if its inputs suit and are large enough: it sorts BAM, or SAM by coordinate or
 * name, into BAM, and no filter looks at records.
 */
export function isPlainBam(job: SortJob): boolean {
  const source = bamSource(job);
  if (source === null || job.output.compression?.kind !== 'bgzf' || !canTake('bam', job)) return false;
  return job.input.contigs === null && (source === 'bam' || isNamedOrder(job));
}

/** Whether such a job keeps the bytes of pipes. SAM in pipes is not kept: it takes as much memory as its records. */
export function mayKeepPipes(job: SortJob): boolean {
  return bamSource(job) === 'bam' && isPlainBam(job);
}

/** Whether inputs are so large that such a job is done faster this way. A pipe that goes on is large enough. */
export function isLargeEnough(job: SortJob, size: StoredSize): boolean {
  if (!size.isWhole) return true;
  return textBytesOf(job, size) >= LEAST_TEXT || (job.resources.engine === 'gpu' && size.bytes > 0);
}

/**
 * Bytes to read ahead in pipes for such a plan, compressed: enough to choose the engine, if there may be a GPU (`gpu`).
 */
export function bamAheadBytes(job: SortJob, machine: MachineFacts, gpu: boolean): number {
  const decides = gpu && whyNotOnGpu(job, UNKNOWN, machine) === null;
  const decisive = decides ? GPU_BYTES.bam : AHEAD_BYTES;
  return Math.min(decisive, plannedMemory(job, machine) * AHEAD_SHARE);
}

/** The size of pipes that nobody has read. */
const UNKNOWN: StoredSize = { bytes: 0, isWhole: false };

/**
 * Whether threads probably have the memory for this input and its text. With little memory, a pipe would only be
 * declined later.
 */
export function mayFit(
  job: SortJob,
  { bytes, isWhole }: StoredSize,
  machine: MachineFacts,
  otherwise: Pick<CpuPlan, 'workers' | 'helps'>,
): boolean {
  if (isWhole) return true;
  const threads = threadsOf(otherwise);
  const needed = GOES_ON * bytes * (TEXT_RATIO * firstShare(!isByCoordinate(job)) + 1);
  return needed <= roomForText(memoryForText(plannedMemory(job, machine), threads, 0), threads);
}

/** The orders that SAM and BAM have in common, whatever the fields of SAM say. */
const NAMED_ORDERS = ['coordinate', 'queryname', 'queryname-ascii'];

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

/** Whether a job sorts by the rules of samtools, and in one of those orders. */
function isNamedOrder({ input: { genomics }, ordering: { reverse } }: SortJob): boolean {
  return genomics?.as === null && !reverse && NAMED_ORDERS.includes(genomics.by);
}

/** Whether a job sorts by coordinate, by the rules of samtools. */
export function isByCoordinate(job: SortJob): boolean {
  return isNamedOrder(job) && job.input.genomics!.by === 'coordinate';
}

/** The reason why threads should do such a job, without asking for a GPU; null: a GPU should do it, if there is one. */
export function whyNotOnGpu(
  job: SortJob,
  { bytes, isWhole }: StoredSize,
  { processors }: Pick<MachineFacts, 'processors'>,
): string | null {
  const { output, resources } = job;
  const { engine, gpuMemoryBytes, memoryBytes } = resources;
  if (engine === 'cpu') return 'as requested';
  if (!isNamedOrder(job)) return 'a GPU sorts BAM only by coordinate or name, as samtools does';
  // All text lies in the memory of the GPU.
  if (gpuMemoryBytes !== null) return '--gpu-memory limits the memory of the GPU';
  if (engine === 'gpu') return null;
  if ((memoryBytes ?? Infinity) < GPU_HOST_BYTES) return 'a GPU would need more host memory';
  if (isWhole && bytes < GPU_BYTES[bamSource(job)!])
    return `sorting ${formatBytes(bytes)} takes less time than starting a GPU`;
  if (output.compression!.level === 0 && processors >= FASTER_STORED)
    return `${processors} processors are as fast as a GPU`;
  return null;
}

/** The plan of such a sort on a GPU. `otherwise`: the plan for the GPU if this is impossible. */
export function gpuBamPlan(
  job: SortJob,
  size: StoredSize,
  machine: MachineFacts,
  adapter: Extract<AdapterAnswer, { found: true }>,
  otherwise: GpuPlan,
): GpuPlan {
  const { output, resources } = job;
  const source = bamSource(job)!;
  const { index } = output;
  const { level } = output.compression!;
  const large = size.isWhole ? formatBytes(size.bytes) : 'the input is longer than what was read ahead';
  const why = resources.engine === 'gpu' ? 'as requested' : large;
  const reasons = [
    `engine gpu: ${why}, on ${adapter.name}`,
    source === 'bam'
      ? 'BAM stays on the GPU, which inflates it, sorts it and writes its records in order'
      : 'SAM becomes BAM on the GPU, which converts it, sorts it and writes its records in order',
    compressesOnDevice(level)
      ? `the GPU compresses it, ${strength(level)}${index === null ? '' : ', and finds positions for the index'}`
      : `threads of the host compress it, at level ${level}`,
    ...keepingReason(size),
  ];
  const memory = plannedMemory(job, machine);
  const memoryBytes = resources.memoryBytes === null ? memory : Math.max(0, memory - GPU_HOST_BYTES);
  return { ...otherwise, bam: { source, reasons, leastRate: leastRate(resources, machine.processors), memoryBytes } };
}

/** Why memory holds pipes, too. */
const keepingReason = ({ isWhole }: StoredSize): readonly string[] =>
  isWhole ? [] : ['pipes stay in memory as they are compressed, until the output is written'];

/** The usual bytes of text in BAM, or of the BAM that SAM becomes. */
export function textBytesOf(job: SortJob, { bytes }: Pick<StoredSize, 'bytes'>): number {
  return (bamSource(job) === 'bam' ? TEXT_RATIO : 1) * bytes;
}

const threadsOf = ({ workers, helps }: Pick<CpuPlan, 'workers' | 'helps'>): number => workers + Number(helps);

/** What threads sort. */
interface ThreadsForBam {
  readonly source: BamSource;
  /** The reason not to use a GPU. */
  readonly why: string;
  /** Absent: an earlier plan has given the reasons that depend on it. */
  readonly size?: StoredSize;
}

/** The plan of such a sort by threads. `otherwise`: the plan for threads if this is impossible. */
export function cpuBamPlan(
  job: PlannedJob,
  machine: MachineFacts,
  { source, why, size }: ThreadsForBam,
  otherwise: CpuPlan,
): CpuPlan {
  const threads = threadsOf(otherwise);
  const reasons = [
    `engine cpu: ${why}`,
    memoryReason(job, machine),
    source === 'bam'
      ? 'BAM is sorted as it is: all of its text stays in memory'
      : 'SAM becomes BAM before it is sorted: all of it stays in memory',
    `threads that ${source === 'bam' ? 'inflate' : 'convert'}, sort and compress it: ${threads}`,
    ...(size === undefined ? [] : keepingReason(size)),
  ];
  return { ...otherwise, bam: { reasons, memoryBytes: memoryForText(plannedMemory(job, machine), threads, 0) } };
}
