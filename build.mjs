/**
 * Builds dist/: the modules that tests and benchmarks import, the WebAssembly kernels, and the bundles that users run,
 * with V8's code cache. `npm run build` runs it.
 *
 *     node build.mjs [--clean]        --clean: remove dist/ first, for a package to publish
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inlineKernels } from './build/inline-kernels.mjs';
import { keepTypes } from './build/keep-types.mjs';
import { bundledPackages, licenseFile } from './release/bundled.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
/** The rooms of kernels/wasm/ that become modules. The others are included by these. */
const WASM_MODULES = ['cpu', 'keys', 'verify'];
/** In CommonJS there is no import.meta.url. */
const MODULE_URL = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;";

/** Runs a command of a development dependency; exits with its status if it fails. */
function run(name, ...args) {
  const { status } = spawnSync(join(root, 'node_modules/.bin', name), args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

// V8 accepts the code of another program of the same length.
rmSync(join(root, process.argv.includes('--clean') ? 'dist' : 'dist/bundle/main.code'), {
  recursive: true,
  force: true,
});
mkdirSync(join(root, 'dist/wasm'), { recursive: true });
run('tsc', '-p', 'tsconfig.json');
for (const room of WASM_MODULES) run('asc', '--config', `kernels/wasm/${room}/asconfig.json`);
await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts', 'src/worker.ts'],
  entryNames: '[name]',
  outdir: 'dist/bundle',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['webgpu'],
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: MODULE_URL },
  logLevel: 'warning',
});
await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: 'dist/bundle/index.mjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  external: ['webgpu'],
  logLevel: 'warning',
});
await build({
  absWorkingDir: root,
  entryPoints: { kernels: 'src/kernels-api.ts' },
  outdir: 'dist/bundle',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  plugins: [inlineKernels(root)],
  logLevel: 'warning',
});
keepTypes(join(root, 'dist/types'), ['index.d.ts', 'kernels-api.d.ts']);
writeFileSync(join(root, 'dist/bundle/LICENSES.txt'), licenseFile(bundledPackages(root)));
await require('./bin/load.cjs').build();
