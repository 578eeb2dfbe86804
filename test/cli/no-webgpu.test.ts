/**
 * gpusort without a GPU: without the optional package, with one that has no library for this platform or whose library
 * does not load, and without a driver. Each has its own remedy, and --engine auto sorts without a message.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { BINARY, type Outcome, shell } from './run.js';

const PACKAGE = dirname(dirname(realpathSync(BINARY)));
const NO_LIBRARY = `no GPU can be used: the webgpu package has no library for ${process.platform} on ${process.arch}`;
const NOT_INSTALLED = 'no GPU can be used: the webgpu package is not installed';
const ADVICE = 'Run npm install --global webgpu@0.6, or use --engine cpu.';

let directory: string;
/** A copy of gpusort with no packages beside it. */
let copy: string;
let environment: Record<string, string>;

beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-no-webgpu-'));
  copy = join(directory, 'node_modules/gpusort');
  for (const path of ['bin', 'dist/bundle', 'dist/wasm', 'package.json'])
    cpSync(join(PACKAGE, path), join(copy, path), { recursive: true });
  writeFileSync(join(directory, 'input'), 'b\na\n');
  // A Vulkan loader and a driver seem to be there.
  writeFileSync(join(directory, 'libvulkan.so.1'), '');
  writeFileSync(join(directory, 'driver.json'), '{}');
  environment = { LD_LIBRARY_PATH: directory, VK_DRIVER_FILES: join(directory, 'driver.json'), HOME: directory };
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs the copy with a webgpu package of these files; none: without the package. */
function run(args: string, files: Readonly<Record<string, string>> | null = null, env = environment): Outcome {
  const webgpu = join(copy, 'node_modules/webgpu');
  rmSync(webgpu, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files ?? {})) {
    mkdirSync(dirname(join(webgpu, path)), { recursive: true });
    writeFileSync(join(webgpu, path), text);
  }
  return shell(`"$GPUSORT" ${args}`, { cwd: directory, env: { ...env, GPUSORT: join(copy, 'bin/gpusort.cjs') } });
}

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;
const MANIFEST = { 'package.json': '{"name":"webgpu","version":"9.8.7","main":"index.js"}' };
const BUILD = `dist/${process.platform}-${process.platform === 'darwin' ? 'universal' : process.arch}/dawn.node`;

it.each(['-n input', '--csv input', '--verify input'])('without WebAssembly, one message says so: %s', (args) => {
  const { status, stderr } = run(args, null, { ...environment, NODE_OPTIONS: '--jitless' });
  expect(status).toBe(2);
  expect(stderr).toContain('gpusort: Node runs without WebAssembly, which this sort needs\n');
});

describe('without the package', () => {
  it.each(sampled(['input', '--engine auto input', '-m input input --unique'], { count: 3, seed: 1 }))(
    'gpusort %s prints no message',
    (args) => {
      const { status, stdout, stderr } = run(args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^[ab]\n/);
    },
  );

  it.each(
    sampled(
      [
        ['--engine gpu', '--engine cpu'],
        ['--algorithm radix-refine', '--engine cpu without --algorithm'],
        ['--engine gpu --explain', '--engine cpu'],
      ],
      { count: 3, seed: 2 },
    ),
  )('gpusort %s says how to get it', (args, other) => {
    expect(run(`${args} input`)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `gpusort: ${NOT_INSTALLED}\n${ADVICE.replace('--engine cpu', other!)}\n`,
    });
  });

  it('--adapters and --version report once, in plain words, that it is missing', () => {
    const stdout = `${sentence(NOT_INSTALLED)}. ${ADVICE}\n`;
    expect(run('--adapters')).toMatchObject({ status: 0, stdout, stderr: '' });
    expect(run('--engine gpu --adapters')).toMatchObject({ status: 1, stdout, stderr: '' });
    expect(run('--engine cpu --adapters --engine gpu')).toMatchObject({ status: 0, stdout });
    const warning = `gpusort: warning: ${NOT_INSTALLED}. ${ADVICE}\n`;
    expect(run('--adapters=json')).toMatchObject({ status: 0, stdout: '[]\n', stderr: warning });
    expect(run('--engine gpu --adapters=json')).toMatchObject({ status: 1, stdout: '[]\n', stderr: warning });
    expect(run('--version').stdout).toMatch(/\nwebgpu not installed \(optional: without it, the CPU sorts\)\n$/);
  });
});

