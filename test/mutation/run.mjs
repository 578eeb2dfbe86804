/**
 * `npm run test:mutation`: checks that the tests catch faults. It injects one fault at a time (faults/) into a copy of
 * the tree, rebuilds the affected files, and runs the tests that should catch it. Prints a table; exits with 1 if a
 * fault survives.
 *
 *     node test/mutation/run.mjs [--quick] [--no-check] [--shard=I/N] [PATTERN]
 *
 * PATTERN: a regular expression for files and names of faults. --quick: as much of these tests as `npm test` runs.
 * --no-check: does not run the tests without a fault first. --shard: the I-th of N parts of the faults.
 */
// Errors: a fault whose text is not in its file just once, does not compile or changes nothing; and tests that fail
// without a fault.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { FAULTS } from './faults.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** A command that takes longer is an error. */
const LIMIT_MS = 900_000;
/** Seconds for the tests of a fault. Some faults make a program hang, which counts as caught. */
const TESTS_LIMIT_S = 120;

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const checksFirst = !words.includes('--no-check');
const [shard, shards] = (words.find((word) => word.startsWith('--shard='))?.slice('--shard='.length) ?? '1/1')
  .split('/')
  .map(Number);
const pattern = new RegExp(words.find((word) => !word.startsWith('--')) ?? '');

const copy = mkdtempSync(join(tmpdir(), 'gpusort-mutation-'));
const remove = () => rmSync(copy, { recursive: true, force: true });
/** The running command. */
let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child?.kill('SIGTERM');
    remove();
    process.exit(128 + constants.signals[signal]);
  });
}

/** Runs a command in the copy; resolves to its output and whether it succeeded. */
function inCopy(command, environment = {}) {
  const PATH = `${join(copy, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  return new Promise((resolve, reject) => {
    child = spawn('bash', ['-c', command], {
      cwd: copy,
      env: { ...process.env, PATH, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('latin1').on('data', (data) => {
        text += data;
      });
    child.on('error', reject);
    child.on('close', (status) => {
      resolve({ ok: status === 0, text });
    });
  });
}

/** Copies the tree with its build, including uncommitted changes. */
function makeCopy() {
  if (spawnSync(process.execPath, ['tools/build/main.mjs'], { cwd: root, stdio: 'inherit' }).status !== 0)
    throw new Error('the build fails');
  const files = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .stdout.split('\0')
    .filter((file) => file !== '');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
}

/** Runs tests; returns null if they pass, else the name of the first that fails, or the reason why there is no name. */
async function firstFailure(tests) {
  const { ok, text } = await inCopy(
    `exec node test/setup/run.mjs --no-build ${isQuick ? '--quick' : '--all'} --bail 1 ${tests}`,
    { GPUSORT_TEST_LIMIT_S: String(TESTS_LIMIT_S), GPUSORT_TEST_SHRINK: '0' },
  );
  if (ok) return null;
  if (text.includes('No test files found')) return isQuick ? null : `no test files: ${tests}`;
  if (/not finished after \d+ s/.test(text)) return 'the tests hang';
  const [, name] = /^ *FAIL +(.*)$/m.exec(text) ?? [];
  if (name === undefined) throw new Error(`the tests fail in another way:\n${text}`);
  return name.replace(/^\S+ +(?=test\/)/, '');
}

/**
 * Rebuilds the files that depend on a file. Only the browser's bundle contains WGSL kernels; otherwise they are read at
 * run time.
 */
async function rebuild(file, text) {
  const parts = file.endsWith('.wgsl') ? ['bundles'] : file.startsWith('kernels/wasm/') ? ['wasm'] : ['bundles'];
  if (file.startsWith('src/')) {
    const { code } = transformSync(text, { loader: 'ts', target: 'es2022' });
    writeFileSync(join(copy, file.replace(/^src\/(.*)\.ts$/, 'dist/$1.js')), code);
  }
  for (const part of parts) {
    const built = await inCopy(`node tools/build/main.mjs --only=${part}`);
    if (!built.ok) throw new Error(`${file} does not compile with the fault:\n${built.text}`);
  }
}

/** The files that users run: the bundles and the kernels. */
function programs() {
  const files = readdirSync(join(copy, 'dist/bundle'))
    .filter((file) => /js$/.test(file))
    .map((file) => `bundle/${file}`);
  const kernels = ['alignments', 'bam', 'codecs', 'cpu', 'deflate', 'keys', 'verify'].map(
    (name) => `wasm/${name}.wasm`,
  );
  return [...files, ...kernels].map((file) => readFileSync(join(copy, 'dist', file), 'latin1')).join();
}

/** Injects a fault, builds, tests, and removes the fault. Returns the test that caught it, or null. */
async function tryFault({ file, from, to, tests }) {
  const path = join(copy, file);
  const good = readFileSync(path, 'utf8');
  if (good.split(from).length !== 2)
    throw new Error(`${file} has not once, but ${good.split(from).length - 1} times:\n${from}`);
  const bad = good.replace(from, () => to);
  const before = programs();
  writeFileSync(path, bad);
  try {
    if (/^(src|kernels)\//.test(file)) {
      await rebuild(file, bad);
      if (!file.endsWith('.wgsl') && programs() === before)
        throw new Error(`${file}: the fault changes nothing:\n${from}`);
    }
    return await firstFailure(tests);
  } finally {
    writeFileSync(path, good);
    rmSync(join(copy, 'dist'), { recursive: true });
    cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  }
}

try {
  makeCopy();
  const matching = FAULTS.filter(({ file, name }) => pattern.test(`${file} ${name}`));
  const faults = matching.filter((_, i) => i % shards === shard - 1);
  for (const tests of checksFirst ? new Set(faults.map((fault) => fault.tests)) : []) {
    const without = await firstFailure(tests);
    if (without !== null) throw new Error(`without any fault, ${without} fails: npm test -- ${tests}`);
  }
  const counts = { caught: 0, survive: 0, wrong: 0 };
  for (const fault of faults) {
    let found;
    try {
      const failure = await tryFault(fault);
      found = failure === null ? 'SURVIVES' : `caught: ${failure}`;
      counts[failure === null ? 'survive' : 'caught']++;
    } catch (error) {
      found = `ERROR: ${error.message}`;
      counts.wrong++;
    }
    console.log(`${fault.file.padEnd(40)} ${fault.name.padEnd(70)} ${found}`);
  }
  console.log(`${counts.caught} faults are caught, ${counts.survive} survive, ${counts.wrong} cannot be tried`);
  process.exitCode = counts.caught < faults.length ? 1 : 0;
} finally {
  remove();
}
