/** Runs problems in child processes, each with a time limit, and continues after one that hangs or crashes. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = join(dirname(fileURLToPath(import.meta.url)), 'child.mjs');
const REGISTRY = new URL('./algorithms.mjs', import.meta.url).href;

/** The most informative line that a process wrote to standard error. */
function reasonOf(errors) {
  const lines = errors
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => /error|fatal|assert/i.test(line)) ?? lines[0] ?? '';
}

/**
 * Runs `problems` in one process until it ends or is killed.
 * @returns {Promise<{ ready: boolean, done: number, error: string | null }>} `done`: how many problems are over. With
 *   an error, the next problem caused it. Not `ready`: there is no device
 */
function runProcess(problems, { runs, copy, cub = null, limitSeconds, onCopy, onFigures, registry = REGISTRY }) {
  return new Promise((resolve) => {
    // A process group of its own, so that nothing that a driver starts outlives it.
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        /* already gone */
      }
    };
    process.on('exit', end);
    let [ready, done, late, errors, timer] = [false, 0, false, '', null];
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        late = true;
        end();
      }, limitSeconds * 1000);
    };
    wait();
    createInterface({ input: child.stdout }).on('line', (text) => {
      // A driver may write to standard output, too.
      if (!text.startsWith('{')) return;
      wait();
      const line = JSON.parse(text);
      ready ||= line.ready === true;
      if (line.copy !== undefined) onCopy(line.copy, line.timestamps);
      if (line.done === undefined) return;
      done = line.done + 1;
      onFigures(problems[line.done], line.figures);
    });
    child.stderr.on('data', (data) => {
      if (errors.length < 20_000) errors += data;
    });
    child.on('error', (error) => {
      errors = error.message;
    });
    child.stdin.on('error', () => {
      /* the child ended before it read: its status says so */
    });
    child.stdin.end(JSON.stringify({ problems, runs, copy, cub, registry }));
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      const reason = late
        ? `not finished after ${limitSeconds} s`
        : `${signal ?? `status ${status}`}: ${reasonOf(errors)}`;
      resolve({ ready, done, error: status === 0 ? null : reason });
    });
  });
}

/**
 * Runs all `problems`, even if some fail. If a problem's process fails, larger sizes of its case are left out.
 * Throws if there is no device.
 * @param {readonly import('./measure.mjs').Problem[]} problems
 * @param {{ runs: number, copy: boolean, cub?: string | null, limitSeconds: number, onCopy: Function, onFigures:
 *   (problem: object, figures: object) => void, registry?: string }} options `cub`: the program that runs CUB beside the
 *   problems (cub.mjs); default: none. `registry`: the URL of the module that lists the algorithms
 */
export async function runProblems(problems, options) {
  let left = problems;
  let { copy } = options;
  while (left.length > 0) {
    const { ready, done, error } = await runProcess(left, { ...options, copy });
    // A failure of the first process would recur for every problem. Later, the driver has only not recovered yet.
    if (!ready && left === problems) throw new Error(error);
    copy = false;
    left = left.slice(done);
    if (error === null || left.length === 0) continue;
    // Status 3: the process reported the loss of its device with the last problem's figures, and ended because of it.
    if (error.startsWith('status 3:') && done > 0) continue;
    const [bad] = left;
    options.onFigures(bad, { error });
    const others = (problem) => problem.case !== bad.case || problem.algorithm !== bad.algorithm;
    for (const problem of left.slice(1))
      if (!others(problem)) options.onFigures(problem, { leftOut: `2^${bad.size} did not come to an end` });
    left = left.slice(1).filter(others);
  }
}
