/**
 * A Debian root in which nothing is installed but what apt needs, and a copy of it for each test. Needs root,
 * debootstrap and, for the first test, a Debian mirror; the root is kept in .cache/release/.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, shell } from '../cli/run.js';
import { ROOT } from './installation.js';

const RELEASE = 'bookworm';
const KEPT = join(ROOT, '.cache/release', `debian-${RELEASE}`);
/** In namespaces of their own, so that nothing stays mounted. */
const ENTER = `mount -t proc proc "$BARE/proc" && mount --rbind /dev "$BARE/dev" &&
  exec chroot "$BARE" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C sh -c "$LINE"`;

/** Why there is no bare root here; null if there is one. */
export function whyNoRoot(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it is made on Linux on x64';
  if (process.geteuid!() !== 0) return 'debootstrap and chroot need root';
  if (spawnSync('debootstrap', ['--version']).status !== 0) return 'debootstrap is not installed';
  return null;
}

/** A fresh copy of the root in `target`. */
export function makeRoot(target: string): void {
  if (!existsSync(KEPT)) {
    const fresh = `${KEPT}.${process.pid}`;
    mkdirSync(join(KEPT, '..'), { recursive: true });
    const { status, stdout } = spawnSync('debootstrap', ['--variant=minbase', RELEASE, fresh], { encoding: 'utf8' });
    if (status !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      throw new Error(`debootstrap failed:\n${stdout.split('\n').slice(-5).join('\n')}`);
    }
    renameSync(fresh, KEPT);
  }
  // cp, because cpSync does not copy device files.
  spawnSync('cp', ['-a', KEPT, target]);
}

/** Runs a line of sh in the root. */
export function runInRoot(root: string, line: string): Outcome {
  return shell(`unshare --mount --pid --fork sh -c '${ENTER.replaceAll("'", "'\\''")}'`, {
    env: { BARE: root, LINE: line },
  });
}

/** Puts a file or folder into the root. */
export function putIntoRoot(root: string, source: string, path: string): void {
  cpSync(source, join(root, path), { recursive: true });
}
