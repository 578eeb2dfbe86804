/** The processor time of a process, from /proc. */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time of this process and of those of its children that have ended, with theirs. Null where /proc
 * is missing.
 * @returns {number | null}
 */
export function processorSeconds() {
  if (process.platform !== 'linux') return null;
  const line = readFileSync('/proc/self/stat', 'latin1');
  // utime, stime, cutime and cstime are fields 14 to 17; the name in field 2 may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}
