/**
 * Runs tasks as processes of this host, several at once. They end with this process, however it ends
 * (src/cli/terminal/signals.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { atExit } from '../report/cleanup.js';
import type { Recorder } from '../report/recorder.js';
import { systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { inDirectory } from '../system/temporary-files.js';
import { placeOnDevices } from './devices.js';
import type { Scheduler, SchedulerOptions, TaskState } from './scheduler.js';

/** The time that a process may take to end after it was signaled. */
const PATIENCE_MS = 5000;

interface LocalOptions extends SchedulerOptions {
  readonly processes: number;
  /** Whether processes are spread over the GPUs of the host. */
  readonly usesGpu: boolean;
  /** Environment variables for tasks; they make tasks end with this process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly recorder: Recorder;
}

export function openLocal(options: LocalOptions): Scheduler {
  const host = new LocalHost(options);
  return {
    name: 'this host',
    longestPauseMs: () => 50,
    submit: async (tasks) => host.submit(tasks),
    states: async () => host.states,
    cancel: () => host.cancel(),
  };
}

class LocalHost {
  readonly states = new Map<string, TaskState>();
  private readonly options: LocalOptions;
  private readonly placement: ReturnType<typeof placeOnDevices> | null;
  private readonly waiting: string[] = [];
  private readonly running = new Map<string, ChildProcess>();
  /** The numbers of places where no task runs. */
  private readonly free: number[];
  private isCancelled = false;

  constructor(options: LocalOptions) {
    this.options = options;
    this.placement = options.usesGpu ? placeOnDevices() : null;
    if (this.placement?.note != null) options.recorder.note(this.placement.note);
    this.free = Array.from({ length: options.processes }, (_, i) => i);
    // After a second signal, tasks are killed without waiting for them.
    atExit(() => {
      this.endAll(this.isCancelled ? 'SIGKILL' : 'SIGTERM');
    });
  }

  submit(tasks: readonly string[]): void {
    for (const task of tasks) this.states.set(task, { kind: 'waiting', reason: null });
    this.waiting.push(...tasks);
    this.startNext();
  }

  /** Resolves once no task runs. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    for (const task of this.waiting.splice(0)) this.states.delete(task);
    this.endAll('SIGTERM');
    const patience = setTimeout(() => {
      this.endAll('SIGKILL');
    }, PATIENCE_MS);
    while (this.running.size > 0) await delay(10);
    clearTimeout(patience);
    this.isCancelled = false;
  }

  private endAll(signal: NodeJS.Signals): void {
    for (const child of this.running.values()) child.kill(signal);
  }

  private startNext(): void {
    while (this.free.length > 0 && this.waiting.length > 0 && !this.isCancelled) {
      const [task, place] = [this.waiting.shift()!, this.free.shift()!];
      this.states.set(task, { kind: 'running', host: null });
      void this.runOne(task, place).then((how) => {
        this.running.delete(task);
        this.states.set(task, { kind: 'ended', how, again: true });
        this.free.push(place);
        this.startNext();
      });
    }
  }

  /** Resolves to how the task failed; null if it succeeded. */
  private async runOne(task: string, place: number): Promise<string | null> {
    const { placement } = this;
    let child: ChildProcess;
    try {
      child = start(task, this.options, (command) =>
        placement === null ? { command, environment: {} } : placement.place(place, command),
      );
    } catch (error) {
      return `could not be started: ${systemText(error)}`;
    }
    this.running.set(task, child);
    return new Promise((resolve) => {
      child.on('error', (error) => {
        resolve(`could not be started: ${systemText(error)}`);
      });
      child.on('exit', (status, signal) => {
        resolve(status === 0 ? null : signal === null ? `ended with status ${status}` : ending(signal));
      });
    });
  }
}

function ending(signal: NodeJS.Signals): string {
  const often = signal === 'SIGKILL' ? ', as the system does if memory runs out' : '';
  return `was ended by ${signal}${often}`;
}

type CommandPlacement = (command: readonly string[]) => {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** Throws the system's error. */
function start(
  task: string,
  { command, directory, taskOptions, environment }: LocalOptions,
  place: CommandPlacement,
): ChildProcess {
  const log = fileSystem.openSync(inDirectory(directory, `log/${task}`), 'a');
  try {
    const placed = place(withName([...command, ...taskOptions, '--cluster-task'], inDirectory(directory, task)));
    const [program, ...words] = placed.command;
    const env = { ...process.env, ...environment, ...placed.environment };
    // Ctrl-C reaches this process only, which then ends its tasks, or ignores it.
    return spawn(program, words, { stdio: ['ignore', log, log], env, detached: true });
  } finally {
    fileSystem.closeSync(log);
  }
}

/**
 * `command` with a file name as last word. Node makes UTF-8 of all words; a shell can make other bytes. Command
 * substitution removes newlines at the end, hence the `x`.
 */
function withName(command: readonly string[], name: Buffer): string[] {
  if (Buffer.from(name.toString()).equals(name)) return [...command, name.toString()];
  const octal = [...name].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return ['/bin/sh', '-c', 'name=$(printf "$0x") && exec "$@" "${name%x}"', octal, ...command];
}
