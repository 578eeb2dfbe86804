/**
 * Tasks as processes of this host, a number of them at once. They end with this process, however it ends
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

/** How long a process that was asked to end may take. */
const PATIENCE_MS = 5000;

interface LocalOptions extends SchedulerOptions {
  readonly processes: number;
  /** Whether processes are spread over the GPUs of the host. */
  readonly usesGpu: boolean;
  /** Variables for tasks: they end them with this process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly recorder: Recorder;
}

export function openLocal(options: LocalOptions): Scheduler {
  const placement = options.usesGpu ? placeOnDevices() : null;
  if (placement?.note != null) options.recorder.note(placement.note);
  const waiting: string[] = [];
  const running = new Map<string, ChildProcess>();
  const states = new Map<string, TaskState>();
  const free = Array.from({ length: options.processes }, (_, i) => i);
  let isCancelled = false;

  const endAll = (signal: NodeJS.Signals): void => {
    for (const child of running.values()) child.kill(signal);
  };
  // A second signal does not wait for them.
  atExit(() => {
    endAll(isCancelled ? 'SIGKILL' : 'SIGTERM');
  });

  const over = (task: string, place: number, how: string | null, again: boolean): void => {
    running.delete(task);
    states.set(task, { kind: 'ended', how, again });
    free.push(place);
    startNext();
  };
  const startNext = (): void => {
    while (free.length > 0 && waiting.length > 0 && !isCancelled) {
      const [task, place] = [waiting.shift()!, free.shift()!];
      states.set(task, { kind: 'running', host: null });
      void runOne(task, place).then(([how, again]) => {
        over(task, place, how, again);
      });
    }
  };
  /** Resolves to how the task ended, and whether it may be started again. */
  const runOne = async (task: string, place: number): Promise<[string | null, boolean]> => {
    let child: ChildProcess;
    try {
      child = start(task, options, (command) =>
        placement === null ? { command, environment: {} } : placement.place(place, command),
      );
    } catch (error) {
      return [`could not be started: ${systemText(error)}`, true];
    }
    running.set(task, child);
    const [status, signal, error] = await new Promise<[number | null, NodeJS.Signals | null, Error | null]>(
      (resolve) => {
        child.on('error', (error) => {
          resolve([null, null, error]);
        });
        child.on('exit', (status, signal) => {
          resolve([status, signal, null]);
        });
      },
    );
    if (error !== null) return [`could not be started: ${systemText(error)}`, true];
    if (status === 0) return [null, true];
    return [signal === null ? `ended with status ${status}` : ending(signal), true];
  };

  return {
    name: 'this host',
    longestPauseMs: () => 50,
    submit: async (tasks) => {
      for (const task of tasks) states.set(task, { kind: 'waiting', reason: null });
      waiting.push(...tasks);
      startNext();
    },
    states: async () => states,
    cancel: async () => {
      isCancelled = true;
      for (const task of waiting.splice(0)) states.delete(task);
      endAll('SIGTERM');
      const patience = setTimeout(() => {
        endAll('SIGKILL');
      }, PATIENCE_MS);
      while (running.size > 0) await delay(10);
      clearTimeout(patience);
      isCancelled = false;
    },
  };
}

function ending(signal: NodeJS.Signals): string {
  const often = signal === 'SIGKILL' ? ', as the system does if memory runs out' : '';
  return `was ended by ${signal}${often}`;
}

type Place = (command: readonly string[]) => {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** Throws the system's error. */
function start(
  task: string,
  { command, directory, taskOptions, environment }: LocalOptions,
  place: Place,
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
