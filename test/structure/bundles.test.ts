/** The bundles of the program: a plain sort and its threads load little, and other commands load what they use. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileKernels } from '../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../src/engines/cpu/shape.js';
// @ts-expect-error: a module of the build without types
import { LISTED_MODULES, bundleOf as untyped } from '../../tools/build/bundles.mjs';
import { byLines } from '../support/orderings.js';

const bundleOf = untyped as (module: string) => string;
const ROOT = join(import.meta.dirname, '../..');
/** Runs the program with the arguments and prints the bundles that it loaded. */
const LIST =
  `const load = require(${JSON.stringify(join(ROOT, 'bin/load.cjs'))});` +
  'process.argv = [process.execPath, "gpusort", ...process.argv.slice(1)];' +
  'load.load().main().then(() => { console.log(load.loadedBundles().sort().join(" ")); process.exit(); });';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-bundles-'));
  writeFileSync(join(directory, 'input'), 'b 1:x\na 2:y\n');
  writeFileSync(join(directory, 'existing'), '');
  writeFileSync(join(directory, 'in.sam'), '@HD\tVN:1.6\n@SQ\tSN:1\tLN:9\na\t0\t1\t1\t0\t1M\t*\t0\t0\tA\tI\n');
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const loadedBy = (args: string, input = ''): string =>
  execFileSync(process.execPath, ['-e', LIST, '--', ...args.split(' ')], { cwd: directory, input })
    .toString()
    .trimEnd()
    .split('\n')
    .at(-1)!;

it.each(['input', 'input -o new-plain', 'input -o existing', '-u -r input', '-z input -o new-nul'])(
  'a small sort of lines loads the core alone: %s',
  (args) => {
    expect(loadedBy(args)).toBe('base core');
  },
);

it.each(['-k2n -k1,1r input', '-t: -k2 -rfsu input -o new-keyed', '-n input', '-n -o existing'])(
  'a small sort by keys loads the core and what makes keys: %s',
  (args) => {
    expect(loadedBy(args)).toBe('base core keys');
  },
);

it.each(['input -o output', '-k2n -k1,1r input -o existing', '-n -o output'].map((args) => `--engine=cpu ${args}`))(
  'a larger sort, of a stream or over a file loads no more than sorting takes: %s',
  (args) => {
    expect(loadedBy(args, 'b\na\n')).toBe('base core cpu keys sort');
  },
);

it('--version loads little', () => {
  expect(loadedBy('--version')).toBe('base core webgpu');
});

// With an option, the code that the build made does not fit, and code is looked for in the user's cache.
it.each(['--no-warnings', '--max-old-space-size=500'])(
  'a plain sort loads no module that takes milliseconds: %s',
  (option) => {
    const slow = [
      'net',
      'tty',
      'stream',
      'zlib',
      'child_process',
      'worker_threads',
      'perf_hooks',
      'timers/promises',
      'v8',
    ];
    // A file, because `node -e` loads some of them itself.
    const file = join(directory, 'list.cjs');
    writeFileSync(file, LIST.replace('load.loadedBundles()', 'process.moduleLoadList').replace('slice(1)', 'slice(2)'));
    // Certificates and other options of Node load modules, too.
    const modules = execFileSync(process.execPath, [option, file, 'input', '-o', `new-listed${option}`], {
      cwd: directory,
      env: { HOME: directory },
    })
      .toString()
      .split(/ ?NativeModule /);
    expect(modules).toContain('fs');
    expect(modules.filter((name) => slow.includes(name))).toEqual([]);
  },
);

it('a thread that sorts loads the CPU engine and its base alone', async () => {
  const ordering = byLines();
  const data = {
    module: compileKernels(),
    shape: shapeOf(ordering),
    ordering,
    keyModule: null,
    splitters: null,
    limit: null,
    verifyModule: null,
  };
  const thread = new Worker(
    `const load = require(${JSON.stringify(join(ROOT, 'bin/load.cjs'))});` +
      'load.bundle("thread");' +
      'const { parentPort } = require("node:worker_threads");' +
      'parentPort.once("message", () => parentPort.postMessage(load.loadedBundles().sort().join(" ")));',
    { eval: true },
  );
  thread.postMessage({ role: { name: 'cpu', data }, smallHeap: false });
  const loaded = await once(thread, 'message');
  await thread.terminate();
  expect(loaded).toEqual(['base cpu thread']);
});

it('the lists name modules that exist, and the core stays small', () => {
  const listed = Object.values(LISTED_MODULES as Record<string, string[]>).flat();
  expect(listed.filter((module) => !existsSync(join(ROOT, 'src', module)))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  const core = statSync(join(ROOT, 'dist/bundle/core.cjs')).size + statSync(join(ROOT, 'dist/bundle/base.cjs')).size;
  expect(core).toBeLessThan(190_500);
  expect(
    ['cluster/client.ts', 'cli/help/help.ts', 'engines/gpu/engine/sorts.ts', 'records/bam.ts'].map(bundleOf),
  ).toEqual(['cluster', 'help', 'gpu', 'genomics']);
});

it.each([
  ['--help', 'core help'],
  ['--by coordinate in.sam -o out.sam', 'core genomics'],
])('%s loads %s', (args, bundles) => {
  for (const bundle of bundles.split(' ')) expect(loadedBy(args).split(' ')).toContain(bundle);
});
