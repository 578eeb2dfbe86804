/** What `npm ci` removes from development packages, and tools that are installed when they first run. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { manifest, ROOT } from './packed.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('npm ci removes libraries of other platforms and programs of Binaryen, and nothing else', () => {
  expect(manifest(ROOT).scripts.postprepare).toMatch(/^node tools\/build\/prune\.mjs && /);
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'prune-'));
  const ours = `webgpu/dist/${process.platform}-${process.platform === 'darwin' ? 'universal' : process.arch}/dawn.node`;
  const kept = [
    'webgpu/index.js',
    ours,
    'binaryen/index.js',
    'binaryen/bin/package.json',
    'other/dist/plan9-mips/file',
  ];
  for (const path of [...kept, 'webgpu/dist/plan9-mips/dawn.node', 'binaryen/bin/wasm-opt']) {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), '');
  }
  // The second run finds nothing to remove, and a folder without these packages is left alone.
  for (const modules of [directory, directory, join(directory, 'other')])
    expect(spawnSync(process.execPath, [join(ROOT, 'tools/build/prune.mjs'), modules]).status).toBe(0);
  const left = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1));
  expect(left.sort()).toEqual(kept.sort());
  rmSync(directory, { recursive: true });
});

it('the files that stay are those that the packages load', () => {
  const require = createRequire(join(ROOT, 'package.json'));
  const webgpu = dirname(require.resolve('webgpu/package.json'));
  expect(read('node_modules/webgpu/index.js')).toContain("join(__dirname, 'dist', `${process.platform}-${arch}`");
  expect(existsSync(join(webgpu, 'dist'))).toBe(true);
  const binaryen = JSON.parse(read('node_modules/binaryen/package.json')) as { main: string; exports?: unknown };
  expect({ main: binaryen.main, exports: binaryen.exports }).toEqual({ main: 'index.js', exports: undefined });
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const TOOLS = ['lint', 'build/api', 'check-package'];

it.each(TOOLS)('the tools of %s have exact versions, which their lock file has too', (folder) => {
  const { dependencies, devDependencies } = JSON.parse(read(`tools/${folder}/package.json`)) as Manifest;
  const { packages } = JSON.parse(read(`tools/${folder}/package-lock.json`)) as {
    packages: Record<string, Manifest & { readonly version: string }>;
  };
  expect(packages['']).toMatchObject({
    ...(dependencies && { dependencies }),
    ...(devDependencies && { devDependencies }),
  });
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    expect(packages[`node_modules/${name}`].version).toBe(version);
});

it('the settings of the linter are for its version', () => {
  const { dependencies } = JSON.parse(read('tools/lint/package.json')) as { dependencies: Record<string, string> };
  expect(read('biome.json')).toContain(`https://biomejs.dev/schemas/${dependencies['@biomejs/biome']}/schema.json`);
});
