/** How many shares and ranges a sort is cut into, and whether distributing it pays. Pure. */
import type { ClusterRequest, SortJob } from '../job/job.js';
import type { MachineFacts } from '../plan/facts.js';
import { plannedMemory } from '../plan/memory.js';

const GiB = 2 ** 30;

/**
 * Bytes of a share and of a range: tasks of minutes, which are little to lose with a node, and much beside the seconds
 * that Slurm takes. Up to TASKS of them, which is one array job; then they grow, because each range reads a slice of each
 * share (docs/cluster.md, the model).
 */
const TASKS = 1000;
const SHARE_BYTES = { least: 4 * GiB, most: 16 * GiB } as const;
const RANGE_BYTES = { least: 4 * GiB, most: 64 * GiB } as const;
/** Below these sizes one machine is faster: two array jobs cost seconds before any work. */
export const LEAST_BYTES = { slurm: 32 * GiB, local: 1 * GiB, prepare: 0 } as const;

export interface TaskCounts {
  readonly shares: number;
  readonly ranges: number;
}

/** Whether one machine sorts the input sooner. If the user gave a number of tasks, or wants parts, it does not matter. */
export function isTooSmall({ scheduler, tasks, parts }: ClusterRequest, bytes: number): boolean {
  return tasks === null && !parts && bytes < LEAST_BYTES[scheduler.kind];
}

/** The wanted numbers of shares and ranges for `bytes` of input. */
export function chooseTasks({ scheduler, tasks }: ClusterRequest, bytes: number): TaskCounts {
  const given = tasks ?? (scheduler.kind === 'local' ? scheduler.processes : null);
  if (given !== null) return { shares: given, ranges: given };
  const count = ({ least, most }: { least: number; most: number }): number =>
    Math.max(1, Math.ceil(bytes / Math.max(least, Math.min(most, bytes / TASKS))));
  return { shares: count(SHARE_BYTES), ranges: count(RANGE_BYTES) };
}

/** What each task gets of this host's memory and processors, if several run on it and the user does not say. */
export function tasksOwn(
  job: SortJob,
  machine: MachineFacts,
  tasks: number,
): { readonly memoryBytes?: number; readonly parallel?: number } {
  const { scheduler } = job.cluster!;
  if (scheduler.kind !== 'local') return {};
  const processes = Math.min(scheduler.processes, tasks);
  return {
    ...(job.memoryBytes === null && { memoryBytes: Math.floor(plannedMemory(job, machine) / processes) }),
    ...(job.parallel === null && { parallel: Math.max(1, Math.floor(machine.processors / processes)) }),
  };
}
