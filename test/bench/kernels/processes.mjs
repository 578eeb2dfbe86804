/**
 * Runs problems in child processes, each with a limit of time, and goes on behind one that hangs or crashes.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = join(dirname(fileURLToPath(import.meta.url)), 'child.mjs');

/**
 * Runs `problems` in one process until it ends or is ended.
 * @returns {Promise<{ done: number, error: string | null }>} how many problems are over; with an error, the next one is why, too
 */
function runProcess(problems, { runs, copy, limitSeconds, onCopy, onFigures }) {
  return new Promise((resolve) => {
    // A process group of its own, so that nothing of a driver outlives it.
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* already gone */ } };
    process.on('exit', end);
    let [done, late, errors, timer] = [0, false, '', null];
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
      if (line.copy !== undefined) onCopy(line.copy, line.timestamps);
      if (line.done === undefined) return;
      done = line.done + 1;
      onFigures(problems[line.done], line.figures);
    });
    child.stderr.on('data', (data) => { errors = `${errors}${data}`.slice(-2000); });
    child.on('error', (error) => { errors = error.message; });
    child.stdin.on('error', () => { /* it ended before it read: told by its status */ });
    child.stdin.end(JSON.stringify({ problems, runs, copy }));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      const reason = late ? `not finished after ${limitSeconds} s` : `${signal ?? `status ${status}`}: ${errors.trim().split('\n').slice(-3).join(' ')}`;
      resolve({ done, error: status === 0 ? null : reason });
    });
  });
}

/**
 * Runs `problems`, whatever becomes of each; the larger sizes of a case whose process did not come to an end are left out.
 * @param {readonly import('./measure.mjs').Problem[]} problems
 * @param {{ runs: number, copy: boolean, limitSeconds: number, onCopy: Function, onFigures: (problem: object, figures: object) => void }} options
 */
export async function runProblems(problems, options) {
  let left = problems;
  let { copy } = options;
  const figuresOf = (problem, figures) => options.onFigures(problem, figures);
  while (left.length > 0) {
    let copied = false;
    const { done, error } = await runProcess(left, { ...options, copy, onCopy: (...figures) => { copied = true; options.onCopy(...figures); } });
    left = left.slice(done);
    // The copy is tried once: where it fails, so will the problems, and say why.
    if (copied || error !== null) copy = false;
    if (error === null || left.length === 0) continue;
    // One that found the device lost said so itself, and ended its process with that.
    if (error.startsWith('status 3:') && done > 0) continue;
    const [bad] = left;
    figuresOf(bad, { error });
    const others = (problem) => problem.case !== bad.case || problem.algorithm !== bad.algorithm;
    for (const problem of left.slice(1)) if (!others(problem)) figuresOf(problem, { leftOut: `2^${bad.size} did not come to an end` });
    left = left.slice(1).filter(others);
  }
}
