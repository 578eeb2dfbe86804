/**
 * The image for containers, built by Buildah and run. Needs root, Buildah (Debian: buildah) and debootstrap, whose root
 * stands for the base image. Takes minutes, so it runs only if GPUSORT_TEST_RELEASE names linux-x64; it makes the
 * archive in dist/release/ if there is none.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, which runs without a build
import { writeRecipes } from '../../tools/release/recipes.mjs';
import { makeRoot, whyNoRoot } from './bare-root.js';
import { ROOT, temporaryFolder } from './installation.js';

const MINUTES = 60_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const isRequested = (process.env.GPUSORT_TEST_RELEASE ?? '').split(' ').includes('linux-x64');
const hasBuildah = spawnSync('buildah', ['--version']).status === 0;
const RELEASE = join(ROOT, 'dist/release');

describe.skipIf(!isRequested || !hasBuildah || whyNoRoot() !== null)('the image', () => {
  let directory: string;
  let container: string;

  /** Runs Buildah with a store of this test, without namespaces of its own. */
  function buildah(...args: readonly string[]) {
    const store = ['--storage-driver', 'vfs', '--root', join(directory, 'store'), '--runroot', join(directory, 'run')];
    return spawnSync('buildah', [...store, ...args], {
      encoding: 'utf8',
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      maxBuffer: 1 << 26,
    });
  }

  function built(...args: readonly string[]): string {
    const { status, stdout, stderr } = buildah(...args);
    expect(status, `buildah ${args.join(' ')}\n${stderr.split('\n').slice(-20).join('\n')}`).toBe(0);
    return stdout.trim().split('\n').at(-1)!;
  }

  const inImage = (options: readonly string[], ...command: readonly string[]) =>
    buildah('run', ...options, container, '--', ...command);

  beforeAll(() => {
    directory = temporaryFolder();
    if (!existsSync(join(RELEASE, `gpusort-${version}-linux-x64.tar.xz`)))
      expect(
        spawnSync(process.execPath, ['tools/release/main.mjs', '--level', '1', 'linux-x64'], { cwd: ROOT }).status,
      ).toBe(0);
    const base = join(directory, 'base');
    makeRoot(base);
    const scratch = built('from', 'scratch');
    built('copy', '--quiet', scratch, base, '/');
    built('commit', '--quiet', scratch, 'docker.io/library/debian:13-slim');
    const recipes = join(directory, 'recipes');
    writeRecipes(join(ROOT, 'tools/packaging'), recipes, { version, npmHash: '', webgpuVersion: '', webgpuHash: '' });
    const file = join(recipes, 'container/Dockerfile');
    built('build', '--pull-never', '--quiet', '--tag', 'gpusort', '--file', file, RELEASE);
    container = built('from', '--pull-never', 'localhost/gpusort');
  }, 10 * MINUTES);

  afterAll(() => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  it('sorts files of a volume, as a user that is not root', () => {
    const data = join(directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o777);
    writeFileSync(join(data, 'input'), 'b 2\na 10\n');
    const volume = ['--volume', `${data}:/data`];
    expect(inImage(volume, 'gpusort', '-k2,2n', '-o', 'output', 'input')).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync(join(data, 'output'), 'utf8')).toBe('b 2\na 10\n');
    expect(statSync(join(data, 'output')).uid).toBe(10001);
    expect(inImage(volume, 'gpusort', '-c', 'input').status).toBe(1);
    expect(inImage([], 'gpusort', '--version').stdout).toMatch(
      RegExp(`^gpusort ${version}\nNode 22\\.\\d+\\.\\d+\nwebgpu 0\\.`),
    );
  });

  it('finds the Vulkan loader, and holds no second copy of the archive', () => {
    expect(inImage([], 'gpusort', '--adapters').stdout).toContain('no Vulkan driver is installed');
    expect(inImage([], 'sh', '-c', 'ls / /opt; command -v xz').stdout).not.toMatch(/\.tar\.xz|\/xz$/m);
  });

  it('starts gpusort in /data', () => {
    const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/gpusort').stdout) as {
      OCIv1: { config: Record<string, unknown> };
    };
    expect(OCIv1.config).toMatchObject({ Entrypoint: ['gpusort'], WorkingDir: '/data', User: '10001' });
  });
});
