/**
 * Under a limit of addresses (ulimit -v) V8 cannot reserve the 10 GiB that it wants for each memory of WebAssembly. An option of Node makes it do without; nothing
 * in a running process does (Node 20 to 24). So the program starts itself again with that option, once, and stands in for the new process: the same descriptors,
 * signals passed on, the same end. The new process reads its command line and environment from this one's /proc, since Node would change bytes that are no UTF-8.
 */
import { spawn } from 'node:child_process';
import { fileSystem } from '../file-system.js';
import { limits, TRAP_OPTION as OPTION } from '../limits.js';
import { GpusortError, systemText } from '../report/errors.js';
import { startedAs } from './argv.js';
import { dieOf, isDeadly, passSignals } from './signals.js';

/** What threads of the new process take less of: arenas of malloc have 64 MiB of addresses each. */
const FRUGAL = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '4' };
/** Descriptors from here on are not handed on: all below must then be open in the new process. */
const MOST_DESCRIPTORS = 64;
/** The new process ends within a second of a signal that ends gpusort; one that does not is stuck. */
const STUCK_MS = 3000;

/** Does the whole job in a new process; resolves to its exit status, or dies of the signal that it died of. */
export function restart(): Promise<number> {
  if (!process.allowedNodeEnvironmentFlags.has(OPTION)) {
    throw new GpusortError('out-of-memory', `memory exhausted: the address space is limited, and Node ${process.versions.node} cannot sort so`,
      { hint: 'Raise the limit (ulimit -v), or install Node 20.15, 22.2 or later.' });
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, OPTION, ...process.argv.slice(1)],
      { stdio: handedOn(), env: { ...process.env, ...FRUGAL, ...startedAs() } });
    const stop = passSignals((signal) => {
      child.kill(signal);
      setTimeout(() => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        if (isDeadly(signal)) dieOf(signal);
      }, STUCK_MS).unref();
    });
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

/** The first three descriptors, and all others that this process was given: names may lead to them, also from a list or behind a link. */
function handedOn(): ('ignore' | number)[] {
  const open = fileSystem.readdirSync('/proc/self/fd').map(Number).filter((fd) => fd > 2 && fd < MOST_DESCRIPTORS).flatMap(descriptor);
  // Node closes what it was given in new processes, as its own: so only what a descriptor leads to shows whose it is. Of Node's own pipes both ends are open here.
  const isGiven = ({ target, mode }: Descriptor): boolean => !target.startsWith('anon_inode:')
    && !(target.startsWith('pipe:') && open.some((other) => other.target === target && other.mode !== mode));
  const given = open.filter(isGiven).map(({ fd }) => fd);
  return Array.from({ length: Math.max(2, ...given) + 1 }, (_, fd) => (fd <= 2 || given.includes(fd) ? fd : 'ignore'));
}

/** An open descriptor: what it leads to, and whether for reading, writing or both. */
interface Descriptor { readonly fd: number; readonly target: string; readonly mode: string }

function descriptor(fd: number): Descriptor[] {
  try {
    const target = fileSystem.readlinkSync(`/proc/self/fd/${fd}`).toString('latin1');
    const mode = /^flags:\s*[0-7]*([0-7])$/m.exec(fileSystem.readFileSync(`/proc/self/fdinfo/${fd}`).toString('latin1'))?.[1] ?? '';
    return [{ fd, target, mode }];
  } catch {
    return []; // the one by which the list was read
  }
}