describe('with a package', () => {
  it('without a library for this platform, each command says so', () => {
    const files = { ...MANIFEST, 'dist/plan9-mips/dawn.node': '' };
    const message = `gpusort: ${NO_LIBRARY}\nUse --engine cpu.\n`;
    expect(run('--engine gpu input', files)).toMatchObject({ status: 2, stderr: message });
    expect(run('--adapters', files).stdout).toBe(`${sentence(NO_LIBRARY)}. Use --engine cpu.\n`);
    expect(run('--version', files).stdout).toMatch(/\nwebgpu 9\.8\.7\n$/);
    expect(run('input', files)).toMatchObject({ status: 0, stdout: 'a\nb\n', stderr: '' });
  });

  it('whose library does not load, --engine gpu says why', () => {
    const load = `require(${JSON.stringify(`./${BUILD}`)});`;
    const { status, stderr } = run('--engine gpu input', { ...MANIFEST, [BUILD]: 'not a library', 'index.js': load });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^gpusort: no GPU can be used: the library of the webgpu package does not load: .*\n.*use --engine cpu\.\n$/,
    );
  });
});

/** A package that asks the drivers which its environment names, and writes what drivers, loaders and Dawn write. */
const NOISY = `
const { writeSync } = require('node:fs');
exports.create = () => ({
  async requestAdapter() {
    const drivers = process.env.VK_DRIVER_FILES.split(':');
    if (process.env.XDG_RUNTIME_DIR === undefined) writeSync(2, 'error: XDG_RUNTIME_DIR is not set\\n');
    if (drivers.some((driver) => driver.includes('crashing'))) process.kill(process.pid, 'SIGSEGV');
    for (const driver of drivers.filter((driver) => driver.includes('refused')))
      writeSync(2, 'Warning: it is too old.\\n - While initializing adapter (backend=Vulkan)\\n    at f (/home/x.cpp:1)\\n');
    if (process.env.VK_LOADER_DEBUG) writeSync(2, 'INFO | DRIVER:   [0] An old card\\n');
    if (!drivers.some((driver) => driver.includes('good'))) return null;
    return {
      info: { vendor: 'v', architecture: 'a', device: 'good card', description: 'd' },
      limits: { maxStorageBufferBindingSize: 1 << 30, maxBufferSize: 1 << 30 },
      features: new Set(),
      requestDevice: async () => { throw new Error('no device'); },
    };
  },
});
exports.globals = {};
`;

