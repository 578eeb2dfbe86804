/**
 * `npm test`: builds, sets the environment of a software GPU (before Node starts), runs vitest, and ends a run that
 * takes too long. If no GPU is found, the run fails; only `--gpu none` skips GPU tests.
 *
 *     node test/setup/run.mjs [--gpu swiftshader|lavapipe|system|none] [--nightly] [--no-build] [vitest argument...]
 */
// Environment: GPUSORT_TEST_GPU is the default of --gpu; GPUSORT_TEST_LIMIT_S limits the run, in seconds. The tests
// read GPUSORT_TEST_GPU (the GPU requested), GPUSORT_TEST_ADAPTER (the adapter found; empty for none) and
// GPUSORT_TEST_TMP (a directory for this run, removed at its end).
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackSwiftshader } from './swiftshader.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Seconds for all tests. The nightly run is far larger. */
const LIMIT_S = { daily: 25 * 60, nightly: 12 * 3600 };
/** The lines of Node that a nightly run without further arguments adds. */
const NEWEST_NODES = ['24', '26'];
const ICD_DIRECTORIES = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

/** An error before the first test, reported without a stack. */
class SetupError extends Error {}

function readArguments(argv) {
  const requested = {
    gpu: process.env.GPUSORT_TEST_GPU || (isLinuxX64 ? 'swiftshader' : 'system'),
    nightly: false,
    build: true,
    rest: [],
  };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--gpu') requested.gpu = argv[++i];
    else if (argv[i] === '--nightly') requested.nightly = true;
    else if (argv[i] === '--no-build') requested.build = false;
    else requested.rest.push(argv[i]);
  }
  return requested;
}

/** The variables that make the Vulkan loader find only the driver `gpu`. `system` and `none` need none. */
function driverEnvironment(gpu) {
  if (gpu === 'none' || gpu === 'system') return {};
  if (gpu !== 'swiftshader' && gpu !== 'lavapipe')
    throw new SetupError(`unknown GPU '${gpu}': swiftshader, lavapipe, system or none`);
  if (!isLinuxX64) throw new SetupError(`${gpu} is set up on linux x64 only; use --gpu system or --gpu none here`);
  const unpacked = unpackSwiftshader(root);
  const env = { LD_LIBRARY_PATH: [unpacked, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter) };
  if (gpu === 'swiftshader') return { ...env, VK_DRIVER_FILES: join(unpacked, 'vk_swiftshader_icd.json') };
  const icds = ICD_DIRECTORIES.filter(existsSync).flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => /^lvp_icd.*\.json$/.test(name))
      .map((name) => join(directory, name)),
  );
  if (icds.length === 0)
    throw new SetupError(
      'lavapipe is not installed: no lvp_icd*.json (Debian: mesa-vulkan-drivers, 24 or later, from backports)',
    );
  return { ...env, VK_DRIVER_FILES: icds[0] };
}

/** The adapter that WebGPU finds under `env`, as JSON; '' if `gpu` is none. */
function probe(gpu, env) {
  if (gpu === 'none') return '';
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [join(root, 'test/setup/probe.mjs')], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const line = stdout.trim();
  if (line.startsWith('{')) return line;
  const advice =
    gpu === 'lavapipe'
      ? 'Mesa 24 or later is needed'
      : gpu === 'system'
        ? 'install a Vulkan loader and a driver, or run with GPUSORT_TEST_GPU=none to leave the GPU tests out'
        : 'run npm ci again';
  throw new SetupError(
    `no ${gpu} adapter (${signal ?? `status ${status}`}): ${stderr.trim().split('\n')[0]}\n${advice}`,
  );
}

/** Runs vitest in a separate process group, so that all its workers can be killed. Resolves to the exit status. */
function runTests(args, env, limitSeconds) {
  return new Promise((resolve) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...args], {
      cwd: root,
      env,
      stdio: 'inherit',
      detached: true,
    });
    const endAll = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        /* already gone */
      }
    };
    const timer = setTimeout(() => {
      console.error(`\ngpusort tests: not finished after ${limitSeconds} s, ended`);
      endAll('SIGKILL');
    }, limitSeconds * 1000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => endAll(signal));
    child.on('close', (status) => {
      clearTimeout(timer);
      // Workers that hang in a driver may outlive vitest.
      endAll('SIGKILL');
      resolve(status ?? 1);
    });
  });
}

/** Runs the command-line tests on the newest versions of Node. Returns the exit status. */
function runNewestNodes() {
  const words = [join(root, 'test/setup/nodes.mjs'), '--no-build', ...NEWEST_NODES];
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

async function main() {
  const requested = readArguments(process.argv.slice(2));
  if (requested.build) {
    const built = spawnSync(process.execPath, ['build.mjs'], { cwd: root, stdio: 'inherit' });
    if (built.status !== 0) throw new SetupError('the build failed');
  }
  const env = { ...process.env, ...driverEnvironment(requested.gpu), GPUSORT_TEST_GPU: requested.gpu };
  env.GPUSORT_TEST_ADAPTER = probe(requested.gpu, env);
  if (requested.nightly) env.GPUSORT_NIGHTLY = '1';
  console.log(
    requested.gpu === 'none'
      ? 'gpusort tests: without a GPU, as requested; GPU tests are skipped'
      : `gpusort tests: ${requested.gpu} ${env.GPUSORT_TEST_ADAPTER}`,
  );
  const temporary = mkdtempSync(join(tmpdir(), 'gpusort-test-'));
  // Tests run gpusort as another user too.
  chmodSync(temporary, 0o711);
  env.GPUSORT_TEST_TMP = temporary;
  try {
    const limit =
      Number(process.env.GPUSORT_TEST_LIMIT_S) || (env.GPUSORT_NIGHTLY === '1' ? LIMIT_S.nightly : LIMIT_S.daily);
    const status = await runTests(requested.rest, env, limit);
    return requested.nightly && requested.rest.length === 0 ? status || runNewestNodes() : status;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`gpusort tests: ${error.message}`);
  process.exitCode = 1;
}
