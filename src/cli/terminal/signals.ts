/**
 * Death by signal. The process removes its temporary files, then dies of the same signal, which its parent can see: a
 * shell reports 128 plus the signal's number (130 for INT, 143 for TERM). A signal that was ignored when the process
 * started stays ignored. Node resets that when it starts, so it is inferred from the parent's own signals, if they can
 * be read (docs/reliability.md, "Signals").
 */
import type * as Inspector from 'node:inspector';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { runCleanups } from '../../report/cleanup.js';
import { fileSystem } from '../../system/file-system.js';
import { isLinux, isMac, isWindows } from '../../system/platform.js';
import { parentProcess } from '../parse/argv.js';

/** Whether the parent ignores a signal. */
type Ignores = (signal: NodeJS.Signals) => boolean;

/** If the parent ignores the signal, this process was most likely started with it ignored. */
const asParent = (ignores: Ignores, signal: NodeJS.Signals): boolean => ignores(signal);
/**
 * Node, Python and Rust ignore PIPE and XFSZ themselves, but restore them in the programs that they start. Shells do
 * not.
 */
const asShell = (ignores: Ignores, signal: NodeJS.Signals): boolean => ignores(signal) && isParentShell();
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
  // Node ignores PIPE, so a write to a closed pipe fails. The program then dies of PIPE, or reports the error.
  SIGPIPE: asShell,
  SIGALRM: asParent,
  // Interactive shells ignore QUIT and TERM themselves, but do not start other programs with them ignored.
  SIGTERM: (ignores: Ignores) => ignores('SIGTERM') && !ignores('SIGQUIT'),
  SIGXCPU: asParent,
  SIGXFSZ: asShell,
  SIGVTALRM: asParent,
  SIGPROF: asParent,
  SIGIO: asParent,
  // Ctrl-Break on Windows.
  SIGBREAK: never,
} as const satisfies Partial<Record<NodeJS.Signals, (ignores: Ignores, signal: NodeJS.Signals) => boolean>>;

type DeadlySignal = keyof typeof SIGNALS;

/** The signals that are ignored. */
const ignored = new Set<NodeJS.Signals>();
/** Whether PIPE is left to the write that fails. */
let survivesPipes = false;

/** If set, receives the signals instead of the default handlers. */
let passing: ((signal: NodeJS.Signals) => void) | null = null;

/** Handles every signal of the table from now on. */
export function installSignalHandlers(): void {
  dieWithStarter();
  for (const signal of handled()) process.on(signal, receive);
  for (const signal of ignoredAtStart()) ignored.add(signal);
  for (const ms of DEBUGGER_MS) setTimeout(refuseDebugger, ms).unref();
}

/**
 * The signals that get a handler, including ignored ones: a second one must not end the program during its cleanups.
 */
const handled = (): DeadlySignal[] =>
  (Object.keys(SIGNALS) as DeadlySignal[]).filter(
    (signal) => isFatalHere(signal) && !(signal === 'SIGPROF' && isProfiled()),
  );

/** The signals with which this process was started ignored, as far as that can be determined. */
function ignoredAtStart(): DeadlySignal[] {
  const ignores = parentIgnores();
  return handled().filter((signal) => SIGNALS[signal](ignores, signal) || (signal === 'SIGHUP' && isUnderNohup()));
}

/**
 * Whether signals have their default effects as long as no handlers are installed, because none was ignored when this
 * process started. A process without handlers may wait in a call and still be ended. Known on Linux only.
 */
export function diesLikeOthers(): boolean {
  if (!isLinux() || isStartedByOwn() || ignoredAtStart().some((signal) => signal !== 'SIGPIPE')) return false;
  // Removes the listener of bin/gpusort.cjs, which keeps USR1 from opening Node's debugger.
  process.removeAllListeners('SIGUSR1');
  return true;
}

function receive(signal: DeadlySignal): void {
  if (ignored.has(signal) || (signal === 'SIGPIPE' && survivesPipes)) return;
  if (passing === null) dieOf(signal);
  else passing(signal);
}

/** Whether the process was started with the signal ignored, as far as that can be determined. */
export const isIgnored = (signal: DeadlySignal): boolean => ignored.has(signal);

/**
 * Keeps PIPE from ending the process from now on, because it writes to other processes, which may end before they have
 * read everything. Their exit status shows whether that is an error. A write to a closed output still fails.
 */
