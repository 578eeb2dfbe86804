/**
 * In a limited address space (ulimit -v), V8 cannot reserve the 10 GiB that it wants for each WebAssembly memory. Only
 * an option at the start of Node avoids this (Node 20 to 26). So the program restarts itself once with that option, and
 * stands in for the new process: it hands on its descriptors, passes on signals, and ends in the same way. The new
 * process reads its command line and environment from the /proc entry of this one, because Node would damage bytes that
 * are not UTF-8.
 */
import { spawn } from 'node:child_process';
import { formatBytes } from '../../report/units.js';
import { GpusortError, systemText } from '../../system/errors.js';
import { limits, TRAP_OPTION as OPTION } from '../../system/limits.js';
import { startedAs } from '../parse/argv.js';
import { givenDescriptors } from './descriptors.js';
import { dieOf, isDeadly, nodeOptions, passSignals } from './signals.js';

/** Variables that save address space in the new process: each arena of malloc reserves 64 MiB. */
const FRUGAL = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '4' };
/**
 * Descriptors from this number on are not passed on. All descriptors below the highest one passed on must be open in
 * the new process.
 */
const MOST_DESCRIPTORS = 64;
/** A signal ends the new process within a second. If it takes longer than this, it hangs. */
const STUCK_MS = 3000;

/** Runs the whole job in a new process. Resolves to its exit status, or dies of the same signal. */
export function restart(): Promise<number> {
  if (!process.allowedNodeEnvironmentFlags.has(OPTION)) {
    throw new GpusortError(
      'out-of-memory',
      `memory exhausted: Node ${process.versions.node} cannot sort in a limited address space`,
      { hint: 'Raise the limit (ulimit -v), or install Node 20.15, 22.2 or later.' },
    );
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeOptions(), OPTION, ...process.argv.slice(1)], {
      stdio: handedOn(),
      env: { ...process.env, ...FRUGAL, ...startedAs() },
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
      reject(
        new GpusortError('out-of-memory', `cannot restart in a limited address space: ${systemText(error)}`, {
          cause: error,
        }),
      );
    });
    child.on('exit', (status, signal) => {
      stop();
      if (signal === null) resolve(status ?? 0);
      else if (isDeadly(signal)) dieOf(signal);
      else if (signal === 'SIGKILL') process.kill(process.pid, signal);
      else reject(tooSmall());
    });
  });
}

/** The error if V8 ended the new process (ABRT, TRAP, ILL, SEGV), as it does if it cannot allocate its own memory. */
function tooSmall(): GpusortError {
  return new GpusortError(
    'out-of-memory',
    `memory exhausted: an address space of ${formatBytes(limits().addresses)} is too small`,
    {
      hint: 'Raise the limit (ulimit -v), or use a smaller -S.',
    },
  );
}

/**
 * The first three descriptors, and all others that this process inherited. File names may refer to them (/dev/fd/3),
 * also in a list of names or through a link.
 */
function handedOn(): ('ignore' | number)[] {
  const given = [...givenDescriptors()].filter((fd) => fd < MOST_DESCRIPTORS);
  return Array.from({ length: Math.max(2, ...given) + 1 }, (_, fd) => (fd <= 2 || given.includes(fd) ? fd : 'ignore'));
}
