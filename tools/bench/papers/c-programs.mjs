/**
 * The programs in C that the papers compare with: compiled by `cc -O3` when they are first needed. Without a compiler,
 * what they measure is left out.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../measure.mjs';

/** Where programs are compiled to; made when it is first needed. */
let folder;
/** What became of each program. */
const found = new Map();

/**
 * A program of this folder.
 * @param {'merge' | 'qsort-lines'} name
 * @returns {{ path: string } | { missing: string }}
 */
export function findProgram(name) {
  if (!found.has(name)) found.set(name, compile(name));
  return found.get(name);
}

function compile(name) {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'gpusort-papers-c-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  const path = join(folder, name);
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url));
  const { status, error, stderr } = spawnSync('cc', ['-O3', '-pthread', '-o', path, source], { encoding: 'utf8' });
  if (error) return { missing: 'no C compiler (cc)' };
  return status === 0 ? { path } : { missing: `${name}.c does not compile: ${stderr.trim().split('\n')[0]}` };
}

/**
 * Times the merge of two runs in C, by each number of threads. Its output is checked there.
 * @param {'i32' | 'f32' | 'i64' | 'f64'} type
 * @param {{ n: number, share: number, runs: number, threads: readonly number[], limitSeconds: number }} how `share`: of
 *   all numbers, those of the first run
 * @returns {{ threads: number, ms: number }[] | { leftOut: string } | { error: string }}
 */
export function mergeInC(type, { n, share, runs, threads, limitSeconds }) {
  const program = findProgram('merge');
  if (program.missing !== undefined) return { leftOut: program.missing };
  const numbers = [n, Math.round(n * share), runs, ...threads];
  const { status, signal, stdout, stderr } = spawnSync(program.path, [type, ...numbers.map(String)], {
    encoding: 'utf8',
    timeout: limitSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  if (signal !== null) return { error: `not finished after ${limitSeconds} s` };
  if (status !== 0) return { error: stderr.trim() };
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [count, ...ms] = line.split(' ').map(Number);
      return { threads: count, ms: median(ms) };
    });
}
