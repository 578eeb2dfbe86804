/**
 * The peak memory of a command while it runs, from Linux's /proc: the high-water mark of each process that it starts,
 * read repeatedly, and summed. Memory that a process allocates after the last read is missed. 0 on other systems.
 */
import { readFileSync } from 'node:fs';

const LOOK_MS = 20;

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Watches the process `pid` and its descendants.
 * @param {number} pid
 * @returns {() => number} ends this, and returns the sum of the peaks in bytes
 */
export function watchMemory(pid) {
  const peaks = new Map();
  const look = (process) => {
    const peak = /VmHWM:\s*(\d+) kB/.exec(read(`/proc/${process}/status`));
    if (peak !== null) peaks.set(process, Math.max(peaks.get(process) ?? 0, 1024 * Number(peak[1])));
    for (const child of read(`/proc/${process}/task/${process}/children`).split(' ').filter(Boolean)) look(child);
  };
  const timer = setInterval(look, LOOK_MS, String(pid));
  return () => {
    clearInterval(timer);
    return [...peaks.values()].reduce((sum, peak) => sum + peak, 0);
  };
}
