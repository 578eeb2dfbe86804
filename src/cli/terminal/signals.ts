/**
 * Death by signal. The process removes its temporary files, then dies of the same signal, so that its parent sees what
 * happened: a shell reports 128 plus the signal's number (130 for INT, 143 for TERM). A signal that was ignored when
 * the process started stays ignored. Node resets that at its start, so the parent's own signals show it, if they can be
 * read (docs/reliability.md, "Signals").
 */
import { constants } from 'node:os';
import { fileSystem } from '../../file-system.js';
import { isMac, isWindows } from '../../platform.js';
import { runCleanups } from '../../report/cleanup.js';
import { parentProcess } from '../parse/argv.js';

/** Whether the parent ignores a signal. */
type Ignores = (signal: NodeJS.Signals) => boolean;

/** If the parent ignores the signal, this process was most likely started with it ignored. */
const asParent = (ignores: Ignores, signal: NodeJS.Signals): boolean => ignores(signal);
/** Node and Python ignore these signals themselves, but do not start other programs with them ignored. */
const never = (): boolean => false;

/**
 * The signals that end a process on some system, and whether each was ignored at the start. KILL and faults such as
 * SEGV are left out.
 */
const SIGNALS = {
  SIGHUP: asParent,
  SIGINT: asParent,
  // bash always ignores QUIT itself, but INT only for background jobs, which start with both ignored.
  SIGQUIT: (ignores: Ignores) => ignores('SIGQUIT') && ignores('SIGINT'),
  // By default Node opens its debugger.
  SIGUSR1: asParent,
  SIGUSR2: asParent,
  // Node ignores it: a write to a closed pipe fails, and the program then dies of PIPE.
  SIGPIPE: never,
  SIGALRM: asParent,
  // Interactive shells ignore QUIT and TERM themselves, but do not start other programs with them ignored.
  SIGTERM: (ignores: Ignores) => ignores('SIGTERM') && !ignores('SIGQUIT'),
  SIGXCPU: asParent,
  SIGXFSZ: never,
  SIGVTALRM: asParent,
  SIGPROF: asParent,
  SIGIO: asParent,
  // Ctrl-Break on Windows.
  SIGBREAK: never,
} as const satisfies Partial<Record<NodeJS.Signals, (ignores: Ignores, signal: NodeJS.Signals) => boolean>>;

type DeadlySignal = keyof typeof SIGNALS;

/** Receives the signals instead, if set. */
let passing: ((signal: NodeJS.Signals) => void) | null = null;

/** Handles every signal of the table from now on. */
export function installSignalHandlers(): void {
  const ignores = parentIgnores();
  dieWithStarter();
  for (const signal of Object.keys(SIGNALS) as DeadlySignal[]) {
    if (!isFatalHere(signal) || (signal === 'SIGPROF' && isProfiled())) continue;
    const isIgnored = SIGNALS[signal](ignores, signal) || (signal === 'SIGHUP' && isUnderNohup());
    // The handler stays: a second signal must not end the process in the middle of the cleanups.
    process.on(
      signal,
      isIgnored
        ? () => {}
        : () => {
            if (passing === null) dieOf(signal);
            else passing(signal);
          },
    );
  }
}

/** Whether this system has the signal, and it ends a process that does not handle it. macOS discards IO. */
function isFatalHere(signal: DeadlySignal): boolean {
  return constants.signals[signal] !== undefined && !(signal === 'SIGIO' && isMac());
}

/** The number of PIPE, which Windows does not have. */
const PIPE = 13;

/**
 * Runs the cleanups and ends the process by `signal`. Windows has no death by signal, and kill() would end the process
 * with status 1, which -c gives to disorder: there the status is the one that shells report.
 */
export function dieOf(signal: DeadlySignal): never {
  runCleanups();
  if (isWindows()) process.exit(128 + (constants.signals[signal] ?? PIPE));
  // Removing the last listener restores the default action. Node ignores PIPE and XFSZ, so a listener must be added
  // first.
  process.removeAllListeners(signal);
  process.once(signal, () => {});
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Only the first process of a container survives that.
  process.exit(128 + constants.signals[signal]);
}

/** V8's profiler samples by PROF. */
function isProfiled(): boolean {
  return [...process.execArgv, process.env.NODE_OPTIONS].some((option) => /--(cpu-)?prof\b/.test(option ?? ''));
}

/** Whether the table has this signal. */
export const isDeadly = (signal: string): signal is DeadlySignal => signal in SIGNALS;

/** Passes the signals that are not ignored to `pass` instead. The returned function undoes it. */
export function passSignals(pass: (signal: NodeJS.Signals) => void): () => void {
  passing = pass;
  return () => {
    passing = null;
  };
}

/** The process whose end ends this one. */
const CLIENT = 'GPUSORT_CLIENT';

/** Variables for the environment of a process that must not outlive this one. */
export function endsWithThis(): Readonly<Record<string, string>> {
  return { [CLIENT]: String(process.pid) };
}

/** A process that restart.ts started dies when its parent does, and so does a task of `--cluster local:N`. */
function dieWithStarter(): void {
  const { ppid } = process;
  const client = process.env[CLIENT];
  // What this process starts has another parent.
  delete process.env[CLIENT];
  const starter = parentProcess();
  // The client may have ended already.
  if (client !== undefined && starter !== Number(client)) dieOf('SIGTERM');
  if (starter !== ppid || client !== undefined)
    setInterval(() => {
      if (process.ppid !== ppid) dieOf('SIGTERM');
    }, 1000).unref();
}

/** The shell notes the command that it ran in `_`, and nohup leaves that as it is. */
function isUnderNohup(): boolean {
  return /(^|\/)nohup$/.test(process.env._ ?? '');
}

/** Reads which signals the parent ignores; none if there is no /proc. */
function parentIgnores(): Ignores {
  let mask = 0n;
  try {
    const status = fileSystem.readFileSync(`/proc/${parentProcess()}/status`).toString('latin1');
    mask = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  } catch {
    /* no /proc */
  }
  return (signal) => ((mask >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}
