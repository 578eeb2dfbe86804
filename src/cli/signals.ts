/**
 * Death by signal: temporary files are removed, then the process dies of the same signal, so that its parent sees what happened (a shell reports 128
 * and the signal's number: 130 for INT, 143 for TERM). A signal that the process was started with ignored stays ignored, if that can be seen:
 * Node resets it at its start, so the parent's own state has to tell (docs/reliability.md, "Signals").
 */
import { constants } from 'node:os';
import { fileSystem } from '../file-system.js';
import { runCleanups } from '../report/cleanup.js';
import { parentProcess } from './argv.js';

/** Whether the parent ignores a signal. */
type Ignores = (signal: NodeJS.Signals) => boolean;

/** The parent ignores the signal, so this process was most likely started with it ignored. */
const asParent = (ignores: Ignores, signal: NodeJS.Signals): boolean => ignores(signal);
/** Node and Python ignore these themselves, whatever they were started with, and start other programs without. */
const never = (): boolean => false;

/** The signals that end a process, except those of faults (SEGV and its like) and KILL; and whether each was ignored at the start. */
const SIGNALS = {
  SIGHUP: asParent,
  SIGINT: asParent,
  // bash always ignores QUIT itself; with INT it does so for jobs in the background, which are started with both ignored.
  SIGQUIT: (ignores: Ignores) => ignores('SIGQUIT') && ignores('SIGINT'),
  // Node would open its debugger.
  SIGUSR1: asParent,
  SIGUSR2: asParent,
  // Node ignores it: a closed pipe is an error of a write, and the program dies of PIPE then.
  SIGPIPE: never,
  SIGALRM: asParent,
  // Interactive shells ignore QUIT and TERM themselves, and start other programs without.
  SIGTERM: (ignores: Ignores) => ignores('SIGTERM') && !ignores('SIGQUIT'),
  SIGXCPU: asParent,
  SIGXFSZ: never,
  SIGVTALRM: asParent,
  SIGPROF: asParent,
  SIGIO: asParent,
} as const satisfies Partial<Record<NodeJS.Signals, (ignores: Ignores, signal: NodeJS.Signals) => boolean>>;

export type DeadlySignal = keyof typeof SIGNALS;

/** Who gets signals instead. */
let passing: ((signal: NodeJS.Signals) => void) | null = null;

/** Handles every signal of the table, from now on. */
export function installSignalHandlers(): void {
  const ignores = parentIgnores();
  dieWithStarter();
  for (const signal of Object.keys(SIGNALS) as DeadlySignal[]) {
    if (signal === 'SIGPROF' && isProfiled()) continue;
    const isIgnored = SIGNALS[signal](ignores, signal) || (signal === 'SIGHUP' && isUnderNohup());
    // After the first one, others find the cleanups done or under way, not the default action.
    process.on(signal, isIgnored ? () => {} : () => { if (passing === null) dieOf(signal); else passing(signal); });
  }
}

/** Runs the cleanups and ends the process by `signal`. */
export function dieOf(signal: DeadlySignal): never {
  runCleanups();
  // Taking the last listener away restores the signal's default action. Node ignores PIPE and XFSZ: they need one to be taken away.
  process.removeAllListeners(signal);
  process.once(signal, () => {});
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Only the first process of a container outlives that.
  process.exit(128 + constants.signals[signal]);
}

/** V8's profiler takes its samples by PROF. */
function isProfiled(): boolean {
  return [...process.execArgv, process.env['NODE_OPTIONS']].some((option) => /--(cpu-)?prof\b/.test(option ?? ''));
}

/** Whether a signal is one of the table. */
export const isDeadly = (signal: string): signal is DeadlySignal => signal in SIGNALS;

/** Gives the signals of the table to `pass` instead, but for those that are ignored; the returned function undoes it. */
export function passSignals(pass: (signal: NodeJS.Signals) => void): () => void {
  passing = pass;
  return () => { passing = null; };
}

/** A process that another one stands in for does not outlive that one. */
function dieWithStarter(): void {
  const { ppid } = process;
  if (parentProcess() !== ppid) setInterval(() => { if (process.ppid !== ppid) dieOf('SIGTERM'); }, 1000).unref();
}

/** nohup leaves its name in the shell's note of the command that it ran. */
function isUnderNohup(): boolean {
  return /(^|\/)nohup$/.test(process.env['_'] ?? '');
}

/** Reads which signals the parent ignores; none where there is no /proc. */
function parentIgnores(): Ignores {
  let mask = 0n;
  try {
    const status = fileSystem.readFileSync(`/proc/${parentProcess()}/status`).toString('latin1');
    mask = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  } catch { /* no /proc */ }
  return (signal) => (mask >> BigInt(constants.signals[signal] - 1) & 1n) === 1n;
}
