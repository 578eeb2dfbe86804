/**
 * Runs the built binary and the machine's `sort` for the battery, and compares their outputs. It knows no particular
 * input or option.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Input } from './inputs.js';

/** The file to run. GPUSORT_TEST_BIN replaces it, for example by the executable of an installed package. */
export const BIN = process.env.GPUSORT_TEST_BIN ?? fileURLToPath(new URL('../../bin/gpusort.cjs', import.meta.url));
/** The words that start the program under test. */
export const PROGRAM: readonly string[] = process.env.GPUSORT_TEST_BIN ? [BIN] : [process.execPath, BIN];
/** The directory of this run; the launcher removes it. */
const runDirectory = process.env.GPUSORT_TEST_TMP ?? mkdtempSync(join(tmpdir(), 'gpusort-test-'));
/** A process that runs longer counts as hung. */
const HANG_MS = 90_000;

export interface Outcome {
  /** The exit status as in a shell: 128 + the signal's number for a process that a signal ended. */
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The file to write standard output to, instead of returning it. */
  readonly stdoutFile?: string;
  readonly stdin?: Buffer;
  readonly hangMs?: number;
  /** The test makes the GPU fail, so a warning about it is expected. */
  readonly gpuFails?: boolean;
}

/** Dawn's own warnings about lavapipe's limits, which it writes to standard error at every start. */
const DAWN_ON_LAVAPIPE = /^Warning: max\w+ artificially reduced .*\n/gm;
export function withoutDawn(messages: string): string {
  return messages.replace(DAWN_ON_LAVAPIPE, '');
}

/** The warning of fallback from a failed GPU to the CPU. The output is right then, so only this shows the failure. */
const GPU_FAILED = /warning: the GPU failed/;

/** Makes processes that use a GPU sleep while they wait for it. That saves half of the time of a short sort. */
const POLLING = {
  NODE_OPTIONS: `--require=${JSON.stringify(fileURLToPath(new URL('../setup/polling.cjs', import.meta.url)))}`,
};
const ASKS_FOR_GPU = /--engine[ =]gpu/;

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = constants.signals;

/** Runs a program to its end, in the C locale. Rejects if it hangs, or if its GPU fails unexpectedly. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const out = options.stdoutFile === undefined ? 'pipe' : openSync(options.stdoutFile, 'w');
    const usesGpu = ASKS_FOR_GPU.test([...args, ...Object.values(options.env ?? {})].join(' '));
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, LC_ALL: 'C', ...(usesGpu && POLLING), ...options.env },
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', out, 'pipe'],
      // A separate process group: a hung shell can be killed with all its children.
      detached: true,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        /* already gone */
      }
    }, options.hangMs ?? HANG_MS);
    child.stdout?.on('data', (data: Buffer) => stdout.push(data));
    child.stderr!.on('data', (data: Buffer) => stderr.push(data));
    child.stdin?.on('error', () => {
      /* the program may end before it has read its input */
    });
    child.stdin?.end(options.stdin);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (typeof out === 'number') closeSync(out);
      const text = withoutDawn(Buffer.concat(stderr).toString('latin1'));
      if (hung) return reject(new Error(`hangs: ${command} ${args.join(' ')}\n${text}`));
      if (options.gpuFails !== true && GPU_FAILED.test(text))
        return reject(new Error(`the GPU failed: ${command} ${args.join(' ')}\n${text}`));
      resolve({ status: code ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0), stdout: Buffer.concat(stdout), stderr: text });
    });
  });
}

/** Runs the program under test. */
export function gpusort(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return run(PROGRAM[0], [...PROGRAM.slice(1), ...args], options);
}

/** Runs a bash script in which the function `gpusort` starts the program under test; the array P holds its words. */
export function script(text: string, options: RunOptions = {}): Promise<Outcome> {
  const words = PROGRAM.map((word) => `'${word}'`).join(' ');
  return run('bash', ['-c', `P=(${words}); gpusort() { "\${P[@]}" "$@"; }\n${text}`], options);
}

/** Runs the same script with GNU `sort` in place of gpusort. In its messages `sort:` becomes `gpusort:`. */
export async function gnuScript(text: string, options: RunOptions = {}): Promise<Outcome> {
  const outcome = await run('bash', ['-c', `P=(sort); gpusort() { command sort "$@"; }\n${text}`], options);
  return { ...outcome, stderr: outcome.stderr.replace(/^sort: /gm, 'gpusort: ') };
}

/** A new directory, removed at the end of the run. */
export function freshDirectory(name: string): string {
  return mkdtempSync(join(runDirectory, `${name}-`));
}

/**
 * The path of a file that all processes of this run share, made on first use. It is renamed into place when complete:
 * no process sees a part of it.
 */
async function shared(name: string, make: (path: string) => void | Promise<void>): Promise<string> {
  const directory = join(runDirectory, 'shared');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  if (existsSync(path)) return path;
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await make(aside);
  renameSync(aside, path);
  return path;
}

const slug = (text: string): string =>
  `${text.replace(/[^a-z0-9]+/gi, '_')}.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;

/** The path of an input, written on first use. */
export function inputFile(input: Input): Promise<string> {
  return shared(`${slug(input.name)}.in`, (path) => writeFileSync(path, input.make()));
}

/** The path of GNU sort's output for an input with options, written on first use. */
export async function gnuReference(input: Input, options: readonly string[]): Promise<string> {
  const file = await inputFile(input);
  return shared(`${slug(`${input.name} ${options.join(' ')}`)}.ref`, async (path) => {
    const { status, stderr } = await run('sort', [...options, file], { stdoutFile: path });
    if (status !== 0) throw new Error(`GNU sort ${options.join(' ')} failed: ${stderr}`);
  });
}

/** Fails with the position and context of the first difference: a diff of megabytes is unreadable. */
export function expectSameBytes(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return;
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at++;
  const line = expected.subarray(0, at).filter((byte) => byte === 10).length + 1;
  const near = (buffer: Buffer): string => JSON.stringify(buffer.toString('latin1', Math.max(0, at - 30), at + 60));
  expect.fail(
    `first difference at byte ${at} of ${expected.length}, line ${line} (${actual.length} bytes written)\n  got  ${near(actual)}\n  want ${near(expected)}`,
  );
}

/** Compares two files like `expectSameBytes`. */
export function expectSameFiles(actual: string, expected: string): void {
  expectSameBytes(readFileSync(actual), readFileSync(expected));
}

/** Expects the same status, standard output and messages. Only lines that start with `gpusort: ` count, not hints. */
export function sameAsGnu(ours: Outcome, gnu: Outcome): void {
  const messages = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('gpusort: '));
  expect({ status: ours.status, messages: messages(ours.stderr) }).toEqual({
    status: gnu.status,
    messages: messages(gnu.stderr),
  });
  expectSameBytes(ours.stdout, gnu.stdout);
}
