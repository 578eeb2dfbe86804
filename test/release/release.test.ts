/**
 * The archives themselves: made twice, taken apart, and the one for Linux on x64 run in a bare Debian root, on the CPU
 * and on a software GPU. Takes minutes and downloads 100 MB for each platform, so it runs only at night (all platforms)
 * or if GPUSORT_TEST_RELEASE names platforms, with spaces between. Replaces dist/release/.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, which runs without a build
import { NODE_VERSION, PLATFORMS } from '../../tools/release/platforms.mjs';
import { read } from '../docs/documents.js';
// @ts-expect-error
import { unpackSwiftshader } from '../setup/swiftshader.mjs';
import { NIGHTLY } from '../support/tier.js';
import { makeRoot, putIntoRoot, runInRoot, whyNoRoot } from './bare-root.js';
import { hostPlatform, ROOT, temporaryFolder } from './installation.js';
import { machineCode } from './magic.js';

const MINUTES = 60_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const requested = process.env.GPUSORT_TEST_RELEASE ?? (NIGHTLY ? Object.keys(PLATFORMS).join(' ') : '');
const platforms = requested.split(' ').filter(Boolean);
/** The machine code in each archive: Node's, and the library of webgpu. */
const CODE: Readonly<Record<string, readonly [string, string]>> = {
  'linux-x64': ['elf x64', 'elf x64'],
  'linux-arm64': ['elf arm64', 'elf arm64'],
  'darwin-arm64': ['mach-o arm64 signed', 'mach-o arm64 signed, mach-o x64'],
  'darwin-x64': ['mach-o x64 signed', 'mach-o arm64 signed, mach-o x64'],
  'win-x64': ['pe x64', 'pe x64'],
};

/** All files in share/, in order. */
const INSTALLED_FILES = [
  'bash-completion/completions/gpusort',
  'fish/vendor_completions.d/gpusort.fish',
  'man/man1/gpusort.1',
  'zsh/site-functions/_gpusort',
];

let directory: string;
let released: string;

function makeRelease(names: readonly string[]): string {
  const args = ['tools/release/main.mjs', '--no-build', '--level', '1', ...names];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const copy = join(directory, `release-${readdirSync(directory).length}`);
  cpSync(join(ROOT, 'dist/release'), copy, { recursive: true });
  return copy;
}

