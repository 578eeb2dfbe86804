/**
 * `npm run test:mutation`: checks that the differential test catches each fault of faults.mjs. It plants one fault at a
 * time in a copy of the tree, rebuilds what the fault changes, and runs the test there with a fixed seed. Faults in GPU
 * kernels run on the GPU engine, others on the CPU engine. Prints a table; exits with 1 if a fault survives.
 *
 *     node test/differential/mutation.mjs [PATTERN]        only faults whose names match a regular expression
 */
// Errors: a fault whose text is no longer in its file, does not compile or changes nothing (update it in faults.mjs),
// and a test that fails without a fault.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAULTS } from './faults.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SEED = '7';
/** Arguments of run.mjs that choose the engine. */
const ON_CPU = '--gpu none test/differential/differential.test.ts test/differential/binary.test.ts';
const ON_GPU = '-t "random cases|binary records" test/battery/battery.gpu.test.ts';
/** A command that takes longer is an error. A test of a thousand cases takes less than a minute on two idle cores. */
const LIMIT_MS = 600_000;

const copy = mkdtempSync(join(tmpdir(), 'gpusort-mutation-'));
const remove = () => {
  rmSync(copy, { recursive: true, force: true });
};
/** The running command. */
let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child?.kill('SIGTERM');
    remove();
    process.exit(128 + constants.signals[signal]);
  });
}

/** Runs a command in the copy; resolves to what it printed and whether it succeeded. */
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

/** Copies the tree, including uncommitted changes, and builds the copy. */
async function makeCopy() {
  const files = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .stdout.split('\0')
    .filter((file) => file !== '');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const { ok, text } = await inCopy('node build.mjs');
  if (!ok) throw new Error(`the build fails:\n${text}`);
  cpSync(join(copy, 'dist'), clean.dist, { recursive: true });
  clean.programs = programs();
}

/** The build without faults. */
const clean = { dist: join(copy, 'dist-without-faults'), programs: '' };

/** What users run: the bundles and the kernels. */
function programs() {
  const files = ['bundle/main.cjs', 'bundle/worker.cjs', 'wasm/cpu.wasm', 'wasm/keys.wasm', 'wasm/verify.wasm'];
  return files.map((file) => readFileSync(join(copy, 'dist', file), 'latin1')).join();
}

/** The number of the first case that differs; null: none does. */
async function firstDifference(where) {
  const { ok, text } = await inCopy(`exec node test/setup/run.mjs --no-build --bail 1 ${where}`, {
    GPUSORT_DIFFERENTIAL_SEED: SEED,
    GPUSORT_DIFFERENTIAL_CASES: '1500',
    GPUSORT_DIFFERENTIAL_SHRINK: '0',
  });
  if (ok) return null;
  const found = /case (\d+) of seed/.exec(text);
  if (found === null) throw new Error(`the test does not end, or fails in another way:\n${text}`);
  return found[1];
}

/** Plants a fault, builds, tests, and removes the fault. Returns the number of the case that caught it, or null. */
async function tryFault({ file, from, to }) {
  const path = join(copy, file);
  const good = readFileSync(path, 'latin1');
  if (good.split(from).length !== 2)
    throw new Error(`${file} has not once, but ${good.split(from).length - 1} times:\n${from}`);
  writeFileSync(
    path,
    good.replace(from, () => to),
    'latin1',
  );
  const isShader = file.endsWith('.wgsl');
  if (!isShader) {
    const { ok, text } = await inCopy('node build.mjs');
    if (!ok) throw new Error(`${file} does not compile with the fault:\n${text}`);
    if (programs() === clean.programs) throw new Error(`${file}: the fault changes nothing:\n${from}`);
  }
  const found = await firstDifference(isShader ? ON_GPU : ON_CPU);
  writeFileSync(path, good, 'latin1');
  if (!isShader) cpSync(clean.dist, join(copy, 'dist'), { recursive: true });
  return found;
}

const pattern = new RegExp(process.argv[2] ?? '');
try {
  await makeCopy();
  const faults = FAULTS.filter(({ name }) => pattern.test(name));
  for (const where of [ON_CPU, ...(faults.some(({ file }) => file.endsWith('.wgsl')) ? [ON_GPU] : [])]) {
    const without = await firstDifference(where);
    if (without !== null)
      throw new Error(
        `without any fault case ${without} of seed ${SEED} differs: GPUSORT_DIFFERENTIAL_SEED=${SEED} npm test -- ${where}`,
      );
  }
  let survived = 0;
  for (const fault of faults) {
    const caught = await tryFault(fault);
    if (caught === null) survived++;
    console.log(
      `${fault.file.padEnd(32)} ${fault.name.padEnd(70)} ${caught === null ? 'SURVIVES' : `caught at case ${caught}`}`,
    );
  }
  console.log(`${faults.length} faults, ${survived} survive`);
  process.exitCode = survived > 0 ? 1 : 0;
} finally {
  remove();
}
