/**
 * The recipes of tools/packaging/, filled in for a release: their own linters, where installed, and what conda and
 * Homebrew would run.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, which runs without a build
import { bundledPackages } from '../../tools/release/bundled.mjs';
// @ts-expect-error
import { writeRecipes } from '../../tools/release/recipes.mjs';
import { read } from '../docs/documents.js';
import { pack } from '../package/packed.js';
import { ROOT, temporaryFolder, UNIX_HOST } from './installation.js';

const directory = temporaryFolder();
const recipes = join(directory, 'recipes');
const FACTS = { version: '1.2.3', npmHash: 'ab'.repeat(32), webgpuVersion: '4.5.6', webgpuHash: 'cd'.repeat(32) };
writeRecipes(join(ROOT, 'tools/packaging'), recipes, FACTS);

const META = join(recipes, 'conda/meta.yaml');
const FORMULA = join(recipes, 'homebrew/gpusort.rb');
const DOCKERFILE = join(recipes, 'container/Dockerfile');
/** Homebrew's own style, as far as RuboCop alone knows it. */
const RUBOCOP = `
AllCops: { NewCops: enable }
Style/StringLiterals: { EnforcedStyle: double_quotes }
Style/StringLiteralsInInterpolation: { EnforcedStyle: double_quotes }
Layout/SpaceAroundOperators: { Enabled: false }
Layout/LineLength: { Max: 118 }
Metrics: { Enabled: false }
`;

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** The output of a linter; empty if it has no complaint. */
function said(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${program}: status ${status}\n${stdout}${stderr}`;
}

/** The recipe as conda-build would read it on Linux: variables replaced, lines for other platforms left out. */
function renderedMeta(): string {
  const text = readFileSync(META, 'utf8');
  const variables = new Map(
    [...text.matchAll(/^\{% set (\w+) = "(.*)" %\}$/gm)].map(([, name, value]) => [name, value]),
  );
  return text
    .split('\n')
    .filter((line) => !/^\{%|# \[win\]$/.test(line))
    .map((line) => line.replace(/\{\{ (\w+) \}\}/g, (_, name: string) => variables.get(name)!))
    .map((line) => line.replace(/\{\{ pin_subpackage\(.*\) \}\}/, 'gpusort').replace(/ {2}# \[linux\]$/, ''))
    .join('\n');
}

it('fills in every placeholder, and rejects unknown ones', () => {
  for (const file of [META, FORMULA, DOCKERFILE]) {
    expect(readFileSync(file, 'utf8')).not.toMatch(/@[A-Z]/);
    expect(readFileSync(file, 'utf8')).toContain('1.2.3');
  }
  for (const file of [META, FORMULA]) {
    for (const package_ of ['gpusort/-/gpusort-1.2.3.tgz', 'webgpu/-/webgpu-4.5.6.tgz'])
      expect(readFileSync(file, 'utf8')).toContain(`https://registry.npmjs.org/${package_}`);
    for (const hash of [FACTS.npmHash, FACTS.webgpuHash]) expect(readFileSync(file, 'utf8')).toContain(hash);
  }
  mkdirSync(join(directory, 'wrong'));
  writeFileSync(join(directory, 'wrong/recipe'), 'version: @VERSOIN@');
  expect(() => writeRecipes(join(directory, 'wrong'), join(directory, 'written'), FACTS)).toThrow('names @VERSOIN@');
});

