/**
 * Packages from npm, unmodified: checked against a pinned hash, kept in .cache/release/, unpacked by tar. No script of
 * a package runs.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ReleaseProblem } from './problem.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * Unpacks a package into `target`.
 * @param {string} cache the folder for downloads
 * @param {{ name: string, version: string, integrity: string }} pinned
 * @param {string} target a folder that does not exist
 */
export function unpackPackage(cache, pinned, target) {
  const file = fetchPackage(cache, pinned);
  mkdirSync(target, { recursive: true });
  const { status } = spawnSync('tar', ['-xzf', file, '-C', target, '--strip-components=1'], { stdio: 'inherit' });
  if (status !== 0) throw new ReleaseProblem(`cannot unpack ${file}`);
}

/** The path of the package's archive, downloaded if it is not there yet. */
export function fetchPackage(cache, { name, version, integrity }) {
  const file = join(cache, `${name}-${version}.tgz`);
  if (existsSync(file) && integrityOf(file) === integrity) return file;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'new-'));
  try {
    const { status, signal, stdout, stderr, error } = spawnSync(
      npm,
      ['pack', `${name}@${version}`, '--ignore-scripts', '--loglevel=error', '--pack-destination', fresh],
      { encoding: 'utf8' },
    );
    if (status !== 0) {
      const reason = error?.message ?? (stderr.trim() || (signal ?? `status ${status}`));
      throw new ReleaseProblem(`npm cannot download ${name}@${version}: ${reason}`);
    }
    const packed = join(fresh, stdout.trim().split('\n').at(-1));
    const found = integrityOf(packed);
    if (found !== integrity)
      throw new ReleaseProblem(`${name}@${version} is not the pinned package: its hash is ${found}, not ${integrity}`);
    renameSync(packed, file);
    return file;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The hash of a file as package-lock.json writes it. */
export function integrityOf(file) {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}
