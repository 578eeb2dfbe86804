/**
 * Builds dist/: the modules that tests and benchmarks import, the WebAssembly kernels, and the bundles that users run,
 * with V8's code cache. `npm run build` runs it.
 *
 *     node tools/build/main.mjs [--clean|--if-changed|--only=modules|wasm|bundles]
 *
 * --clean: removes dist/ first, except dist/release/, for a package to publish. --if-changed: does nothing if dist/ is
 * what these sources and this Node make. --only: one of the three, and no code cache.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, licenseFile } from '../release/bundled.mjs';
import { clean } from './clean.mjs';
import { inlineKernels } from './inline-kernels.mjs';
import { keepTypes } from './keep-types.mjs';
import { makeProgram } from './program.mjs';
import { writeSampleBam } from './sample-bam.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The rooms of kernels/wasm/ that become modules. They include the others. */
const WASM_MODULES = ['alignments', 'bam', 'codecs', 'cpu', 'deflate', 'keys', 'verify'];
/** The library's first statement. Its imports of Node's modules are found by old versions, too. */
const CHECK_NODE =
  "import { createRequire as requireFor } from 'node:module';" +
  "requireFor(import.meta.url)('../../bin/node-version.cjs').check();";

/** Runs a program of a development dependency, by its file; exits with its status if it fails. */
function run(file, ...args) {
  const words = [join(root, 'node_modules', file), ...args];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The files that the build reads; its tools are those of the lock file. */
const SOURCES = [
  'src',
  'kernels',
  'bin',
  'tools/build',
  'tools/release/bundled.mjs',
  'tsconfig.json',
  'package-lock.json',
];
const SMALL_OUTPUT = join(root, 'dist/small-output');
const SAMPLE_BAM = join(root, 'dist/sample.bam');
/**
 * Commands whose compiled code is kept: each calls the functions of a usual start. The code of a bundle comes from the
 * first one that loads it.
 */
const COMPILED = [
  ['-k1,1n', 'bin/webgpu.cjs', '-o', SMALL_OUTPUT],
  ['--engine=cpu', '--parallel=2', '--chunk-size=64K', '-k1,1n', 'dist/bundle/core.cjs', '-o', devNull],
  ['--engine=cpu', '--by=coordinate', '--level=1', '--parallel=2', SAMPLE_BAM, '-o', devNull],
  ['--version'],
];
const STAMP = join(root, 'dist/built-from');

/** A digest of all sources and of the version of Node, whose compiled code the build keeps. */
function digestOfSources() {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) {
    const path = join(root, source);
    const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : [''];
    for (const file of names.map((name) => join(path, name)).filter((name) => statSync(name).isFile()))
      hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function makeModules() {
  run('typescript/bin/tsc', '-p', 'tsconfig.json');
}

function makeWasm() {
  mkdirSync(join(root, 'dist/wasm'), { recursive: true });
  for (const room of WASM_MODULES) run('assemblyscript/bin/asc.js', '--config', `kernels/wasm/${room}/asconfig.json`);
}

/** Earlier bundles and their code go first: V8 accepts the code of another program of the same length. */
async function makeBundles() {
  const bundles = join(root, 'dist/bundle');
  mkdirSync(bundles, { recursive: true });
  for (const file of readdirSync(bundles)) if (/\.(cjs|code)$/.test(file)) rmSync(join(bundles, file));
  await makeProgram(root);
  await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/bundle/index.mjs',
    bundle: true,
    // Names stay, so stacks can be read. It is a third of the package.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['webgpu'],
    banner: { js: CHECK_NODE },
    logLevel: 'warning',
  });
  await build({
    absWorkingDir: root,
    entryPoints: { kernels: 'src/browser/index.ts' },
    outdir: 'dist/bundle',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    plugins: [inlineKernels(root)],
    logLevel: 'warning',
  });
}

const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);
if (only !== undefined) {
  await { modules: makeModules, wasm: makeWasm, bundles: makeBundles }[only]();
  process.exit();
}
const sources = digestOfSources();
if (process.argv.includes('--if-changed') && existsSync(STAMP) && readFileSync(STAMP, 'latin1') === sources)
  process.exit(0);
rmSync(STAMP, { force: true });
if (process.argv.includes('--clean')) clean(join(root, 'dist'));
makeModules();
makeWasm();
await makeBundles();
keepTypes(join(root, 'dist/types'), ['index.d.ts', 'browser/index.d.ts']);
writeFileSync(join(root, 'dist/bundle/LICENSES.txt'), licenseFile(bundledPackages(root)));
rmSync(SMALL_OUTPUT, { force: true });
await writeSampleBam(join(root, 'dist'), SAMPLE_BAM);
for (const words of COMPILED) run('../tools/build/keep-code.mjs', ...words);
rmSync(SMALL_OUTPUT);
rmSync(SAMPLE_BAM);
writeFileSync(STAMP, sources);