it('use the package of npm run release after the commands of docs/install.md', () => {
  const place = join(directory, 'clone');
  cpSync(recipes, join(place, 'dist/release/recipes'), { recursive: true });
  const commands = read('docs/install.md').match(/^sed .*$/gm)!;
  const files = ['conda/meta.yaml', 'homebrew/gpusort.rb'].map((file) => join(place, 'dist/release/recipes', file));
  expect(commands).toHaveLength(files.length);
  const changed = spawnSync('sh', ['-c', `PWD=/clone; ${commands.join(' && ')}`], { cwd: place, encoding: 'utf8' });
  expect({ status: changed.status, stderr: changed.stderr }).toEqual({ status: 0, stderr: '' });
  for (const text of files.map((file) => readFileSync(file, 'utf8'))) {
    expect(text).toMatch(/^# gpusort is not on npm yet\./m);
    expect(text).toContain('file:///clone/dist/release/gpusort-1.2.3.tgz');
    expect(text).not.toContain('registry.npmjs.org/gpusort');
  }
});

describe('the recipe for conda', () => {
  it('names the sources of one release', () => {
    const text = renderedMeta();
    expect(text).not.toMatch(/\{\{|%\}/);
    expect(text).toContain(
      `url: https://registry.npmjs.org/webgpu/-/webgpu-4.5.6.tgz\n    sha256: ${FACTS.webgpuHash}`,
    );
  });

  it('has the programs that its script runs, and the licenses of what it contains', () => {
    const text = renderedMeta();
    expect(text).toMatch(/^requirements:\n {2}build:\n {4}- nodejs /m);
    expect(readFileSync(join(recipes, 'conda/build.sh'), 'utf8')).toMatch(/^ {2}node /m);
    const bundled = (bundledPackages(ROOT) as { licenses: string[] }[]).flatMap(({ licenses }) => licenses);
    const [, named] = /^ {2}license: (.*)$/m.exec(text)!;
    expect(named!.split(' AND ').sort()).toEqual([...new Set(['BSD-3-Clause', ...bundled])].sort());
    expect(text).toContain('    - dist/bundle/LICENSES.txt\n');
  });

  it.skipIf(!isInstalled('yamllint'))('is YAML without a complaint of yamllint', () => {
    const file = join(directory, 'meta.yaml');
    writeFileSync(file, renderedMeta());
    const rules = '{extends: default, rules: {document-start: disable, line-length: {max: 120}, truthy: disable}}';
    expect(said('yamllint', ['--strict', '-d', rules, file])).toBe('');
  });

  it.skipIf(!isInstalled('shellcheck'))('builds with a script that shellcheck accepts', () => {
    expect(said('shellcheck', [join(recipes, 'conda/build.sh')])).toBe('');
  });

  it.skipIf(UNIX_HOST === undefined)('installs a program that runs, with the library of its platform alone', () => {
    const [source, prefix] = [join(directory, 'source'), join(directory, 'prefix')];
    for (const path of ['bin', 'dist/bundle', 'dist/wasm', 'kernels/wgsl', 'package.json', 'docs/gpusort.1'])
      cpSync(join(ROOT, path), join(source, path), { recursive: true });
    for (const path of ['index.js', 'package.json', 'LICENSE.md', ...platformLibraries()]) {
      mkdirSync(join(source, 'webgpu', path, '..'), { recursive: true });
      writeFileSync(join(source, 'webgpu', path), path === 'package.json' ? '{"version":"4.5.6"}' : '');
    }
    const env = { PATH: process.env.PATH, SRC_DIR: source, PREFIX: prefix, target_platform: 'linux-aarch64' };
    const script = join(recipes, 'conda/build.sh');
    const built = spawnSync('bash', [script], { env, encoding: 'utf8' });
    expect({ status: built.status, stderr: built.stderr }).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(join(prefix, 'lib/gpusort/node_modules/webgpu/dist'))).toEqual(['linux-arm64']);
    for (const path of ['share/man/man1/gpusort.1', 'share/zsh/site-functions/_gpusort'])
      expect(existsSync(join(prefix, path)), path).toBe(true);
    const sorted = spawnSync(join(prefix, 'bin/gpusort'), ['-k2,2n'], { input: 'b 2\na 10\n', encoding: 'utf8' });
    expect(sorted.stdout).toBe('b 2\na 10\n');
    const refused = spawnSync('bash', [script], { env: { ...env, target_platform: 'win-64' }, encoding: 'utf8' });
    expect({ status: refused.status, stderr: refused.stderr }).toEqual({
      status: 1,
      stderr: 'gpusort: webgpu has no library for win-64\n',
    });
  });
});

function platformLibraries(): string[] {
  return ['linux-x64', 'linux-arm64', 'darwin-universal', 'win32-x64'].map((name) => `dist/${name}/dawn.node`);
}

describe('the formula for Homebrew', () => {
  it.skipIf(!isInstalled('ruby'))('is Ruby', () => {
    expect(said('ruby', ['-c', FORMULA])).toBe('');
  });

  it.skipIf(!isInstalled('ruby') || UNIX_HOST === undefined)(
    'installs a program that runs (test/release/formula.rb)',
    () => {
      const [webgpu, prefix] = [join(directory, 'webgpu'), join(directory, 'cellar')];
      for (const path of ['index.js', 'package.json', 'LICENSE.md', ...platformLibraries()]) {
        mkdirSync(join(webgpu, path, '..'), { recursive: true });
        writeFileSync(join(webgpu, path), path === 'package.json' ? '{"version":"4.5.6"}' : '');
      }
      const words = [join(ROOT, 'test/release/formula.rb'), FORMULA, pack(directory).archive, webgpu, prefix];
      const { status, stderr } = spawnSync('ruby', words, {
        encoding: 'utf8',
        env: { ...process.env, HOME: directory },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const packages = join(prefix, 'libexec/lib/node_modules');
      expect(readdirSync(packages)).toEqual(['gpusort']);
      const library = process.platform === 'darwin' ? 'darwin-universal' : UNIX_HOST;
      expect(readdirSync(join(packages, 'gpusort/node_modules/webgpu/dist'))).toEqual([library]);
      expect(existsSync(join(prefix, 'share/man/man1/gpusort.1'))).toBe(true);
      const run = (...args: string[]) =>
        spawnSync(join(prefix, 'bin/gpusort'), args, { input: 'b 2\na 10\n', encoding: 'utf8' }).stdout;
      expect(run('-k2,2n')).toBe('b 2\na 10\n');
      expect(run('--version')).toMatch(/^webgpu 4\.5\.6$/m);
    },
  );

  it.skipIf(!isInstalled('rubocop'))('has no offense that RuboCop finds', () => {
    writeFileSync(join(directory, 'rubocop.yml'), RUBOCOP);
    expect(said('rubocop', ['--config', join(directory, 'rubocop.yml'), FORMULA])).toBe('');
  });
});

describe('the Dockerfile', () => {
  it('has no mistake that dockerfile-utils finds', () => {
    expect(validate(readFileSync(DOCKERFILE, 'utf8')).map(({ message }) => message)).toEqual([]);
    expect(validate('FORM debian\n')).not.toEqual([]);
  });

  it('runs as another user than root, with the archives of the release (test/release/image.test.ts builds it)', () => {
    const text = readFileSync(DOCKERFILE, 'utf8');
    expect(text).toMatch(/^USER [1-9]\d+$/m);
    expect(text).toMatch(/^COPY gpusort-1\.2\.3-linux-\*\.tar\.xz \/$/m);
  });
});
