/** The planner's facts about the machine and the input. No other file of the planner asks the system. */

import { availableParallelism, totalmem } from 'node:os';
import { MiB } from '../report/units.js';
import { fileSystem } from '../system/file-system.js';
import { mostWorkers, spareMemory } from '../system/limits.js';
import { isLinux } from '../system/platform.js';
import { assumedAvailableMemory } from '../system/platform-defaults.js';
import type { SampleStatistics } from './statistics.js';

export interface MachineFacts {
  /** Processors available to this process. */
  readonly processors: number;
  /** Worker threads that the process limits allow; Infinity without limits. */
  readonly mostWorkers: number;
  /** Available memory in bytes: what can be allocated without swapping, within a container's limit. */
  readonly availableBytes: number;
  /**
   * Bytes that the process limits leave after its threads, whether available or not; Infinity if there are no limits.
   */
  readonly allowedBytes: number;
  /** Whether several tasks share the machine, and -S gives each its part. Absent: no. */
  readonly isShared?: boolean;
  /**
   * The numbers of a Slurm job that limit the numbers above; null if the machine has no more anyway. Absent: there is
   * no Slurm job.
   */
  readonly allocated?: Pick<Allocation, 'processors' | 'memoryBytes'>;
}

/** The part of the input that samples show. */
export type SampledPart = 'whole' | 'beginning';

/** The facts about the input before it is read. */
export interface InputFacts {
  /** The total size; null if unknown: a pipe, or the text of a compressed file, is longer than what was read ahead. */
  readonly bytes: number | null;
  /**
   * What samples show: `whole` if they are spread over the whole input; `beginning` if they are only from its
   * beginning, or from some of its files, so that the rest may differ. Absent: no sample is taken.
   */
  readonly sampledPart?: SampledPart;
  /** The statistics of a sample; null or absent if there is none. */
  readonly sample?: SampleStatistics | null;
  /** How often records are repeated; null or absent if they must not be counted. */
  readonly repeats?: RepeatFacts | null;
  /** Threads that decompress the input or compress the output. Absent: none. */
  readonly codecThreads?: number;
  /** Whether pipes are kept in memory if a GPU sorts. Absent: they are not. */
  readonly keepsPipes?: boolean;
}

/** The facts about repeated records that a sample shows. */
export interface RepeatFacts {
  /** The records of the sample. */
  readonly sampled: number;
  /** The number of records in the part that samples show: the input, or its beginning. */
  readonly records: number;
  /** The probable number of distinct records among these. */
  readonly distinct: number;
  /** Their average length, with the delimiter. */
  readonly recordBytes: number;
}

/** An adapter's facts, or why there is none; null if nobody asked. */
export type AdapterAnswer =
  | { readonly found: true; readonly name: string; readonly software: boolean; readonly maxBindingBytes: number }
  | { readonly found: false; readonly reason: string }
  | null;

/** Names in /dev of GPUs with a Vulkan driver: of all vendors (dri), NVIDIA, WSL (dxg) and embedded boards. */
const GPU_DEVICES = /^(dri|nvidia|nvhost|dxg|kgsl|mali|pvr)/;

/** The slurm.conf for jobs whose environment does not name one. */
const SLURM_CONF = '/etc/slurm/slurm.conf';

/**
 * The reason why there is no GPU to look for, which saves loading a driver (70 ms). Null if there may be a GPU, and on
 * systems whose /dev does not show this.
 */
export function whyNoGpu(): string | null {
  if (!isLinux()) return null;
  try {
    if (!fileSystem.readdirSync('/dev').some((name) => GPU_DEVICES.test(String(name))))
      return 'there is no GPU device in /dev';
  } catch {
    return null;
  }
  const gpus = slurmAllocation(process.env)?.gpus ?? 'some';
  return gpus === 'none' || (gpus === 'unsaid' && slurmManagesGpus()) ? 'the Slurm job has no GPU' : null;
}

/** False if slurm.conf cannot be read, because a GPU that Slurm does not manage may be used. */
function slurmManagesGpus(): boolean {
  try {
    return managesGpus(fileSystem.readFileSync(process.env.SLURM_CONF || SLURM_CONF).toString('latin1'));
  } catch {
    return false;
  }
}

