/**
 * A small distributed sort, and faults in it. Its client and tasks are processes of this host, or run in this process,
 * where a test decides how each task ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCluster } from '../../src/cluster/client.js';
import type { Scheduler, TaskState } from '../../src/cluster/scheduler.js';
import { runTask } from '../../src/cluster/tasks.js';
import { freshDirectory } from '../battery/runner.js';
import { BINARY, environment, gpusort, type Outcome } from '../cli/run.js';
import { parsed, runHere } from '../support/in-process.js';
import { silent } from '../support/jobs.js';
import { random } from '../support/random.js';

const HOOK = fileURLToPath(new URL('../support/task-faults.cjs', import.meta.url));
const OPTIONS = ['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3'];

/** A fault of task processes: which tasks (a regular expression), which fault, and how often at most. */
export type Fault = readonly [tasks: string, what: 'kill' | 'abort' | 'exit' | 'wait', times?: number];

export const RUNNING: TaskState = { kind: 'running', host: 'n1' };
export const ENDED: TaskState = { kind: 'ended', how: null, again: true };

/** Decides the outcome of a task. Called once for each submission. */
export type Act = (task: string, attempt: number) => TaskState | Promise<TaskState>;

/** A scheduler that the test controls. */
export class StandIn implements Scheduler {
  readonly name = 'the stand-in';
  readonly known = new Map<string, TaskState>();
  readonly submitted: string[][] = [];
  private readonly act: Act;

  constructor(act: Act = () => RUNNING) {
    this.act = act;
  }

  longestPauseMs = (): number => 20;
  submit = async (tasks: readonly string[]): Promise<void> => {
    this.submitted.push([...tasks]);
    for (const task of tasks)
      this.known.set(task, await this.act(task, this.submitted.filter((all) => all.includes(task)).length));
  };
  states = async (): Promise<ReadonlyMap<string, TaskState>> => this.known;
  cancel = async (): Promise<void> => {
    for (const task of this.known.keys()) this.known.set(task, ENDED);
  };
}

/** How a client runs in this process. */
interface Here {
  /** How tasks end; without it, they run. */
  readonly act?: Act;
  readonly scheduler?: StandIn;
  readonly signal?: AbortSignal;
}

/** A directory with an input. */
export class Place {
  readonly directory = freshDirectory('place');
  readonly input = join(this.directory, 'in');
  readonly output = join(this.directory, 'out');
  readonly job = join(this.directory, 'gpusort-out.job');
  readonly faults = join(this.directory, 'faults');
  readonly sorted: string;

  constructor(lines = 3000, seed = 1) {
    const text = linesOf(lines, seed);
    writeFileSync(this.input, text.join(''));
    this.sorted = text.sort().join('');
  }

  private words(args: readonly string[]): string[] {
    return [...OPTIONS, '-o', this.output, ...args, this.input];
  }

  private environmentOf(fault: Fault | null): Record<string, string> {
    if (fault === null) return {};
    const [tasks, what, times = 1000] = fault;
    return { NODE_OPTIONS: `--require=${HOOK}`, GPUSORT_TEST_TASKS: [tasks, what, times, this.faults].join(':') };
  }

  /** Runs the client to its end. */
  run(args: readonly string[] = [], fault: Fault | null = null): Outcome {
    return gpusort(this.words(args), { cwd: this.directory, env: this.environmentOf(fault) });
  }

  /** Starts the client, in a process group of its own. */
  start(fault: Fault | null, args: readonly string[] = [], extra: Record<string, string> = {}): Running {
    const env = environment({ ...this.environmentOf(fault), ...extra });
    return new Running(spawn(BINARY, this.words(args), { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }));
  }

  /** Runs the client in this process. */
  here(args: readonly string[] = [], how: Here = {}): Promise<Outcome> {
    return this.command(this.words(args), how);
  }

  /** The same with all words. */
  async command(words: readonly string[], how: Here = {}): Promise<Outcome> {
    const {
      act = (task) => this.runs(task),
      scheduler = new StandIn(act),
      signal = new AbortController().signal,
    } = how;
    let stdout = '';
    const print = (line: string): void => {
      stdout += `${line}\n`;
    };
    const options = { signal, command: [], environment: {}, print };
    const { status, messages } = await runHere(
      () => parsed(words, 'gpusort'),
      'gpusort',
      (job) => job,
      async (job) => {
        expect(await runCluster(job, silent, options, () => scheduler)).toBe(true);
        return 0;
      },
    );
    return { status, signal: null, stdout, stderr: messages };
  }

  /** Makes the job directory. */
  prepare(args: readonly string[] = []): Promise<Outcome> {
    return this.command(['--cluster', 'prepare', '--tasks', '3', '-o', this.output, ...args, this.input]);
  }

  /** Runs a task, which may fail. */
  async runs(task: string): Promise<TaskState> {
    await this.tasks(task).catch(() => undefined);
    return ENDED;
  }

  /** Runs tasks by their names. */
  async tasks(...names: string[]): Promise<void> {
    for (const name of names) await runTask(Buffer.from(join(this.job, name)), {}, Buffer.from('/tmp'), silent);
  }

  /** Waits until this many faults have happened. */
  async happened(count: number): Promise<string[]> {
    await expect.poll(() => this.lines().length, { interval: 20 }).toBeGreaterThanOrEqual(count);
    return this.lines();
  }

  private lines(): string[] {
    return existsSync(this.faults) ? readFileSync(this.faults, 'latin1').split('\n').slice(0, -1) : [];
  }

  /** When each run and index of the job directory was written. */
  times(): Record<string, number> {
    const names = (readdirSync(this.job, { recursive: true }) as string[]).filter((name) =>
      /\.(run|index)$/.test(name),
    );
    return Object.fromEntries(names.sort().map((name) => [name, statSync(join(this.job, name)).mtimeMs]));
  }

  /** Waits until a share is sorted. */
  async isSorted(share: number): Promise<void> {
    const name = `shares/000${share}.index`;
    await expect.poll(() => this.times()[name], { interval: 20 }).toBeDefined();
  }

  /** The output is right and nothing else is left. `names`: what else there was before. */
  expectSorted(...names: string[]): void {
    expect(readFileSync(this.output, 'latin1') === this.sorted).toBe(true);
    expect(this.names()).toEqual(['in', 'out', ...names].sort());
  }

  /** The names in the directory, except the list of faults. */
  names(): string[] {
    return readdirSync(this.directory)
      .filter((name) => !name.startsWith('faults'))
      .sort();
  }

  /** The file that becomes the output. */
  text(): string {
    return join(this.directory, this.names().find((name) => /\.(sorted|parts)$/.test(name))!);
  }

  /** Temporary files of the job directory. */
  temporary(): string[] {
    return (readdirSync(this.job, { recursive: true }) as string[]).filter((name) => name.endsWith('.tmp'));
  }

  /** Makes a folder in the directory. */
  folder(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path);
    return path;
  }
}

export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;

  constructor(child: ChildProcess) {
    this.child = child;
    let [stdout, stderr] = ['', ''];
    child.stdout!.setEncoding('latin1').on('data', (text: string) => (stdout += text));
    child.stderr!.setEncoding('latin1').on('data', (text: string) => (stderr += text));
    this.ended = new Promise((resolve) => {
      child.on('close', (status, signal) => {
        resolve({ status, signal, stdout, stderr });
      });
    });
  }
}

/** ASCII lines: their order is that of their bytes. */
export function linesOf(count: number, seed: number): string[] {
  const next = random(seed);
  return Array.from({ length: count }, () => `${next().toString(36)}\n`);
}
