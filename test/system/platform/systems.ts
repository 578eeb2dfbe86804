/** Runs gpusort as if on macOS or Windows (pretend.cjs), in a directory of its own, and reports the files there. */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { BINARY } from '../../cli/run.js';
import { random } from '../../support/random.js';

export type System = 'linux' | 'darwin' | 'win32';

const PRETEND = fileURLToPath(new URL('./pretend.cjs', import.meta.url));
const LIMIT_MS = 60_000;

/** The outcome of a run: one character a byte. */
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

/** Tiny chunks and little memory: runs go to temporary files. */
export const SPILL = '-S 64K --chunk-size 4K -T tmp';
const LINES = 6000;
const SEED = 19;

/** The lines of the file `in`, the same in each test; some end with CR. */
export const TEXT = ((): string => {
  const next = random(SEED);
  return Array.from({ length: LINES }, () => {
    const number = Math.floor(next() * 1000);
    return `${number.toString(36)} ${number % 7},${Math.floor(next() * 99)}${next() < 0.3 ? '\r' : ''}\n`;
  }).join('');
})();

/** The directory of the running test. */
export let directory = '';

function fill(): void {
  rmSync(directory, { recursive: true, force: true });
  for (const name of ['', 'tmp', 'sub']) mkdirSync(join(directory, name));
  const half = TEXT.indexOf('\n', TEXT.length / 2) + 1;
  const sorted = (text: string): string =>
    text
      .split(/(?<=\n)/)
      .sort()
      .join('');
  const files = {
    in: TEXT,
    'sub/x y': TEXT.slice(0, half),
    first: sorted(TEXT.slice(0, half)),
    second: sorted(TEXT.slice(half)),
    names: 'in\0sub/x y\0',
    table: 'name,n\r\n"b\nc",2\r\na,10\r\n',
    seed: '0123456789abcdef',
    empty: '',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content, 'latin1');
}

/** Gives each test of the file a directory with inputs. */
export function useInputs(): void {
  beforeEach(() => {
    directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-platform-'));
    fill();
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });
}

/** Runs a line of bash in that directory, on fresh inputs. */
export function runIn(system: System, line: string, env: Record<string, string> = {}): Result {
  fill();
  return runOn(system, line, directory, env);
}
