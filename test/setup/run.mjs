/**
 * `npm test`: builds what changed, sets the environment of a software GPU (before Node starts), runs vitest, and ends a
 * run that takes too long. If no GPU is found, the run fails; only `--gpu none` skips GPU tests.
 *
 *     node test/setup/run.mjs [--quick|--all|--nightly] [--after FILE] [--no-build]
 *                             [--gpu swiftshader|lavapipe|system|none] [vitest argument...]
 *
 * Without an option the tier is `quick`, or `all` if files are named: these have larger samples of their cases. --all
 * without files adds the slow files to those of the quick tier. --after: only files that did not pass in the run that
 * wrote its notes to FILE (GPUSORT_TEST_NOTES).
 */
// Environment: GPUSORT_TEST_GPU is the default of --gpu; GPUSORT_TEST_LIMIT_S limits the run, in seconds. The tests
// read GPUSORT_TEST_GPU (the GPU requested), GPUSORT_TEST_ADAPTER (the adapter found; empty for none),
// GPUSORT_TEST_TIER and GPUSORT_TEST_TMP (a directory for this run, removed at its end); vitest.config.ts reads
// GPUSORT_TEST_SLOW (whether slow files belong to the run).
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processorSeconds } from './processor-time.mjs';
import { unpackSwiftshader } from './swiftshader.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Seconds that a run may take: several times the duration on a busy machine with two processors. */
const LIMIT_S = { quick: 45 * 60, all: 2 * 3600, nightly: 12 * 3600 };
/** Seconds of processor time that npm test may take if all the programs are installed that tests compare with. */
const QUICK_PROCESSOR_S = 480;
/** Seconds from the limit to the end of a run that does not end by itself. */
const GRACE_S = 20;
/** The lines of Node that a nightly run without further arguments adds. */
const NEWEST_NODES = ['24', '26'];
const ICD_DIRECTORIES = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

/** An error before the first test, reported without a stack. */
class SetupError extends Error {}

async function readArguments(argv) {
  const requested = {
    gpu: process.env.GPUSORT_TEST_GPU || (isLinuxX64 ? 'swiftshader' : 'system'),
    tier: null,
    after: '',
    build: true,
    rest: [],
  };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--gpu') requested.gpu = argv[++i];
    else if (argv[i] === '--all') requested.tier = 'all';
    else if (argv[i] === '--nightly') requested.tier = 'nightly';
    else if (argv[i] === '--quick') requested.tier = 'quick';
    else if (argv[i] === '--after') requested.after = argv[++i];
    else if (argv[i] === '--no-build') requested.build = false;
    else requested.rest.push(argv[i]);
  }
  // The tier is all that needs printing, except at night.
  const isKnown = requested.tier === 'quick' || requested.tier === 'all';
  const names = isKnown || (await namesFiles(requested.rest));
  return { ...requested, namesFiles: names, tier: requested.tier ?? (names ? 'all' : 'quick') };
}

/** Whether vitest's arguments name files. Loading its parser takes a second, so it is used only if needed. */
async function namesFiles(words) {
  if (words.every((word) => word.startsWith('-'))) return false;
  const { parseCLI } = await import('vitest/node');
  return parseCLI(['vitest', 'run', ...words]).filter.length > 0;
}

/** The files that did not run, or failed, in the run with these notes. */
function restOf(notes) {
  const { files } = JSON.parse(readFileSync(notes, 'utf8'));
  const all = readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => join('test', name))
    .filter((name) => name.endsWith('.test.ts'));
  return all.filter((name) => !files[name]?.passed);
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

/** Runs vitest in a separate process group: all its workers can be killed. Resolves to the exit status. */
function runTests(args, env, limitSeconds) {
  return new Promise((ended) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [vitest, 'run', '--root', root, ...args], {
      cwd: root,
      env,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    const endAll = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        /* already gone */
      }
    };
    // The reporter (reporter.mjs) ends a late run and lists the running files, unless it hangs itself.
    child.on('message', (message) => {
      if (message === 'late') endAll('SIGKILL');
    });
    const timer = setTimeout(
      () => {
        console.error(`\ngpusort tests: not finished after ${limitSeconds} s, and no answer from vitest: ended`);
        endAll('SIGKILL');
      },
      (limitSeconds + GRACE_S) * 1000,
    );
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => endAll(signal));
    child.on('close', (status) => {
      clearTimeout(timer);
      // Workers that hang in a driver may outlive vitest.
      endAll('SIGKILL');
      ended(status ?? 1);
    });
  });
}

/** Prints the processor time of the run. `isLimited`: it is that of npm test. */
function reportProcessorTime(isLimited) {
  const seconds = processorSeconds();
  if (seconds === null) return;
  const limit = isLimited ? `; at most ${QUICK_PROCESSOR_S} s are allowed` : '';
  console.log(`gpusort tests: ${Math.round(seconds)} s of processor time${limit}`);
}

/** Runs the command-line tests on the newest versions of Node. Returns the exit status. */
function runNewestNodes() {
  const words = [join(root, 'test/setup/nodes.mjs'), '--no-build', ...NEWEST_NODES];
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

async function main() {
  const requested = await readArguments(process.argv.slice(2));
  const { gpu, tier, after, namesFiles } = requested;
  if (requested.build) {
    const built = spawnSync(process.execPath, ['tools/build/main.mjs'], {
      cwd: root,
      stdio: 'inherit',
    });
    if (built.status !== 0) throw new SetupError('the build failed');
  }
  const env = { ...process.env, ...driverEnvironment(gpu), GPUSORT_TEST_GPU: gpu };
  env.GPUSORT_TEST_TIER = tier === 'all' && !namesFiles ? 'quick' : tier;
  env.GPUSORT_TEST_SLOW = tier === 'quick' ? '' : '1';
  // The machine would decide which sorts start themselves again.
  env.GPUSORT_HUGE_PAGES = 'never';
  env.GPUSORT_TEST_ADAPTER = probe(gpu, env);
  const limit = Number(process.env.GPUSORT_TEST_LIMIT_S) || LIMIT_S[tier];
  env.GPUSORT_TEST_LIMIT_S = String(limit);
  console.log(
    gpu === 'none'
      ? 'gpusort tests: without a GPU, as requested; GPU tests are skipped'
      : `gpusort tests: ${gpu} ${env.GPUSORT_TEST_ADAPTER}`,
  );
  const temporary = mkdtempSync(join(tmpdir(), 'gpusort-test-'));
  // Tests run gpusort as another user too.
  chmodSync(temporary, 0o711);
  env.GPUSORT_TEST_TMP = temporary;
  try {
    const files = after ? restOf(after) : [];
    const status = await runTests([...requested.rest, ...files], env, limit);
    reportProcessorTime(tier === 'quick' && !namesFiles);
    return tier === 'nightly' && !namesFiles ? status || runNewestNodes() : status;
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
