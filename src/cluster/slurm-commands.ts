/**
 * Slurm's commands: sbatch, squeue and scancel, with the user's environment, except variables that would change their
 * answers. Recognizes the messages that mean that the cluster's controller does not answer. Knows nothing about tasks.
 */

import { spawn } from 'node:child_process';
import { GpusortError, internalError, systemText } from '../system/errors.js';
import type { SchedulerOptions, TaskState } from './scheduler.js';

/**
 * Seconds until a command is killed. sbatch itself waits up to two minutes for a controller that has no room for jobs;
 * squeue and scancel give up after about 10 seconds.
 */
const LIMITS = { sbatch: 150, squeue: 60, scancel: 60 } as const;
type Command = keyof typeof LIMITS;

/** Runs a command of Slurm. Throws if it is not installed. */
export async function runSlurm(
  command: Command,
  words: readonly string[],
  more: { readonly input?: Buffer; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  try {
    const seconds = LIMITS[command];
    return await runProgram(command, words, { seconds, env: environment(), ...more });
  } catch (error) {
    throw new GpusortError('scheduler-failed', `cannot run ${command}: ${systemText(error)}`, {
      cause: error,
      hint: 'Run gpusort on a machine that has the commands of Slurm, such as a login node, or use --cluster local:N.',
    });
  }
}

/** Variables that select a cluster, and the way to reach it. */
const KEPT = new Set(['SLURM_CONF', 'SLURM_CONF_SERVER', 'SLURM_CLUSTERS', 'SLURM_JWT']);

/**
 * Inside a job, SLURM_ variables describe that job, and sbatch would hand them down to tasks. SQUEUE_ and SCANCEL_
 * variables select jobs. With SBATCH_WAIT, sbatch would not return. Other SBATCH_ variables are the user's options.
 */
function environment(): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean =>
    KEPT.has(name) || !(/^(SLURM|SQUEUE|SCANCEL)_/.test(name) || name === 'SBATCH_WAIT');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}

/** Whether a command failed because the controller did not answer, as during a restart or under load. */
export function isTransient({ status, stderr, isLate }: Answer): boolean {
  return status !== 0 && (isLate || TRANSIENT.test(stderr));
}

const TRANSIENT = new RegExp(
  [
    'Unable to contact slurm controller',
    'Socket timed out',
    'Zero Bytes were transmitted',
    'Unexpected message rec',
    'Slurm backup controller in standby mode',
    'temporarily una',
    'Connection (refused|reset|timed out)',
  ].join('|'),
  'i',
);

/** The length of the longest message that is passed on, in characters. Some sites print whole pages. */
const LONGEST = 400;

