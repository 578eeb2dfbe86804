/** Tasks as processes of this host, a number of them at once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileSystem } from '../file-system.js';
import { atExit } from '../report/cleanup.js';
import type { Recorder } from '../report/stats.js';
import { inDirectory } from '../temporary-files.js';
import { placeOnDevices } from './devices.js';
import type { Scheduler, SchedulerOptions, TaskState } from './scheduler.js';

/** How long a process that was asked to end may take. */
const PATIENCE_MS = 5000;

/** `usesGpu`: processes are spread over the GPUs of the host. */
export function openLocal(
  options: SchedulerOptions & { readonly processes: number; readonly usesGpu: boolean; readonly recorder: Recorder },
): Scheduler {
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
  atExit(() => {
    endAll('SIGTERM');
  });

  const startNext = (): void => {
    while (free.length > 0 && waiting.length > 0 && !isCancelled) {
      const task = waiting.shift()!;
      const place = free.shift()!;
      const child = start(task, options, (command) =>
        placement === null ? { command, environment: {} } : placement.place(place, command),
      );
      running.set(task, child);
      states.set(task, { kind: 'running', host: null });
      let isOver = false;
      const over = (how: string | null, again: boolean): void => {
        if (isOver) return;
        isOver = true;
        running.delete(task);
        states.set(task, { kind: 'ended', how, again });
        free.push(place);
        startNext();
      };
      child.on('error', (error) => {
        over(`could not be started: ${error.message}`, false);
      });
      child.on('exit', (_, signal) => {
        over(signal === null ? null : `was ended by ${signal}`, signal !== null);
      });
    }
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
      waiting.length = 0;
      endAll('SIGTERM');
      const patience = setTimeout(() => {
        endAll('SIGKILL');
      }, PATIENCE_MS);
      await Promise.all(
        [...running.values()].map(
          (child) =>
            new Promise((resolve) => {
              child.on('exit', resolve);
            }),
        ),
      );
      clearTimeout(patience);
    },
  };
}

type Place = (command: readonly string[]) => {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

function start(task: string, { command, directory, taskOptions }: SchedulerOptions, place: Place): ChildProcess {
  const log = fileSystem.openSync(inDirectory(directory, `log/${task}`), 'a');
  try {
    const name = inDirectory(directory, task).toString();
    const placed = place([...command, '--cluster-task', name, ...taskOptions]);
    const [program, ...words] = placed.command;
    return spawn(program, words, { stdio: ['ignore', log, log], env: { ...process.env, ...placed.environment } });
  } finally {
    fileSystem.closeSync(log);
  }
}