/** Unpacks an archive; returns its top folder. */
function unpack(name: string): string {
  const target = join(directory, name);
  const archive = join(released, `gpusort-${version}-${name}${PLATFORMS[name].extension}`);
  mkdirSync(target, { recursive: true });
  const [command, ...args] = archive.endsWith('.zip')
    ? ['unzip', '-q', '-o', archive, '-d', target]
    : ['tar', '-xpf', archive, '-C', target];
  expect(spawnSync(command!, args).status).toBe(0);
  expect(readdirSync(target)).toEqual([`gpusort-${version}-${name}`]);
  return join(target, `gpusort-${version}-${name}`);
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

beforeAll(() => {
  if (platforms.length === 0) return;
  directory = temporaryFolder();
  released = makeRelease(platforms);
}, 60 * MINUTES);

afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

describe.skipIf(platforms.length === 0)('a release', () => {
  it('has checksums of everything in it', () => {
    const sums = readFileSync(join(released, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const named = Object.fromEntries(sums.map((line) => line.split('  ').reverse()));
    const files = readdirSync(released).filter((name) => name !== 'SHA256SUMS' && name !== 'recipes');
    expect(Object.keys(named).sort()).toEqual(files.sort());
    for (const file of files) expect(sha256(join(released, file)), file).toBe(named[file]);
    for (const name of platforms) expect(files).toContain(`gpusort-${version}-${name}.cdx.json`);
  });

  it(
    'is made of equal bytes again',
    () => {
      const name = platforms.find((candidate) => candidate === hostPlatform()) ?? platforms[0]!;
      const again = makeRelease([name]);
      for (const file of readdirSync(again).filter((file) => file.startsWith('gpusort-')))
        expect(sha256(join(again, file)), file).toBe(sha256(join(released, file)));
    },
    20 * MINUTES,
  );
});

describe.each(platforms)('the archive for %s', (name) => {
  const isWindows = name === 'win-x64';
  const executable = `lib/gpusort/node${isWindows ? '.exe' : ''}`;

  it('has the machine code of its platform alone, unmodified, and the modes of programs', () => {
    const top = unpack(name);
    const library = `lib/gpusort/node_modules/webgpu/dist/${PLATFORMS[name].webgpu}`;
    expect(readdirSync(join(top, library, '..'))).toEqual([PLATFORMS[name].webgpu]);
    expect([executable, `${library}/dawn.node`].map((path) => machineCode(readFileSync(join(top, path))))).toEqual(
      CODE[name],
    );
    const bill = JSON.parse(readFileSync(join(released, `gpusort-${version}-${name}.cdx.json`), 'utf8'));
    const parts: { name: string; version: string; components?: { name: string; hashes: { content: string }[] }[] }[] =
      bill.components;
    expect(parts.find((part) => part.name === PLATFORMS[name].package)?.version).toBe(NODE_VERSION);
    for (const { name: path, hashes } of parts.flatMap((part) => part.components ?? []))
      expect(sha256(join(top, path)), path).toBe(hashes[0]!.content);
    if (!isWindows) {
      for (const path of ['bin/gpusort', executable]) expect(statSync(join(top, path)).mode & 0o777, path).toBe(0o755);
      expect(statSync(join(top, 'LICENSE')).mode & 0o777).toBe(0o644);
    }
    expect(statSync(join(top, executable)).size).toBeLessThan(140e6);
  });

  it('has a manual page, completions, licenses and a README', () => {
    const top = unpack(name);
    const text = (path: string): string => readFileSync(join(top, path), 'utf8');
    expect(text('share/man/man1/gpusort.1')).toBe(readFileSync(join(ROOT, 'docs/gpusort.1'), 'utf8'));
    expect(text('share/bash-completion/completions/gpusort')).toContain('complete -o default -F _gpusort gpusort');
    expect(text('share/zsh/site-functions/_gpusort')).toMatch(/^#compdef gpusort\n/);
    expect(text('share/fish/vendor_completions.d/gpusort.fish')).toContain('complete -c gpusort');
    expect(text('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
    for (const line of ['Node.js is licensed for use as follows:', 'The Dawn & Tint Authors', 'chalk'])
      expect(text('THIRD-PARTY-LICENSES.txt')).toContain(line);
    expect(text('README.md')).toContain(isWindows ? 'bin\\gpusort --help' : 'bin/gpusort --help');
  });
});

const reason = platforms.includes('linux-x64') ? whyNoRoot() : 'the archive for linux-x64 is not requested';

describe.skipIf(reason !== null)(`in a bare Debian root${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  const program = `/opt/gpusort-${version}-linux-x64/bin/gpusort`;
  let bare: string;

  beforeAll(() => {
    bare = join(directory, 'bare');
    makeRoot(bare);
    putIntoRoot(bare, unpack('linux-x64'), `opt/gpusort-${version}-linux-x64`);
    putIntoRoot(bare, join(ROOT, 'README.md'), 'README.md');
  }, 20 * MINUTES);

  it('sorts on the CPU, with nothing installed', () => {
    expect(runInRoot(bare, 'command -v node xz curl').stdout).toBe('');
    const line = `ln -s ..${program} /usr/sort && /usr/sort README.md | md5sum && /usr/bin/sort README.md | md5sum`;
    const { status, stdout, stderr } = runInRoot(bare, line);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(new Set(stdout.trim().split('\n')).size).toBe(1);
    const collated = runInRoot(bare, `${program} --locale=de README.md | wc -l; wc -l < README.md`);
    expect(new Set(collated.stdout.trim().split('\n')).size).toBe(1);
    expect(collated.stderr).toBe('');
    // An archive has no compiled code: sorts leave that of each bundle they load in the user's cache.
    expect(runInRoot(bare, 'ls /root/.cache/gpusort').stdout).toMatch(/^(22\.[\w.-]+\.code\n)+$/);
  });

  it('is installed for all users as docs/install.md says, and puts nothing else into /usr/local', () => {
    // The first of them unpacks.
    const [, ...commands] = read('docs/install.md')
      .replaceAll('gpusort-0.1.0', `gpusort-${version}`)
      .match(/^(?:tar|ln|cp) .* ?\/(?:opt|usr\/local)\b.*$/gm)!;
    expect(commands).toHaveLength(2);
    const list = 'find /usr/local ! -type d | sort';
    const line = `${list} > before; ${commands.join(' && ')} && gpusort --version | head -n 1; ${list} | comm -13 before -`;
    const { status, stdout, stderr } = runInRoot(bare, line);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      `gpusort ${version}`,
      '/usr/local/bin/gpusort',
      ...INSTALLED_FILES.map((path) => `/usr/local/share/${path}`),
      '',
    ]);
  });

  it('says what a GPU needs', () => {
    const { status, stderr } = runInRoot(bare, `${program} --engine gpu README.md`);
    expect(status).toBe(2);
    expect(stderr).toContain('Vulkan loader (Debian, Ubuntu: libvulkan1)');
  });

  it(
    'sorts on a software GPU, with the Vulkan loader and a driver',
    () => {
      putIntoRoot(bare, unpackSwiftshader(ROOT), 'opt/vulkan');
      const set = 'export LD_LIBRARY_PATH=/opt/vulkan VK_DRIVER_FILES=/opt/vulkan/vk_swiftshader_icd.json';
      const line = `head -n 40 README.md > in; ${set}; ${program} --engine gpu in | cmp - sorted && echo same`;
      const { stdout, stderr } = runInRoot(
        bare,
        `sort README.md > /dev/null; head -n 40 README.md | sort > sorted; ${line}`,
      );
      expect({ stdout, stderr }).toEqual({ stdout: 'same\n', stderr: '' });
    },
    3 * MINUTES,
  );
});