/** The message of a failed command, on one line. */
export function complaint(command: Command, { stderr, stdout, isLate }: Answer): string {
  if (isLate) return `no answer within ${LIMITS[command]} seconds`;
  const lines = `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.replace(new RegExp(`^${command}: (error: |fatal: )?|^slurm_\\w+ error: `), '').trim())
    .filter((line) => line !== '' && !line.startsWith('Try "'));
  const text = [...new Set(lines)].join('; ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text || 'it gave no reason';
}

/**
 * The time that a program may continue after `signal` is aborted, so that the result of the change that it makes is
 * known.
 */
const INTERRUPTED_MS = 10_000;

export interface Answer {
  /** The exit status; null if a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it was killed because it took too long. */
  readonly isLate: boolean;
}

/**
 * Rejects with the system's error if the program cannot be started. The program is not in the terminal's foreground
 * group: Ctrl-C must not end it between a change and its answer.
 */
function runProgram(
  program: string,
  words: readonly string[],
  { input, seconds, env, signal }: { input?: Buffer; seconds: number; env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...{ env, detached: true, timeout: seconds * 1000, killSignal: 'SIGKILL' },
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout!.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr!.on('data', (bytes: Buffer) => err.push(bytes));
    let patience: NodeJS.Timeout | undefined;
    const endSoon = (): void => {
      patience = setTimeout(() => child.kill('SIGKILL'), INTERRUPTED_MS);
    };
    signal?.addEventListener('abort', endSoon, { once: true });
    child.on('error', reject);
    child.on('close', (status) => {
      signal?.removeEventListener('abort', endSoon);
      clearTimeout(patience);
      const [stdout, stderr] = [out, err].map((parts) => Buffer.concat(parts).toString());
      resolve({ status, stdout, stderr, isLate: child.killed });
    });
    // A program that ends early does not read all input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * Array jobs of Slurm. An array has at most 1,000 tasks, because the largest index is 1,000 on a cluster of default
 * settings (MaxArraySize in slurm.conf). So array `gpusort-ID-share-2` holds tasks share-2000 to share-2999, or some of
 * them, and the index of share-2007 is 7. The names of jobs show which tasks they hold, so a later client needs no
 * other record of them.
 */
const ARRAY_TASKS = 1000;

export interface TaskArray {
  readonly phase: string;
  /** Numbers of tasks divided by 1,000. */
  readonly block: number;
  /** Numbers of tasks modulo 1,000, ascending. */
  readonly indices: readonly number[];
}

/** The arrays that hold `tasks`, and no others. */
export function arraysOf(tasks: readonly string[]): TaskArray[] {
  const arrays = new Map<string, { phase: string; block: number; indices: number[] }>();
  for (const task of tasks) {
    const [, phase, digits] = /^([a-z]+)-([0-9]{4,})$/.exec(task) ?? [];
    if (phase === undefined) throw internalError(`task ${task} has no number`);
    const block = Math.floor(Number(digits) / ARRAY_TASKS);
    const key = `${phase}-${block}`;
    if (!arrays.has(key)) arrays.set(key, { phase, block, indices: [] });
    arrays.get(key)!.indices.push(Number(digits) % ARRAY_TASKS);
  }
  for (const { indices } of arrays.values()) indices.sort((a, b) => a - b);
  return [...arrays.values()];
}

/** The argument of sbatch --array: `0-3,7`. */
export function arrayRanges(indices: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const index of indices) {
    const range = ranges.at(-1);
    if (range !== undefined && index === range.last + 1) range.last = index;
    else ranges.push({ first: index, last: index });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export const jobName = (id: string, { phase, block }: Pick<TaskArray, 'phase' | 'block'>): string =>
  `gpusort-${id}-${phase}-${block}`;

/** The task at an index of a job; null if the job is not of the sort `id`. */
export function taskAt(id: string, job: string, index: string): string | null {
  const prefix = `gpusort-${id}-`;
  const [, phase, block] = (job.startsWith(prefix) && /^([a-z]+)-([0-9]+)$/.exec(job.slice(prefix.length))) || [];
  if (phase === undefined || !/^[0-9]{1,3}$/.test(index)) return null;
  return taskOf({ phase, block: Number(block) }, Number(index));
}

export const taskOf = ({ phase, block }: Pick<TaskArray, 'phase' | 'block'>, index: number): string =>
  `${phase}-${block}${String(index).padStart(3, '0')}`;

/** The name of a task's log in the job directory, as sbatch --output has it: %3a is the index with three digits. */
export const logPattern = ({ phase, block }: TaskArray): string => `log/${phase}-${block}%3a`;

/** The batch script. It execs the task, so signals reach the task. File names may hold any bytes. */
export function batchScript(options: SchedulerOptions, { phase, block }: TaskArray): Buffer {
  const words = options.command.map(quoted);
  const text = [
    '#!/bin/sh\n',
    `task=$(printf '${phase}-${block}%03d' "$SLURM_ARRAY_TASK_ID") || exit\n`,
    'exec ',
    ...words.flatMap((word) => [word, ' ']),
    '--cluster-task ',
    quoted(options.directory),
    '/"$task"',
    ...options.taskOptions.flatMap((word) => [' ', quoted(word)]),
    '\n',
  ];
  return Buffer.concat(text.map((part) => Buffer.from(part as string)));
}

/** A word quoted for sh. Between single quotes, only the quote itself is special. */
function quoted(word: string | Buffer): Buffer {
  const text = Buffer.from(word as string).toString('latin1');
  return Buffer.from(`'${text.replaceAll("'", "'\\''")}'`, 'latin1');
}

/**
 * The columns of a line and their widths, which all versions of squeue respect. The reason is last, because only the
 * reason may have characters of several bytes.
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

/** One submission of a task to Slurm. A task that was submitted again has several attempts. */
export interface TaskAttempt {
  readonly task: string;
  /** The number of the array job. Later jobs have larger ones. */
  readonly job: number;
  readonly state: TaskState;
}

/** The attempts of the sort `id` in the output of squeue. Other lines are ignored. */
export function readAttempts(id: string, output: string): TaskAttempt[] {
  const attempts: TaskAttempt[] = [];
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

/** States of tasks that Slurm will start or continue by itself. */
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
  // RUNNING, COMPLETING, or a state of a later version. If such a state means an end, squeue soon forgets the task.
  return { kind: 'running', host: host === '' ? null : host };
}

const SIGKILL = 9;
const SIGTERM = 15;
/** slurmd's own failure: it could not open the task's log, or enter the job directory. */
const NO_FILES = 53;
/** The bits of a wait status that hold a signal. */
const SIGNAL_BITS = 0x7f;

/** A task that fails by itself leaves the reason in the job directory. A task that is ended by a signal cannot. */
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
