/**
 * What a Slurm job was given on its node, as its environment variables say it (sbatch(1), srun(1), salloc(1), "Output
 * environment variables"). A shell inside salloc counts as the job. Pure: knows neither the machine nor its files.
 */
import { MiB } from './amount.js';

/** What this process may use of the node. */
export interface Allocation {
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

/** The allocation of the Slurm job that this process belongs to; null if it belongs to none. */
export function slurmAllocation(environment: Environment): Allocation | null {
  if (!environment.SLURM_JOB_ID) return null;
  const node = Number(environment.SLURM_NODEID ?? 0);
  // The tasks of a step (srun) share a node. A batch script and a shell are alone on it, whatever --ntasks says.
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
