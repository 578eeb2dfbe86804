/**
 * Death by signal: what is temporary is removed first, then the process dies of that same signal, so that whoever waits for it
 * sees what happened (130 for INT, 143 TERM, 129 HUP, 141 PIPE in a shell).
 */
import { constants } from 'node:os';
import { fileSystem } from '../file-system.js';
import { runCleanups } from '../report/cleanup.js';

type DeadlySignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE';

/** Dies properly of INT, TERM and HUP. */
export function installSignalHandlers(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    if (signal === 'SIGHUP' && isHangupIgnored()) process.on(signal, () => {});
    // A second one finds cleanups done or under way, not the default action.
    else process.on(signal, () => dieOf(signal));
  }
}

/** Runs the cleanups and ends the process by `signal`. */
export function dieOf(signal: DeadlySignal): never {
  runCleanups();
  // Taking the last listener away restores the signal's default action; SIGPIPE, which Node ignores, needs one to be taken away.
  process.removeAllListeners(signal);
  process.once(signal, () => {});
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Only the first process of a container outlives that.
  process.exit(128 + constants.signals[signal]);
}

/**
 * Whether the program was started with HUP ignored, as by nohup. Node resets that at its start, so it is told by what is left:
 * the shell's note of the command it ran, or a parent that ignores HUP itself and so passed it on.
 */
function isHangupIgnored(): boolean {
  if (/(^|\/)nohup$/.test(process.env['_'] ?? '')) return true;
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)/m.exec(fileSystem.readFileSync(`/proc/${process.ppid}/status`).toString('latin1'));
    return ignored !== null && (BigInt(`0x${ignored[1]}`) >> BigInt(constants.signals.SIGHUP - 1) & 1n) === 1n;
  } catch {
    return false; // no /proc
  }
}
