/**
 * The interface between the client of a cluster sort and a scheduler: start tasks, report their states, end them.
 * Schedulers do not report success: a task has succeeded if its done file is in the job directory.
 */

export interface Scheduler {
  /** The name in messages: `Slurm`, `this host`. */
  readonly name: string;
  /**
   * The longest pause between two polls of this many tasks. It is long enough that polls do not burden the scheduler.
   */
  longestPauseMs(tasks: number): number;
  /** Starts tasks (`share-0007`) of one phase. Resolves once they are accepted. Throws GpusortError. */
  submit(tasks: readonly string[]): Promise<void>;
  /** The state of every submitted task of this job, including those of an earlier client of the same directory. */
  states(): Promise<ReadonlyMap<string, TaskState>>;
  /** Ends all tasks of this job, waiting or running, and resolves once none is running. Also called on Ctrl-C. */
  cancel(): Promise<void>;
}

export type TaskState =
  /** `reason`: why it does not start yet, in the scheduler's words, if known. */
  | { readonly kind: 'waiting'; readonly reason: string | null }
  | { readonly kind: 'running'; readonly host: string | null }
  /**
   * It ended; the client looks for its done file. `how`: a clause for messages if the scheduler ended it (`was out of
   * memory`, `reached its time limit`, `was preempted`, `lost its node n2`), otherwise null. `again`: whether
   * submitting it again may help. `isLost`: its node was lost, or another job took it, which is not the task's fault.
   */
  | { readonly kind: 'ended'; readonly how: string | null; readonly again: boolean; readonly isLost?: true };

export interface SchedulerOptions {
  /** The job directory, absolute. */
  readonly directory: Buffer;
  /** The job's random id, [a-z0-9]{8}. */
  readonly id: string;
  /** Node, its options, gpusort.cjs: a task is `[...command, '--cluster-task', 'DIR/share-0007', ...taskOptions]`. */
  readonly command: readonly string[];
  readonly taskOptions: readonly string[];
}
