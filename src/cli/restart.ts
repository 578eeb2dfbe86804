/**
 * Under a limit of addresses (ulimit -v) V8 cannot reserve the 10 GiB that it wants for each memory of WebAssembly. An option of Node makes it do without; nothing
 * in a running process does (Node 20 to 24). So the program starts itself again with that option, once, and stands in for the new process: the same descriptors,
 * signals passed on, the same end. The new process reads its command line and environment from this one's /proc, since Node would change bytes that are no UTF-8.
 */
import { spawn } from 'node:child_process';
import { limits, TRAP_OPTION as OPTION } from '../limits.js';
import { GpusortError, systemText } from '../report/errors.js';
import { startedAs } from './argv.js';
import { dieOf, isDeadly, passSignals } from './signals.js';

/** What threads of the new process take less of: arenas of malloc have 64 MiB of addresses each. */
const FRUGAL = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '4' };
/** Descriptors up to here are closed in new processes unless they are handed on. */
const MOST_DESCRIPTORS = 64;

/** Does the whole job in a new process; resolves to its exit status, or dies of the signal that it died of. */
export function restart(): Promise<number> {
  if (!process.allowedNodeEnvironmentFlags.has(OPTION)) {
    throw new GpusortError('out-of-memory', `memory exhausted: the address space is limited, and Node ${process.versions.node} cannot sort so`,
      { hint: 'Raise the limit (ulimit -v), or install Node 20.15, 22.2 or later.' });
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, OPTION, ...process.argv.slice(1)],
      { stdio: handedOn(), env: { ...process.env, ...FRUGAL, ...startedAs() } });
    const stop = passSignals((signal) => { child.kill(signal); });
    child.on('error', (error) => { reject(new GpusortError('out-of-memory', `cannot start again under a limit of addresses: ${systemText(error)}`, { cause: error })); });
    child.on('exit', (status, signal) => {
      stop();
      if (signal === null) resolve(status ?? 0);
      else if (isDeadly(signal)) dieOf(signal);
      else if (signal === 'SIGKILL') process.kill(process.pid, signal);
      else reject(tooSmall());
    });
  });
}

/** V8 ends the process (ABRT, TRAP, ILL, SEGV) if it gets no memory for itself. */
function tooSmall(): GpusortError {
  const limit = Math.round(limits().addresses / 2 ** 20);
  return new GpusortError('out-of-memory', `memory exhausted: an address space of ${limit} MiB is too small`, { hint: 'Raise the limit (ulimit -v), or give a smaller -S.' });
}

/** The first three descriptors, and those that arguments name as /dev/fd/N. */
function handedOn(): ('inherit' | 'ignore' | number)[] {
  const named = process.argv.flatMap((word) => [...word.matchAll(/\/(?:dev|proc\/self)\/fd\/([0-9]+)/g)].map((match) => Number(match[1])));
  const most = Math.max(2, ...named.filter((fd) => fd < MOST_DESCRIPTORS));
  return Array.from({ length: most + 1 }, (_, fd) => (fd <= 2 || named.includes(fd) ? fd : 'ignore'));
}
