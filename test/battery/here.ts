/**
 * Runs gpusort like runner.ts, but in the test's own process. There, jobs on the GPU engine share a device and its
 * compiled kernels (one-gpu.ts). A separate process takes a tenth of a second to start, and seconds on a software GPU.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsed, runHere } from '../support/in-process.js';
import { NIGHTLY } from '../support/tier.js';
import { freshDirectory, gpusort, type Outcome, type RunOptions } from './runner.js';

type HereOptions = Pick<RunOptions, 'cwd' | 'stdin'>;
/** Runs gpusort with arguments. */
export type Sort = (args: readonly string[], options?: HereOptions) => Promise<Outcome>;

/**
 * Runs an engine in this process. Separate processes are used at night, for another executable, and on the CPU engine
 * for standard input, which is a pipe there.
 */
export function sortOn(engine: string): Sort {
  const { GPUSORT_TEST_BIN } = process.env;
  const always = NIGHTLY || GPUSORT_TEST_BIN !== undefined;
  return (args, options) => {
    const process = always || (engine === 'cpu' && options?.stdin !== undefined);
    return (process ? gpusort : sortHere)(['--engine', engine, ...args], options);
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
      () => parsed(args, 'gpusort'),
      'gpusort',
      (job) => ({
        ...job,
        inputs: job.inputs.map((name) => name ?? Buffer.from(input)),
        output: job.output ?? Buffer.from(output),
      }),
    );
    return { status, stdout: readFileSync(output), stderr: messages };
  } finally {
    process.chdir(home);
  }
}