/** The machine's numbers, or those of the Slurm job if they are smaller. */
export function machineFacts(): MachineFacts {
  let available: number | undefined;
  try {
    // The memory that the kernel could make available, including its caches.
    const line = /^MemAvailable:\s*(\d+) kB/m.exec(fileSystem.readFileSync('/proc/meminfo').toString('latin1'));
    if (line !== null) available = Number(line[1]) * 1024;
  } catch {
    /* not Linux */
  }
  available ??= assumedAvailableMemory();
  const limit = process.constrainedMemory?.() ?? 0;
  if (limit > 0 && limit < totalmem()) available = Math.min(available, Math.max(0, limit - process.memoryUsage.rss()));
  const allocation = slurmAllocation(process.env);
  const granted =
    allocation?.memoryBytes == null ? Infinity : Math.max(0, allocation.memoryBytes - process.memoryUsage.rss());
  const processors = Math.min(availableParallelism(), allocation?.processors ?? Infinity);
  const workers = mostWorkers();
  return {
    processors,
    mostWorkers: workers,
    availableBytes: Math.min(available, granted),
    allowedBytes: spareMemory(Math.min(workers, processors)),
    ...(allocation !== null && {
      allocated: {
        processors: allocation.processors === processors ? processors : null,
        memoryBytes: granted < available ? allocation.memoryBytes : null,
      },
    }),
  };
}

/** The part of the node that this process may use. */
interface Allocation {
  /** CPUs; null: the environment does not say. */
  readonly processors: number | null;
  /** Bytes of memory; null: the environment does not say, or all memory of the node (`--mem=0`). */
  readonly memoryBytes: number | null;
  /** `unsaid`: no variable names a GPU. The job has none, or Slurm does not manage those of this node. */
  readonly gpus: 'some' | 'none' | 'unsaid';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that list the job's GPUs. The last three are read by drivers; Slurm sets them for GPUs of that vendor. */
const GPU_LISTS = [
  'SLURM_JOB_GPUS',
  'SLURM_STEP_GPUS',
  'CUDA_VISIBLE_DEVICES',
  'ROCR_VISIBLE_DEVICES',
  'ZE_AFFINITY_MASK',
] as const;
/** Lists without a GPU; Slurm up to 20 writes the second one. */
const NO_GPUS: readonly string[] = ['', 'NoDevFiles', '-1'];

/**
 * The allocation of the Slurm job that this process belongs to, from its environment variables (sbatch(1), srun(1),
 * salloc(1), "Output environment variables"); null if it belongs to none. A shell inside salloc counts as the job.
 */
export function slurmAllocation(environment: Environment): Allocation | null {
  if (!environment.SLURM_JOB_ID) return null;
  const node = Number(environment.SLURM_NODEID ?? 0);
  // The tasks of a step (srun) share a node. A batch script or a shell has the node to itself, whatever --ntasks says.
  const tasks =
    environment.SLURM_STEP_ID === undefined ? 1 : (ofNode(environment.SLURM_STEP_TASKS_PER_NODE, node) ?? 1);
  const onNode = positive(environment.SLURM_CPUS_ON_NODE) ?? ofNode(environment.SLURM_JOB_CPUS_PER_NODE, node);
  const processors =
    positive(environment.SLURM_CPUS_PER_TASK) ?? (onNode === null ? null : Math.max(1, Math.floor(onNode / tasks)));
  return { processors, memoryBytes: memoryOf(environment, processors, tasks), gpus: gpusOf(environment) };
}

/** Whether the text of slurm.conf says that Slurm manages GPUs, so that a job without them must not use one. */
export function managesGpus(configuration: string): boolean {
  return /^[ \t]*GresTypes[ \t]*=[^\n#]*\bgpu\b/im.test(configuration);
}

/** Slurm gives memory in MiB, for the node or for each CPU. */
function memoryOf(environment: Environment, processors: number | null, tasks: number): number | null {
  const perNode = positive(environment.SLURM_MEM_PER_NODE);
  if (perNode !== null) return Math.floor((perNode * MiB) / tasks);
  const perProcessor = positive(environment.SLURM_MEM_PER_CPU);
  return perProcessor === null || processors === null ? null : perProcessor * processors * MiB;
}

function gpusOf(environment: Environment): Allocation['gpus'] {
  const lists = GPU_LISTS.map((name) => environment[name]).filter((list) => list !== undefined);
  if (lists.some((list) => !NO_GPUS.includes(list)) || positive(environment.SLURM_GPUS_ON_NODE) !== null) return 'some';
  return lists.length > 0 ? 'none' : 'unsaid';
}

/** A whole number above 0; null for anything else. */
function positive(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

/** The number for a node, counted from 0, in a list such as `4(x2),1`, which stands for 4, 4, 1. */
function ofNode(list: string | undefined, node: number): number | null {
  let before = 0;
  for (const part of list?.split(',') ?? []) {
    const [, value, times] = /^(\d+)(?:\(x(\d+)\))?$/.exec(part) ?? [];
    before += Number(times ?? 1);
    if (node < before) return positive(value);
  }
  return null;
}
