/**
 * gpusort as runner.ts runs it, but within this process: jobs on the GPU engine have the kernels that they share compiled once there, on one device
 * (one-gpu.ts). A process of its own takes seconds for those of a single job.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsed, runHere } from '../support/in-process.js';
import { freshDirectory, gpusort, type Outcome, type RunOptions } from './runner.js';

/** What runs gpusort with arguments. */
export type Sort = (args: readonly string[], options?: Pick<RunOptions, 'cwd' | 'stdin'>) => Promise<Outcome>;

/** Processes for the CPU engine, and for all at night or where another executable is tested. */
export function sortOn(engine: string): Sort {
  const processes = engine === 'cpu' || process.env.GPUSORT_NIGHTLY === '1' || process.env.GPUSORT_TEST_BIN !== undefined;
  return (args, options) => (processes ? gpusort : sortHere)(['--engine', engine, ...args], options);
}

/** A sort in this process, whatever the engine. What would come through standard input comes from a file; what would be written to standard output is read back from one. */
export async function sortHere(args: readonly string[], { cwd, stdin = Buffer.alloc(0) }: Pick<RunOptions, 'cwd' | 'stdin'> = {}): Promise<Outcome> {
  const directory = freshDirectory('here');
  const [input, output] = [join(directory, 'in'), join(directory, 'out')];
  writeFileSync(input, stdin);
  writeFileSync(output, '');
  const home = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const { status, messages } = await runHere(() => parsed(args, 'gpusort'), 'gpusort',
      (job) => ({ ...job, inputs: job.inputs.map((name) => name ?? Buffer.from(input)), output: job.output ?? Buffer.from(output) }));
    return { status, stdout: readFileSync(output), stderr: messages };
  } finally {
    process.chdir(home);
  }
}
