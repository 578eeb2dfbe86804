/**
 * Runs problems in child processes, each with a limit of time, and goes on behind one that hangs or crashes.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = join(dirname(fileURLToPath(import.meta.url)), 'child.mjs');

/** The line of what a process said in the end that tells most. */
function reasonOf(errors) {
  const lines = errors.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return lines.find((line) => /error|fatal|assert/i.test(line)) ?? lines[0] ?? '';
}

/**
 * Runs `problems` in one process until it ends or is ended.
 * @returns {Promise<{ ready: boolean, done: number, error: string | null }>} how many problems are over; with an error, the next one is
 *   why. Not ready: it found no device
 */
function runProcess(problems, { runs, copy, limitSeconds, onCopy, onFigures }) {
  return new Promise((resolve) => {
    // A process group of its own, so that nothing of a driver outlives it.
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* already gone */ } };
    process.on('exit', end);
    let [ready, done, late, errors, timer] = [false, 0, false, '', null];
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { late = true; end(); }, limitSeconds * 1000);
    };
    wait();
    createInterface({ input: child.stdout }).on('line', (text) => {
      // A driver may write there, too.
      if (!text.startsWith('{')) return;
      wait();
      const line = JSON.parse(text);
      ready ||= line.ready === true;
      if (line.copy !== undefined) onCopy(line.copy, line.timestamps);
      if (line.done === undefined) return;
      done = line.done + 1;
      onFigures(problems[line.done], line.figures);
    });
    child.stderr.on('data', (data) => { if (errors.length < 20_000) errors += data; });
    child.on('error', (error) => { errors = error.message; });
    child.stdin.on('error', () => { /* it ended before it read: told by its status */ });
    child.stdin.end(JSON.stringify({ problems, runs, copy }));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      const reason = late ? `not finished after ${limitSeconds} s` : `${signal ?? `status ${status}`}: ${reasonOf(errors)}`;
      resolve({ ready, done, error: status === 0 ? null : reason });
    });
  });
}

/**
 * Runs `problems`, whatever becomes of each; the larger sizes of a case whose process did not come to an end are left out. Throws where there is no device.
 * @param {readonly import('./measure.mjs').Problem[]} problems
 * @param {{ runs: number, copy: boolean, limitSeconds: number, onCopy: Function, onFigures: (problem: object, figures: object) => void }} options
 */
export async function runProblems(problems, options) {
  let left = problems;
  let { copy } = options;
  while (left.length > 0) {
    const { ready, done, error } = await runProcess(left, { ...options, copy });
    // What fails once there fails for every problem; later, it is the driver that did not recover yet.
    if (!ready && left === problems) throw new Error(error);
    copy = false;
    left = left.slice(done);
    if (error === null || left.length === 0) continue;
    // One that found the device lost said so itself, and ended its process with that.
    if (error.startsWith('status 3:') && done > 0) continue;
    const [bad] = left;
    options.onFigures(bad, { error });
    const others = (problem) => problem.case !== bad.case || problem.algorithm !== bad.algorithm;
    for (const problem of left.slice(1)) if (!others(problem)) options.onFigures(problem, { leftOut: `2^${bad.size} did not come to an end` });
    left = left.slice(1).filter(others);
  }
}