export function survivePipes(): void {
  survivesPipes = true;
}

/**
 * Milliseconds after which to look for a debugger. Until bin/gpusort.cjs handles USR1, that signal makes a thread of
 * Node open a debugger a little later.
 */
const DEBUGGER_MS = [10, 50, 200, 1000] as const;

/** Closes a debugger that USR1 opened, and handles the signal as if it had come later. */
export function refuseDebugger(): void {
  if (!mayListen() || isDebuggerWanted()) return;
  // Loading it takes 2 ms.
  const inspector = createRequire(import.meta.url)('node:inspector') as typeof Inspector;
  if (inspector.url() === undefined) return;
  inspector.close();
  receive('SIGUSR1');
}

const isDebuggerWanted = (): boolean =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes('--inspect'));

/**
 * The last of the standard streams. Node opens them at the start if they are closed, so they are never a debugger's.
 */
const STANDARD_ERROR = 2;

/** Whether a debugger may be listening: whether /proc shows an open socket. */
function mayListen(): boolean {
  try {
    return fileSystem.readdirSync('/proc/self/fd').some((fd) => Number(fd) > STANDARD_ERROR && isSocket(fd));
  } catch {
    return true; // no /proc
  }
}

function isSocket(fd: Buffer): boolean {
  try {
    return fileSystem.readlinkSync(`/proc/self/fd/${fd}`).toString('latin1').startsWith('socket:');
  } catch {
    return false; // closed in the meantime
  }
}

/** Whether this system has the signal, and the signal ends a process that does not handle it. macOS discards IO. */
function isFatalHere(signal: DeadlySignal): boolean {
  return constants.signals[signal] !== undefined && !(signal === 'SIGIO' && isMac());
}

/** The number of PIPE, which Windows does not have. */
const PIPE = 13;

/**
 * Runs the cleanups and ends the process by `signal`. Windows has no death by signal, and kill() would end the process
 * with status 1, which -c uses for disorder. So on Windows the process exits with the status that shells report.
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
  // Reached only by the first process of a container.
  process.exit(128 + constants.signals[signal]);
}

/** Whether V8's profiler runs, which uses PROF. */
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

/** Options of Node for a process of gpusort that this one starts. */
export function nodeOptions(): string[] {
  const { execArgv, allowedNodeEnvironmentFlags } = process;
  const isNew = allowedNodeEnvironmentFlags.has(NO_DEBUGGER) && !execArgv.includes(NO_DEBUGGER);
  return isNew ? [...execArgv, NO_DEBUGGER] : execArgv;
}
/** Keeps USR1 from opening a debugger. Exists from Node 22.14 and 23.7 on. */
const NO_DEBUGGER = '--disable-sigusr1';

/** The variable with the number of the process that this one must not outlive. */
const CLIENT = 'GPUSORT_CLIENT';

/** Environment variables for a process that must not outlive this one. */
export function endsWithThis(): Readonly<Record<string, string>> {
  return { [CLIENT]: String(process.pid) };
}

/** Whether another process of gpusort started this one, which must end with it. */
const isStartedByOwn = (): boolean => process.env[CLIENT] !== undefined || parentProcess() !== process.ppid;

/** Makes a process die when its parent does, if stand-in.ts started it or if it is a task of `--cluster local:N`. */
function dieWithStarter(): void {
  const { ppid } = process;
  const client = process.env[CLIENT];
  // Processes that this one starts have another parent.
  delete process.env[CLIENT];
  const starter = parentProcess();
  // The client may have ended already.
  if (client !== undefined && starter !== Number(client)) dieOf('SIGTERM');
  if (starter !== ppid || client !== undefined)
    setInterval(() => {
      if (process.ppid !== ppid) dieOf('SIGTERM');
    }, 1000).unref();
}

/**
 * Whether nohup started the program: the shell stores the command that it ran in `_`, and nohup leaves that unchanged.
 */
function isUnderNohup(): boolean {
  return /(^|\/)nohup$/.test(process.env._ ?? '');
}

/** Whether a shell started the program. */
function isParentShell(): boolean {
  try {
    const name = fileSystem.readFileSync(`/proc/${parentProcess()}/comm`).toString('latin1').trimEnd();
    return /^(?:a|ba|da|k|mk|z)?sh$|^busybox$/.test(name);
  } catch {
    return false; // no /proc
  }
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
