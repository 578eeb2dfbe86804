/** Runs gpusort as if on macOS or Windows (pretend.cjs), in a directory of its own, and says what it left there. */
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BINARY } from '../cli/run.js';

export type System = 'linux' | 'darwin' | 'win32';

const PRETEND = fileURLToPath(new URL('./pretend.cjs', import.meta.url));
const LIMIT_MS = 60_000;

/** What a run did: one character a byte. */
export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The files of the directory by name, after the run. */
  readonly files: Readonly<Record<string, string>>;
}

/** Variables that make Node behave like that of `system`. On Windows `T:` is `drive`. */
export function environmentOf(system: System, drive: string): Record<string, string> {
  const pretended = { NODE_OPTIONS: `--require=${JSON.stringify(PRETEND)}`, GPUSORT_TEST_PLATFORM: system };
  return {
    PATH: process.env.PATH!,
    LC_ALL: 'C',
    NODE_DISABLE_COMPILE_CACHE: '1',
    TEMP: '/tmp',
    ...(system !== 'linux' && { ...pretended, GPUSORT_TEST_DRIVE: drive }),
  };
}

/** Runs a line of bash in `directory`, in which `$GPUSORT` is the program. */
export function runOn(system: System, line: string, directory: string, env: Record<string, string> = {}): Result {
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], {
    cwd: directory,
    env: { ...environmentOf(system, directory), GPUSORT: `${process.execPath} ${BINARY}`, ...env },
    timeout: LIMIT_MS,
    maxBuffer: 1 << 26,
    encoding: 'latin1',
  });
  return { status, stdout, stderr, files: filesIn(directory) };
}

function filesIn(directory: string): Record<string, string> {
  const names = (readdirSync(directory, { recursive: true }) as string[]).sort();
  return Object.fromEntries(
    names
      .map((name) => [name, join(directory, name)] as const)
      .map(([name, path]) => [name, lstatSync(path).isFile() ? readFileSync(path, 'latin1') : 'no file']),
  );
}
