/** What squeue prints about the tasks of a sort, and what it means. */
import type { TaskState } from './scheduler.js';
import { taskAt } from './slurm-array.js';

/**
 * The columns of a line and their widths, which all versions of squeue keep to. The reason is last: it alone may hold
 * characters of several bytes.
 */
const COLUMNS = {
  Name: 64,
  ArrayJobID: 12,
  ArrayTaskID: 12,
  State: 20,
  exit_code: 12,
  NodeList: 64,
  Reason: 128,
} as const;
type Column = keyof typeof COLUMNS;

/** The argument of squeue --Format. */
export const COLUMN_FORMAT = Object.entries(COLUMNS)
  .map(([name, width]) => `${name}:${width}`)
  .join(',');

/** A task that Slurm was given. A task that was submitted again has several attempts. */
export interface Attempt {
  readonly task: string;
  /** The number of the array job. Later jobs have larger ones. */
  readonly job: number;
  readonly state: TaskState;
}

/** The attempts of the sort `id` in the output of squeue. Other lines are ignored. */
export function readAttempts(id: string, output: string): Attempt[] {
  const attempts: Attempt[] = [];
  for (const line of output.split('\n')) {
    const row = cut(line);
    const task = taskAt(id, row.Name, row.ArrayTaskID);
    if (task !== null) attempts.push({ task, job: Number(row.ArrayJobID), state: stateOf(row) });
  }
  return attempts;
}

function cut(line: string): Record<Column, string> {
  let from = 0;
  const fields = Object.entries(COLUMNS).map(([name, width]) => [name, line.slice(from, (from += width)).trim()]);
  return Object.fromEntries(fields) as Record<Column, string>;
}

/** States of tasks that Slurm will start, or go on with, without our help. */
const WAITING = new Set([
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
  'STOPPED',
  'SUSPENDED',
]);

/** How Slurm ends tasks, and whether starting them again may help. */
const ENDED: Readonly<Record<string, readonly [how: string | null, again: boolean]>> = {
  COMPLETED: [null, false],
  BOOT_FAIL: ['got a node that did not start', true],
  CANCELLED: ['was cancelled', false],
  DEADLINE: ['reached its deadline', false],
  LAUNCH_FAILED: ['could not be started', true],
  OUT_OF_MEMORY: ['was out of memory', false],
  PREEMPTED: ['was preempted', true],
  REVOKED: ['was revoked', false],
  TIMEOUT: ['reached its time limit', false],
};

function stateOf(row: Readonly<Record<Column, string>>): TaskState {
  const { State: state, NodeList: host } = row;
  const reason = row.Reason === 'None' || row.Reason === '' ? null : row.Reason;
  if (WAITING.has(state)) return { kind: 'waiting', reason: reason ?? (state === 'PENDING' ? null : state) };
  if (state === 'NODE_FAIL')
    return { kind: 'ended', how: `lost its node ${host}`.trimEnd(), again: true, isLost: true };
  if (state === 'FAILED') return { kind: 'ended', ...failure(Number(row.exit_code), reason) };
  if (Object.hasOwn(ENDED, state)) {
    const [how, again] = ENDED[state];
    return { kind: 'ended', how, again, ...(state === 'PREEMPTED' && { isLost: true }) };
  }
  // RUNNING, COMPLETING, or a state of a later version. If that one means an end, squeue forgets the task soon.
  return { kind: 'running', host: host === '' ? null : host };
}

const SIGKILL = 9;
const SIGTERM = 15;
/** slurmd's own: it could not open the task's log, or not enter the job directory. */
const NO_FILES = 53;
/** The bits of a wait status that hold a signal. */
const SIGNAL_BITS = 0x7f;

/** A task that failed on its own says why in the job directory. One that a signal ended could not. */
function failure(waitStatus: number, reason: string | null): { how: string | null; again: boolean } {
  switch (waitStatus & SIGNAL_BITS) {
    case 0:
      return waitStatus === 0 && reason === 'JobLaunchFailure'
        ? { how: 'could not be started', again: true }
        : { how: null, again: false };
    case SIGKILL:
      // Without control groups, this is also how Slurm ends a task that uses too much memory.
      return { how: 'was killed (SIGKILL), perhaps because it was out of memory', again: false };
    case SIGTERM:
      return { how: 'was ended (SIGTERM), perhaps because its node was shut down', again: true };
    case NO_FILES:
      return { how: 'could not open its log: its node may not see the job directory', again: true };
    default:
      return { how: `was ended by signal ${waitStatus & SIGNAL_BITS}`, again: false };
  }
}
