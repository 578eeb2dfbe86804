/**
 * `npm run test:nodes`: the command-line tests on other versions of Node, one after another, with one build.
 *
 *     node test/setup/nodes.mjs [--no-build] [VERSION...] [-- vitest argument...]
 *
 * A VERSION is complete (`20.15.0`) or a line (`26`), which means the newest of that line.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNode } from './node-binaries.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The lower bounds of `engines` in package.json, and the newest of each line. */
const VERSIONS = ['20.15.0', '20', '22.2.0', '22', '24', '26'];
/** Versions that are too old for the test runner. The Node of this script runs it, and the old one runs gpusort. */
const TOO_OLD = /^20\.1[0-8]\.|^22\.(?:\d|1[01])\./;
/** Tests that run the program as users do, and tests of code that depends on Node: threads, streams, WebGPU. */
const TESTS = [
  'test/cli/',
  'test/battery/scripts',
  'test/docs/examples',
  'test/library/',
  'test/package/',
  'test/system/platform/',
  'test/setup/',
  'test/sort/pipes',
  'test/system/temporary-files',
  'test/system/threads/',
];

function readArguments(argv) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const versions = argv.slice(0, end).filter((word) => word !== '--no-build');
  const tests = argv.slice(end + 1);
  return {
    build: !argv.slice(0, end).includes('--no-build'),
    versions: versions.length > 0 ? versions : VERSIONS,
    tests: tests.length > 0 ? tests : TESTS,
  };
}

/** Runs the tests with a Node first on the PATH; resolves to the exit status. */
function runTests({ version, bin }, tests) {
  const runner = TOO_OLD.test(version)
    ? process.execPath
    : join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, GPUSORT_TEST_NODE: version };
  const run = join(root, 'test/setup/run.mjs');
  return new Promise((resolve, reject) => {
    const child = spawn(runner, [run, '--no-build', ...tests], { cwd: root, env, stdio: 'inherit' });
    passSignal = (signal) => child.kill(signal);
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
}

let interrupted = false;
let passSignal = () => {};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    interrupted = true;
    passSignal(signal);
  });

const { build, versions, tests } = readArguments(process.argv.slice(2));
const directory = mkdtempSync(join(tmpdir(), 'gpusort-nodes-'));
// Tests run gpusort as another user too.
chmodSync(directory, 0o755);
const results = [];
try {
  if (build && spawnSync(process.execPath, ['tools/build/main.mjs'], { cwd: root, stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed');
  for (const line of versions) {
    const node = unpackNode(line, directory);
    console.log(`\ngpusort tests: Node ${node.version}`);
    const begin = performance.now();
    const status = await runTests(node, tests);
    if (interrupted) throw new Error('interrupted');
    results.push({ version: node.version, status, seconds: Math.round((performance.now() - begin) / 1000) });
  }
} catch (error) {
  console.error(`gpusort tests: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
for (const { version, status, seconds } of results) {
  console.log(`Node ${version}: ${status === 0 ? 'passed' : `failed (status ${status})`}, ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}
