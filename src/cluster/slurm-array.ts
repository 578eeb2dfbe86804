/**
 * Array jobs of Slurm. An array has at most 1,000 tasks, because the largest index is 1,000 on a cluster of default
 * settings (MaxArraySize in slurm.conf). So array `gpusort-ID-share-2` holds tasks share-2000 to share-2999, or some of
 * them, and the index of share-2007 is 7. Names of jobs say which tasks they hold: a later client needs nothing else.
 */
import { internalError } from '../system/errors.js';
import type { SchedulerOptions } from './scheduler.js';

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

/** The batch script: it becomes the task, so that signals reach it. File names may hold any bytes. */
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
