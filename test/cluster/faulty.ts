/** A small distributed sort, and what may happen to it. Tasks are processes of this host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { BINARY, environment, gpusort, type Outcome } from '../cli/run.js';
import { random } from '../support/random.js';

const HOOK = fileURLToPath(new URL('../support/task-faults.cjs', import.meta.url));
const OPTIONS = ['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3'];

const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-faults-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
let places = 0;

/** What happens to tasks: which (a regular expression), what, and how often at most. */
export type Fault = readonly [tasks: string, what: 'kill' | 'abort' | 'exit' | 'wait', times?: number];

/** A directory with an input. */
export class Place {
  readonly directory = join(root, String(++places));
  readonly input = join(this.directory, 'in');
  readonly output = join(this.directory, 'out');
  readonly job = join(this.directory, 'gpusort-out.job');
  readonly faults = join(this.directory, 'faults');
  readonly sorted: string;

  constructor(lines = 3000) {
    mkdirSync(this.directory);
    const text = linesOf(lines, places);
    writeFileSync(this.input, text.join(''));
    this.sorted = text.sort().join('');
  }

  private environmentOf(fault: Fault | null): Record<string, string> {
    if (fault === null) return {};
    const [tasks, what, times = 1000] = fault;
    return { NODE_OPTIONS: `--require=${HOOK}`, GPUSORT_TEST_TASKS: [tasks, what, times, this.faults].join(':') };
  }

  /** Runs the client to its end. */
  run(args: readonly string[] = [], fault: Fault | null = null, env: Record<string, string> = {}): Outcome {
    return gpusort([...OPTIONS, '-o', this.output, ...args, this.input], {
      cwd: this.directory,
      env: { ...this.environmentOf(fault), ...env },
    });
  }

  /** Starts the client, in a process group of its own. */
  start(fault: Fault | null, args: readonly string[] = [], extra: Record<string, string> = {}): Running {
    const env = environment({ ...this.environmentOf(fault), ...extra });
    return new Running(
      spawn(BINARY, [...OPTIONS, '-o', this.output, ...args, this.input], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    );
  }

  /** Makes the job directory. */
  prepare(args: readonly string[] = []): Outcome {
    return gpusort(['--cluster', 'prepare', '--tasks', '3', '-o', this.output, ...args, this.input]);
  }

  /** Runs tasks by their names. */
  tasks(...names: string[]): void {
    for (const name of names)
      expect(gpusort(['--engine', 'cpu', '--cluster-task', join(this.job, name)])).toMatchObject({
        status: 0,
        stderr: '',
      });
  }

  /** Waits until so many faults have happened. */
  async happened(count: number): Promise<string[]> {
    await expect.poll(() => this.lines().length, { timeout: 20_000, interval: 20 }).toBeGreaterThanOrEqual(count);
    return this.lines();
  }

  /** Ends all waiting. */
  endFaults(): void {
    writeFileSync(`${this.faults}.end`, '');
  }

  private lines(): string[] {
    return existsSync(this.faults) ? readFileSync(this.faults, 'latin1').split('\n').slice(0, -1) : [];
  }

  /** The output is right and nothing else is left. `names`: what else there was before. */
  expectSorted(...names: string[]): void {
    expect(readFileSync(this.output, 'latin1') === this.sorted).toBe(true);
    expect(this.names()).toEqual(['in', 'out', ...names].sort());
  }

  /** What is in the directory, but for the list of faults. */
  names(): string[] {
    return readdirSync(this.directory)
      .filter((name) => !name.startsWith('faults'))
      .sort();
  }

  /** Temporary files of the job directory. */
  temporary(): string[] {
    return (readdirSync(this.job, { recursive: true }) as string[]).filter((name) => name.endsWith('.tmp'));
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

/** Whether a process has ended; one that nobody has waited for has, too. */
export function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return true;
  }
}

/** ASCII lines: their order is that of their bytes. */
export function linesOf(count: number, seed: number): string[] {
  const next = random(seed);
  return Array.from({ length: count }, () => `${next().toString(36)}\n`);
}