describe('drivers that write to standard error', () => {
  const noisy = { ...MANIFEST, [BUILD]: '', 'index.js': NOISY };
  const withDrivers = (...names: string[]): Record<string, string> => {
    for (const name of names) writeFileSync(join(directory, name), '{}');
    return { ...environment, VK_DRIVER_FILES: names.map((name) => join(directory, name)).join(':') };
  };
  const REFUSED = 'WebGPU refuses An old card of the Vulkan driver refused: it is too old';

  it.runIf(process.platform === 'linux')('a refused device is named, and nothing else is written', () => {
    const env = withDrivers('refused_icd.x86_64.json');
    const message = `no GPU was found: ${REFUSED}`;
    const remedy = 'Update the Vulkan driver, or use --engine cpu.';
    expect(run('--engine gpu input', noisy, env)).toMatchObject({
      status: 2,
      stderr: `gpusort: ${message}\n${remedy}\n`,
    });
    expect(run('--adapters', noisy, env)).toMatchObject({ stdout: `${sentence(message)}. ${remedy}\n`, stderr: '' });
  });

  it.runIf(process.platform === 'linux')('other drivers are loaded without those that are refused or crash', () => {
    const env = withDrivers('crashing_icd.json', 'refused_icd.json', 'good_icd.json');
    const { stdout, stderr } = run('--adapters', noisy, env);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^good card\n/);
    expect(stdout).toMatch(/\nWebGPU refuses the devices of the Vulkan driver crashing: it crashes \(SIGSEGV\)\.\n/);
    expect(stdout.endsWith(`\n${REFUSED}.\n`)).toBe(true);
    // This device cannot be opened, but nothing is written before that is tried.
    const { stderr: failed } = run('--engine gpu input', noisy, env);
    expect(failed).toMatch(/^gpusort: .*no device/);
    expect(failed).not.toMatch(/XDG|too old/);
  });

  it.runIf(process.platform === 'linux')('GPUSORT_DEBUG=1 shows what they wrote', () => {
    const { stderr } = run('--adapters', noisy, { ...withDrivers('refused_icd.json'), GPUSORT_DEBUG: '1' });
    expect(stderr).toContain('gpusort: warning: Vulkan driver refused_icd.json: Warning: it is too old.\n');
    expect(stderr).toContain('gpusort: warning: Vulkan driver refused_icd.json: at f (/home/x.cpp:1)\n');
    expect(stderr).not.toContain('DRIVER');
  });

  it.runIf(process.platform === 'linux')(
    'drivers without a device are named, and no installed package is asked for',
    () => {
      const silent = { ...noisy, 'index.js': 'exports.create = () => ({ requestAdapter: async () => null });' };
      expect(run('--engine gpu input', silent, withDrivers('one_icd.x86_64.json', 'two.json')).stderr).toBe(
        'gpusort: no GPU was found: the installed Vulkan drivers (one, two) find no device\n' +
          "Install the Vulkan driver of this machine's GPU, or use --engine cpu.\n",
      );
    },
  );
});

it.each([
  ['the compiled kernels', 'dist/wasm', 'input', /^.*\.wasm: No such file or directory$/],
  ['the program of threads', 'bin/worker.cjs', 'large', /^.*worker\.cjs: Cannot find module .*$/],
])('without %s, an installation is reported as incomplete', (_, part, input, problem) => {
  // Large enough for threads.
  writeFileSync(join(directory, 'large'), Buffer.alloc(17 << 20, 'b\na\n'));
  const [place, hidden] = [join(copy, part), join(copy, 'hidden')];
  renameSync(place, hidden);
  try {
    const { status, stderr } = run(`--engine cpu --parallel 2 -n ${input}`);
    const [message, hint] = stderr.split('\n');
    expect(message).toMatch(/^gpusort: cannot read a file of gpusort itself: /);
    expect(message).toMatch(problem);
    expect(hint).toBe(
      'Install gpusort again. If a bundler has packed your program, declare gpusort external to the bundler.',
    );
    expect(status).toBe(2);
  } finally {
    renameSync(hidden, place);
  }
});

describe.skipIf(process.platform !== 'linux')('with the package, without Vulkan', () => {
  it('says what to install', () => {
    const webgpu = join(copy, 'node_modules/webgpu');
    rmSync(webgpu, { recursive: true, force: true });
    mkdirSync(dirname(webgpu), { recursive: true });
    symlinkSync(dirname(createRequire(join(PACKAGE, 'package.json')).resolve('webgpu/package.json')), webgpu);
    const { status, stderr } = shell('"$GPUSORT" --engine gpu input', {
      cwd: directory,
      env: { ...environment, VK_DRIVER_FILES: '/nonexistent', GPUSORT: join(copy, 'bin/gpusort.cjs') },
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'gpusort: no GPU can be used: no Vulkan driver is installed\n' +
        "Install the Vulkan driver of this machine's GPU, or use --engine cpu.\n",
    });
    rmSync(webgpu);
  });
});
