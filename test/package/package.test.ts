/** The npm package: its contents, its size, and its installation without a network. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifest, npm, type Packed, pack, ROOT } from './packed.js';

/**
 * Bytes. A change that exceeds this must give a reason. The last ones were the kernels that inflate and compress on a
 * GPU, and those that sort BAM there.
 */
const MOST = { packed: 1_060_000, unpacked: 4_000_000 };
/** All files that may be in it. */
const EXPECTED = [
  /^(?:LICENSE|README\.md|package\.json)$/,
  /^bin\/[\w-]+\.cjs$/,
  /^dist\/bundle\/(?:LICENSES\.txt|[\w-]+\.(?:cjs|mjs|d\.[cm]?ts))$/,
  /^dist\/types\/[\w./-]+\.d\.ts$/,
  /^dist\/wasm\/(?:alignments|bam|codecs|cpu|deflate|index|keys|verify)\.wasm$/,
  /^docs\/gpusort\.1$/,
  /^kernels\/wgsl\/[\w/-]+\.wgsl$/,
];
/** Scripts that npm would run where the package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

let directory: string;
let packed: Packed;

beforeAll(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-package-'));
  chmodSync(directory, 0o755);
  packed = pack(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The paths that an export map names. */
const targets = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(targets);

it('npm pack builds what changed', () => {
  expect(manifest(ROOT).scripts.prepack).toBe('node tools/build/main.mjs');
});

describe('the package', () => {
  it('has the files that the program needs, and no others', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !EXPECTED.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(['bin/load.cjs', 'dist/bundle/core.cjs', 'bin/worker.cjs', 'dist/wasm/keys.wasm']),
    );
    const kernels = readdirSync(join(ROOT, 'kernels/wgsl'), { recursive: true, encoding: 'utf8' });
    expect(paths.filter((path) => path.endsWith('.wgsl'))).toHaveLength(
      kernels.filter((path) => path.endsWith('.wgsl')).length,
    );
  });

  it('is small', () => {
    expect(packed.size).toBeLessThan(MOST.packed);
    expect(packed.unpackedSize).toBeLessThan(MOST.unpacked);
  });

  it('names neither source maps nor folders of this machine', () => {
    const found = packed.files.filter(({ path }) => {
      const text = readFileSync(join(packed.folder, path), 'latin1');
      return text.includes('sourceMappingURL=') || [ROOT, `${homedir()}/`].some((folder) => text.includes(folder));
    });
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it('has types that compilers before TypeScript 5.7 read: arrays of numbers take no parameter', () => {
    const types = packed.files.filter(({ path }) => path.endsWith('.d.ts'));
    const generic = /\b(Big)?(Int|Uint|Float)\d+(Clamped)?Array</;
    expect(types.length).toBeGreaterThan(5);
    expect(types.filter(({ path }) => generic.test(readFileSync(join(packed.folder, path), 'utf8')))).toEqual([]);
  });

  it('has each file that package.json names', () => {
    const { bin, man, exports } = manifest(packed.folder);
    const named = [...Object.values(bin), ...man, ...targets(exports)];
    expect(named.filter((path) => !statSync(join(packed.folder, path), { throwIfNoEntry: false })?.isFile())).toEqual(
      [],
    );
  });

  it('has a program that systems can start', () => {
    for (const path of Object.values(manifest(packed.folder).bin)) {
      expect(statSync(join(packed.folder, path)).mode & 0o111).toBe(0o111);
      expect(readFileSync(join(packed.folder, path), 'latin1')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it('has the license of each package that its programs contain', () => {
    const texts = readFileSync(join(packed.folder, 'dist/bundle/LICENSES.txt'), 'utf8');
    for (const file of readdirSync(join(packed.folder, 'dist/bundle')).filter((name) => name.endsWith('.cjs'))) {
      const program = readFileSync(join(packed.folder, 'dist/bundle', file), 'utf8');
      for (const [, name] of program.matchAll(/^\/\/ node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//gm))
        expect(texts).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  it('runs no script when it is installed, and needs no other package', () => {
    const { scripts, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest(
      packed.folder,
    );
    expect(INSTALL_SCRIPTS.filter((name) => name in scripts)).toEqual([]);
    expect({ ...dependencies, ...optionalDependencies }).toEqual({});
    expect(Object.keys(peerDependencies)).toEqual(['webgpu']);
    expect(peerDependenciesMeta).toEqual({ webgpu: { optional: true } });
  });
});

describe.skipIf(process.platform === 'win32')('installed without a network', () => {
  let prefix: string;

  beforeAll(() => {
    prefix = join(directory, 'prefix');
    const { status, stdout, stderr } = npm(['install', '--global', '--prefix', prefix, packed.archive], directory);
    expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: '' });
  });

  it('sorts, and has its manual page', () => {
    writeFileSync(join(directory, 'input'), 'b\na\n');
    const { stdout, stderr } = spawnSync(join(prefix, 'bin/gpusort'), [join(directory, 'input')], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'a\nb\n', stderr: '' });
    expect(readFileSync(join(prefix, 'share/man/man1/gpusort.1'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'docs/gpusort.1'), 'utf8'),
    );
  });

  it('names the command that installs the GPU library, and finds it then', () => {
    const run = (option: string) =>
      spawnSync(join(prefix, 'bin/gpusort'), [option, join(directory, 'input')], { encoding: 'utf8' });
    const command = `npm install --global webgpu@${/\d+\.\d+/.exec(manifest(packed.folder).peerDependencies.webgpu!)![0]}`;
    expect(run('--engine=gpu')).toMatchObject({
      status: 2,
      stderr: `gpusort: no GPU can be used: the webgpu package is not installed\nRun ${command}, or use --engine cpu.\n`,
    });
    expect(readFileSync(join(ROOT, 'docs/install.md'), 'utf8')).toContain(
      command.replace('--global', '--global gpusort'),
    );
    const beside = join(prefix, 'lib/node_modules/webgpu');
    symlinkSync(join(ROOT, 'node_modules/webgpu'), beside);
    expect(run('--version').stdout).toMatch(/^webgpu \d/m);
    rmSync(beside);
  });

  it.skipIf(process.getuid?.() !== 0)('sorts for another user, who can write nothing', () => {
    writeFileSync(join(directory, 'input'), 'b\na\n');
    const words = ['--reuid=65534', '--regid=65534', '--clear-groups', join(prefix, 'bin/gpusort'), 'input'];
    const { stdout, stderr } = spawnSync('setpriv', words, {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'a\nb\n', stderr: '' });
  });
});
