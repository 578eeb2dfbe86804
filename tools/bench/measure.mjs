/** Runs and times commands, compares files, and describes the machine. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchMemory } from './peak-memory.mjs';

/**
 * The environment of commands. If NODE_EXTRA_CA_CERTS is set, Node reads the certificates at every start: 38 ms for a
 * usual list, which has nothing to do with sorting.
 */
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const ENVIRONMENT = { ...environment, LC_ALL: 'C' };

/**
 * Runs one command in its own process group: no part of a pipeline outlives it.
 * @param {readonly string[]} argv
 * @param {{ stdout?: string, limitSeconds: number, onMemory?: (peak: number) => void }} how `stdout`: the file for
 *   standard output; `onMemory` takes the peak memory in bytes
 * @returns {Promise<number>} seconds from start to end
 */
export function timeCommand(argv, { stdout = '/dev/null', limitSeconds, onMemory }) {
  return new Promise((resolve, reject) => {
    const out = openSync(stdout, 'w');
    const begin = process.hrtime.bigint();
    const child = spawn(argv[0], argv.slice(1), { env: ENVIRONMENT, stdio: ['ignore', out, 'pipe'], detached: true });
    const memory = onMemory && child.pid !== undefined ? watchMemory(child.pid) : null;
    let errors = '';
    let late = false;
    const endAll = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        /* already gone, or never there */
      }
    };
    const onExit = () => endAll('SIGTERM');
    process.on('exit', onExit);
    const timer = setTimeout(() => {
      late = true;
      endAll('SIGKILL');
    }, limitSeconds * 1000);
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.on('error', (error) => {
      memory?.();
      reject(error);
    });
    child.on('close', (status, signal) => {
      const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
      process.off('exit', onExit);
      clearTimeout(timer);
      closeSync(out);
      if (memory !== null) onMemory(memory());
      if (late) reject(new Error(`not finished after ${limitSeconds} s`));
      else if (status !== 0) reject(new Error(`${signal ?? `status ${status}`}: ${errors.trim().slice(0, 500)}`));
      else resolve(seconds);
    });
  });
}

/** Whether `cmp` finds that two files hold the same bytes. */
export function sameFiles(a, b) {
  return spawnSync('cmp', ['-s', a, b]).status === 0;
}

/**
 * Whether `output` is as long as the inputs and in order. GNU sort checks the order, or gpusort's own -C if the row has
 * an option that only gpusort takes. The order of -R cannot be checked.
 */
export function inOrder(inputs, output, { own, order, plain }) {
  if (inputs.reduce((sum, input) => sum + statSync(input).size, 0) !== statSync(output).size) return false;
  if (order.includes('-R')) return true;
  const checker =
    plain === undefined
      ? ['sort']
      : [process.execPath, fileURLToPath(new URL('../../bin/gpusort.cjs', import.meta.url)), ...own];
  return (
    spawnSync(checker[0], [...checker.slice(1), '-C', ...order.filter((option) => option !== '-m'), output], {
      env: ENVIRONMENT,
    }).status === 0
  );
}

/** The median: the middle value, or the mean of the two in the middle. */
export function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const half = ordered.length >> 1;
  return ordered.length % 2 === 1 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

/** The description of this machine at the head of every table. */
export function machine(root) {
  const probe = spawnSync(process.execPath, [join(root, 'test/setup/probe.mjs')], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  let adapter = 'none';
  try {
    const { vendor, architecture, device, description } = JSON.parse(probe.stdout);
    adapter = [device || architecture || vendor, description].filter(Boolean).join(', ');
  } catch {
    /* no adapter, or no webgpu: reported as none */
  }
  const version = (command) => spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0] ?? '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 1e9),
    adapter,
    system: `${process.platform} ${release()}`,
    node: process.version,
    sort: version('sort'),
    date: new Date().toISOString().slice(0, 10),
  };
}
