/**
 * Runs the whole job in a new process, with settings that count only at the start of Node, and stands in for it: hands
 * on the descriptors, passes on signals, and ends in the same way. The new process reads its command line and
 * environment from the /proc entry of this one, because Node would damage bytes that are not UTF-8.
 */
import { spawn } from 'node:child_process';
import { startedAs } from '../parse/argv.js';
import { givenDescriptors } from './descriptors.js';
import { dieOf, isDeadly, nodeOptions, passSignals } from './signals.js';

/**
 * Descriptors from this number on are not passed on. All descriptors below the highest one passed on must be open in
 * the new process.
 */
const MOST_DESCRIPTORS = 64;
/** A signal ends the new process within a second. If it takes longer than this, it hangs. */
const STUCK_MS = 3000;

/** How the new process ended. */
type Ended =
  | { readonly kind: 'exited'; readonly status: number }
  /** By a signal that V8 sends: ABRT, TRAP, ILL or SEGV. */
  | { readonly kind: 'crashed'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not started'; readonly error: Error };

/** Runs the job with these options of Node and variables. If another signal ends it, this process dies of that, too. */
export function standIn(options: readonly string[], variables: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...nodeOptions(), ...options, ...process.argv.slice(1)], {
      stdio: handedOn(),
      env: { ...process.env, ...variables, ...startedAs() },
    });
    const stop = passSignals((signal) => {
      child.kill(signal);
      setTimeout(() => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        if (isDeadly(signal)) dieOf(signal);
      }, STUCK_MS).unref();
    });
    child.on('error', (error) => {
      stop();
      resolve({ kind: 'not started', error });
    });
    child.on('exit', (status, signal) => {
      stop();
      if (signal === null) resolve({ kind: 'exited', status: status ?? 0 });
      else if (isDeadly(signal)) dieOf(signal);
      else if (signal === 'SIGKILL') process.kill(process.pid, signal);
      else resolve({ kind: 'crashed', signal });
    });
  });
}

/**
 * The first three descriptors, and all others that this process inherited. File names may refer to them (/dev/fd/3),
 * also in a list of names or through a link.
 */
function handedOn(): ('ignore' | number)[] {
  const given = [...givenDescriptors()].filter((fd) => fd < MOST_DESCRIPTORS);
  return Array.from({ length: Math.max(2, ...given) + 1 }, (_, fd) => (fd <= 2 || given.includes(fd) ? fd : 'ignore'));
}
