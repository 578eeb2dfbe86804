/**
 * Builds dist/: the modules that tests and benchmarks import, the WebAssembly kernels, and the bundles that users run,
 * with V8's code cache. `npm run build` runs it. It does nothing if dist/ is what these sources and this Node make.
 *
 *     node tools/build/main.mjs [--force|--only=wasm|bundles]
 *
 * --force: builds anyway. --only: the bundles (`wasm`: and the kernels), without a code cache; the other files are
 * those of the last build.
 */
// Everything is made in a folder of its own, so programs start meanwhile, and a build that fails changes nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, licenseFile } from '../release/bundled.mjs';
import { inlineKernels } from './inline-kernels.mjs';
import { keepTypes } from './keep-types.mjs';
import { makeProgram, packagesIn } from './program.mjs';
import { buildId, copyBuild, isCurrent, publish } from './publish.mjs';
import { writeSampleBam } from './sample-bam.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const dist = join(root, 'dist');
/** The rooms of kernels/wasm/ that become modules. They include the others. */
const WASM_MODULES = ['alignments', 'bam', 'codecs', 'cpu', 'deflate', 'index', 'keys', 'verify'];
/**
 * The library's first statements. Its imports of Node's modules are found by old versions, too. Packages in CommonJS
 * call `require`.
 */
const CHECK_NODE =
  "import { createRequire as requireFor } from 'node:module';" +
  'const require = requireFor(import.meta.url);' +
  "require('../../bin/node-version.cjs').check();";

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
/** A folder of a build that was killed is removed after this time. */
const ABANDONED_MS = 3_600_000;

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

/** Runs a program of a development dependency, by its file; exits with its status if it fails. */
function run(file, ...args) {
  const words = [join(root, 'node_modules', file), ...args];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The folder that this build is made in: a package with nothing but the program. It is removed when this process
 * ends.
 */
function makePackage() {
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist).filter((one) => one.startsWith('build-'))) {
    const made = statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > ABANDONED_MS) rmSync(join(dist, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(dist, 'build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['bundle', 'wasm']) mkdirSync(join(folder, 'dist', part), { recursive: true });
  return folder;
}

function makeModules(built) {
  run('typescript/bin/tsc', '-p', 'tsconfig.json', '--outDir', built, '--declarationDir', join(built, 'types'));
  keepTypes(join(built, 'types'), ['index.d.ts', 'browser/index.d.ts']);
}

function makeWasm(built) {
  for (const room of WASM_MODULES) {
    const outFile = join(built, 'wasm', `${room}.wasm`);
    run('assemblyscript/bin/asc.js', '--config', `kernels/wasm/${room}/asconfig.json`, '--outFile', outFile);
  }
}

/** Needs the WebAssembly kernels: the library's bundle names the build of the program whose files its threads load. */
async function makeBundles(built) {
  const bundles = join(built, 'bundle');
  await makeProgram(root, bundles);
  const library = join(bundles, 'index.mjs');
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: ['src/index.ts'],
    outfile: library,
    bundle: true,
    // Names stay, so stacks can be read. It is a third of the package.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['webgpu'],
    define: { BUILD_ID: JSON.stringify(buildId(built)) },
    banner: { js: CHECK_NODE },
    logLevel: 'warning',
  });
  writeFileSync(library, packagesIn(metafile) + readFileSync(library, 'utf8'));
  await build({
    absWorkingDir: root,
    entryPoints: { kernels: 'src/browser/index.ts' },
    outdir: bundles,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    plugins: [inlineKernels(root)],
    logLevel: 'warning',
  });
  writeFileSync(join(bundles, 'LICENSES.txt'), licenseFile(bundledPackages(root, bundles)));
}

/**
 * Keeps the compiled code of some commands: each calls the functions of a usual start. The code of a bundle comes from
 * the first one that loads it.
 */
async function keepCode(folder) {
  const [small, bam] = [join(folder, 'small-output'), join(folder, 'sample.bam')];
  await writeSampleBam(join(folder, 'dist'), bam);
  const core = join(folder, 'dist/bundle/core.cjs');
  for (const words of [
    ['-k1,1n', 'bin/webgpu.cjs', '-o', small],
    ['--engine=cpu', '--parallel=2', '--chunk-size=64K', '-k1,1n', core, '-o', devNull],
    ['--engine=cpu', '--by=coordinate', '--level=1', '--parallel=2', bam, '-o', devNull],
    ['--version'],
  ])
    run('../tools/build/keep-code.mjs', folder, ...words);
}

const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const sources = digestOfSources();
if (only === undefined && !process.argv.includes('--force') && isCurrent(dist, sources)) process.exit(0);
const folder = makePackage();
const built = join(folder, 'dist');
if (only === undefined) makeModules(built);
else {
  copyBuild(dist, built);
  // V8 accepts the code of another program of the same length.
  for (const name of readdirSync(join(built, 'bundle')))
    if (name.endsWith('.code')) rmSync(join(built, 'bundle', name));
}
if (only !== 'bundles') makeWasm(built);
await makeBundles(built);
if (only === undefined) await keepCode(folder);
publish(built, dist, only === undefined ? sources : null);
