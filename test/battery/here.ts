/**
 * Runs gpusort like runner.ts, but in the test's own process. There, jobs on the GPU engine share a device and its
 * compiled kernels (test/support/one-gpu.ts). A separate process takes a tenth of a second to start, and seconds on a
 * software GPU.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parsed, runHere } from '../support/in-process.js';
import { changed } from '../support/jobs.js';
import { NIGHTLY } from '../support/tier.js';
import { expectSameBytes, freshDirectory, gpusort, type Outcome, type RunOptions, script } from './runner.js';

type HereOptions = Pick<RunOptions, 'cwd' | 'stdin'>;
/** Runs gpusort with arguments. */
export type Sort = (args: readonly string[], options?: HereOptions) => Promise<Outcome>;

/** Whether this run of tests starts a process for each sort: at night, and to test another executable. */
export const SEPARATE = NIGHTLY || process.env.GPUSORT_TEST_BIN !== undefined;

/**
 * Runs an engine in this process. Separate processes are used at night, for another executable, and on the CPU engine
 * for standard input, which is a pipe there.
 */
export function sortOn(engine: string): Sort {
  return (args, options) => {
    const isSeparate = SEPARATE || (engine === 'cpu' && options?.stdin !== undefined);
    return (isSeparate ? gpusort : sortHere)(['--engine', engine, ...args], options);
  };
}

/** Runs gpusort in this process, on either engine. Files replace standard input and standard output. */
export async function sortHere(
  args: readonly string[],
  { cwd, stdin = Buffer.alloc(0) }: HereOptions = {},
): Promise<Outcome> {
  const directory = freshDirectory('here');
  const [input, output] = [join(directory, 'in'), join(directory, 'out')];
  writeFileSync(input, stdin);
  writeFileSync(output, '');
  const home = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const { status, messages } = await runHere(
      // The program's own arguments have one character a byte.
      () =>
        parsed(
          args.map((word) => Buffer.from(word).toString('latin1')),
          'gpusort',
        ),
      'gpusort',
      (job) =>
        changed(job, {
          inputs: job.input.files.map((name) => name ?? Buffer.from(input)),
          output: job.output.file ?? Buffer.from(output),
        }),
    );
    return { status, stdout: readFileSync(output), stderr: messages };
  } finally {
    process.chdir(home);
  }
}

/** Words without anything that a shell expands. */
const PLAIN = /^gpusort( [\w./,:=#+-]+)*$/;

/** Whether a line of a shell is one run of gpusort with nothing to expand. */
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** Runs a line of a shell (runner.ts: script); in this process if it is nothing but gpusort and plain words. */
export function commandLine(text: string, cwd: string): Promise<Outcome> {
  return !SEPARATE && isPlain(text) ? sortHere(text.split(' ').slice(1), { cwd }) : script(text, { cwd });
}

/** Expects a line of a shell to print what another prints, and nothing to standard error. */
export async function expectSameOutput(ours: string, reference: string, cwd: string): Promise<void> {
  const actual = await commandLine(ours, cwd);
  expect({ ours, status: actual.status, stderr: actual.stderr }).toEqual({ ours, status: 0, stderr: '' });
  expectSameBytes(actual.stdout, (await script(reference, { cwd })).stdout);
}

/** Expects a line of a shell to fail with status 2 and this first line of standard error. */
export async function expectRefusal(ours: string, message: string, cwd: string): Promise<Outcome> {
  const outcome = await commandLine(ours, cwd);
  const [first] = outcome.stderr.split('\n');
  expect({ ours, status: outcome.status, message: first }).toEqual({ ours, status: 2, message: `gpusort: ${message}` });
  return outcome;
}
