/** How many shares and ranges a sort is cut into, and whether distributing it pays. Pure. */
import type { ClusterRequest } from '../job.js';

const GiB = 2 ** 30;

/** Bytes of a share: a task of minutes, which is little to lose with a node, and much beside Slurm's seconds. */
const SHARE_BYTES = 8 * GiB;
/** A few tasks more than nodes balance them. */
const LEAST_TASKS = 4;
/** Two array jobs cost about 12 s before any work: below this size one machine is faster. */
const LEAST_BYTES = { slurm: 16 * GiB, local: 1 * GiB, prepare: 0 } as const;

/** Whether one machine sorts the input sooner. If the user gave a number of tasks, or wants parts, it does not matter. */
export function isTooSmall({ scheduler, tasks, parts }: ClusterRequest, bytes: number): boolean {
  return tasks === null && !parts && bytes < LEAST_BYTES[scheduler.kind];
}

/** The number of shares, and of ranges. */
export function chooseTasks({ scheduler, tasks }: ClusterRequest, bytes: number): number {
  if (tasks !== null) return tasks;
  if (scheduler.kind === 'local') return scheduler.processes;
  return Math.max(LEAST_TASKS, Math.ceil(bytes / SHARE_BYTES));
}
