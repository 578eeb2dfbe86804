/** Runs the program and GNU sort, to compare them; here.ts runs gpusort in this process. The program needs a build. */
import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The binary. GPUSORT_TEST_BIN replaces it, for example by the executable of an installed package. */
export const BINARY = process.env.GPUSORT_TEST_BIN ?? fileURLToPath(new URL('../../bin/gpusort.cjs', import.meta.url));
/** The version of the Node that runs the binary. `npm run test:nodes` sets it. */
export const NODE_VERSION = process.env.GPUSORT_TEST_NODE ?? process.versions.node;
const LIMIT_MS = 60_000;

/** A minimal environment with the C locale, plus `extra`. */
export function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', ...extra };
}

export interface Outcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface How {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Record<string, string>;
}

/** Runs the binary. Outputs have one character a byte. */
export function gpusort(args: readonly string[], how: How = {}): Outcome {
  return outcome(spawnSync(BINARY, args, options(how)));
}

/** The outcome of GNU sort, under the name gpusort. */
export function asGpusort(outcome: Outcome): Outcome {
  const stderr = outcome.stderr.replace(/^sort:/gm, 'gpusort:').replaceAll("'sort --help'", "'gpusort --help'");
  return { ...outcome, stderr };
}

/** Runs GNU sort. */
export function gnuSort(args: readonly string[], how: How = {}): Outcome {
  return outcome(spawnSync('sort', args, options(how)));
}

/** Runs a line of bash in which `$GPUSORT` is the binary. */
export function shell(line: string, how: How = {}): Outcome {
  return outcome(spawnSync('bash', ['--norc', '-c', line], options({ ...how, env: { GPUSORT: BINARY, ...how.env } })));
}

/** Starts the binary with a standard input that stays open. */
export function waitingGpusort(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(BINARY, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environment(env) });
}

export function exitOf(child: ChildProcess): Promise<{ status: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => child.once('exit', (status, signal) => resolve({ status, signal })));
}

/** Calls `use` with a new directory, which is removed afterwards. */
export async function withDirectory<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-cli-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function options({ cwd, input, env }: How) {
  return {
    cwd,
    input: input === undefined ? '' : Buffer.from(input, 'latin1'),
    env: environment(env),
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL' as const,
  };
}

function outcome({ status, signal, stdout, stderr }: SpawnSyncReturns<Buffer>): Outcome {
  return { status, signal, stdout: stdout.toString('latin1'), stderr: stderr.toString('latin1') };
}
