/** Runs gpusort's command lines in this process. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsed, runHere } from '../support/in-process.js';
import { changed } from '../support/jobs.js';
import { type How, type Outcome, withDirectory } from './run.js';

/**
 * Runs the command line in this process: a process of its own takes a tenth of a second to start. Standard input cannot
 * be among its inputs.
 */
export async function gpusortHere(args: readonly string[], { cwd = '.', env = {} }: How = {}): Promise<Outcome> {
  const [directory, environmentBefore] = [process.cwd(), { ...process.env }];
  return withDirectory(async (place) => {
    const output = join(place, 'out');
    Object.assign(process.env, { LC_ALL: 'C', ...env });
    process.chdir(cwd);
    try {
      const { status, messages } = await runHere(
        () => parsed(args, 'gpusort', process.env.POSIXLY_CORRECT !== undefined),
        'gpusort',
        (job) => {
          if (job.input.files.includes(null)) throw new Error('standard input is that of the tests');
          return changed(job, { output: job.output.file ?? Buffer.from(output) });
        },
      );
      const stdout = existsSync(output) ? readFileSync(output, 'latin1') : '';
      return { status, signal: null, stdout, stderr: messages };
    } finally {
      process.chdir(directory);
      for (const name of Object.keys(process.env)) if (!(name in environmentBefore)) delete process.env[name];
      Object.assign(process.env, environmentBefore);
    }
  });
}
