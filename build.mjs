/**
 * Builds dist/: the modules that tests and benchmarks import, the WebAssembly kernels, and the bundles that users run,
 * with V8's code cache. `npm run build` runs it.
 *
 *     node build.mjs [--clean]        --clean: remove dist/ first, for a package to publish
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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

/** Writes the licenses of the packages in the bundles and of AssemblyScript's library, as those licenses demand. */
function writeLicenses(inputs) {
  const bundled = inputs.map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean);
  const packages = new Set([...bundled, 'assemblyscript']);
  const texts = [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  const line = `\n${'-'.repeat(80)}\n\n`;
  writeFileSync(
    join(root, 'dist/bundle/LICENSES.txt'),
    `The programs here contain these packages.\n${line}${texts.join(line)}`,
  );
}

// V8 accepts the code of another program of the same length.
rmSync(join(root, process.argv.includes('--clean') ? 'dist' : 'dist/bundle/main.code'), {
  recursive: true,
  force: true,
});
mkdirSync(join(root, 'dist/wasm'), { recursive: true });
run('tsc', '-p', 'tsconfig.json');
for (const room of WASM_MODULES) run('asc', '--config', `kernels/wasm/${room}/asconfig.json`);
const { metafile } = await build({
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
  metafile: true,
  logLevel: 'warning',
});
writeLicenses(Object.keys(metafile.inputs));
await require('./bin/load.cjs').build();
