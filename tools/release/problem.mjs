import { spawnSync } from 'node:child_process';

/** A problem of a release that its user can solve. It is reported without a stack. */
export class ReleaseProblem extends Error {}

/** The output of a command. Throws a ReleaseProblem if it fails. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new ReleaseProblem(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
