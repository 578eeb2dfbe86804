/** Runs the cases of cases.mjs by the command line: distributed, and on one machine. Compares by SHA-256. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { makeInputs } from './cases.mjs';

const BINARY = process.env.GPUSORT_TEST_BIN ?? fileURLToPath(new URL('../../../bin/gpusort.cjs', import.meta.url));

/**
 * Runs a program in the C locale. `ended` resolves to its status or signal, its output, and its seconds.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ limitS?: number } & import('node:child_process').SpawnOptions} options
 */
export function start(program, words, { env, limitS = 110, ...options } = {}) {
  const begin = performance.now();
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitS * 1000,
    killSignal: 'SIGKILL',
    ...options,
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...env },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (more) => (text[name] += more));
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) =>
      resolve({ status: status ?? signal, ...text, seconds: (performance.now() - begin) / 1000 }),
    );
  });
  return { child, ended };
}

/** The same for gpusort. */
export const startGpusort = (words, options) => start(process.execPath, [BINARY, ...words], options);

/**
 * Makes the inputs of a case, about `bytes` bytes, in `directory`. The result holds the words that sort them, but for
 * `-o` and `--cluster`.
 */
export function prepareCase(one, directory, bytes) {
  const inputs = makeInputs(one, directory, bytes);
  return { ...one, directory, inputs, words: [...one.options, ...inputs] };
}

/**
 * Sorts a prepared case on one machine, by GNU sort if that has the order and `byItself` is not set. Removes the
 * output.
 */
export async function sortHere({ sort, gzip, directory, inputs, words }, { byItself = false } = {}) {
  const output = join(directory, gzip ? 'expected.gz' : 'expected');
  const { ended } =
    sort === undefined || byItself
      ? startGpusort(['--engine=cpu', ...words.filter((word) => word !== '--output-parts'), '-o', output])
      : start('sort', [...sort, ...inputs, '-o', output]);
  const outcome = await ended;
  if (outcome.status !== 0) throw new Error(`one machine: ${outcome.stderr}`);
  const sha256 = await digestOf([output], gzip);
  rmSync(output);
  return { ...outcome, sha256 };
}

/** The output file or directory of a distributed case. */
export const outputOf = ({ gzip, directory }) => join(directory, gzip ? 'output.gz' : 'output');

/** Sorts a prepared case as `cluster` says, such as ['--cluster=local:3', '--tasks=4']. Removes the output. */
export async function sortDistributed(prepared, cluster, options) {
  const { ended } = startGpusort([...cluster, ...prepared.words, '-o', outputOf(prepared)], options);
  const outcome = await ended;
  if (outcome.status !== 0) return { ...outcome, sha256: null };
  return { ...outcome, sha256: await takeOutput(prepared) };
}

/** The hash of a distributed case's output, which is removed. */
export async function takeOutput(prepared) {
  const output = outputOf(prepared);
  const isDirectory = prepared.options.includes('--output-parts');
  const names = isDirectory
    ? JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8')).parts.map(({ file }) => join(output, file))
    : [output];
  const sha256 = await digestOf(names, prepared.gzip);
  rmSync(output, { recursive: true });
  return sha256;
}

/** The SHA-256 of files one after another, decompressed if they are compressed. */
async function digestOf(names, gzip) {
  const hash = createHash('sha256');
  for (const name of names) {
    const file = createReadStream(name, { highWaterMark: 1 << 20 });
    for await (const bytes of gzip ? file.pipe(createGunzip()) : file) hash.update(bytes);
  }
  return hash.digest('hex');
}
