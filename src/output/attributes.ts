/**
 * Copies mode, owner, group, access control lists and extended attributes from one open file to another. Node has no
 * calls for the last two, so `cp` of GNU coreutils does it. It works on descriptors, so no name is looked up again.
 */
import { spawn } from 'node:child_process';
import { fileSystem } from '../system/file-system.js';
import { isLinux } from '../system/platform.js';

const MODE_BITS = 0o7777n;
/** The set-user-ID, set-group-ID and sticky bits. Writing to a file may clear the first two; replacing it would not. */
const SPECIAL_BITS = 0o7000n;
/** Exists if SELinux labels files. */
const SELINUX = '/sys/fs/selinux/enforce';

/** Copies everything but contents and times. Resolves to false in case of doubt, and on systems without GNU cp. */
export async function carryAttributes(from: number, to: number): Promise<boolean> {
  if (!isLinux() || (fileSystem.fstatSync(from).mode & SPECIAL_BITS) !== 0n) return false;
  return (await copyByProgram(from, to)) && haveSameOwner(from, to);
}

/** cp reports a failure to copy the mode, the lists or the attributes, but reports one of the owner only to root. */
function haveSameOwner(from: number, to: number): boolean {
  const [a, b] = [fileSystem.fstatSync(from), fileSystem.fstatSync(to)];
  return a.uid === b.uid && a.gid === b.gid && (a.mode & MODE_BITS) === (b.mode & MODE_BITS);
}

function copyByProgram(from: number, to: number): Promise<boolean> {
  const what = fileSystem.existsSync(SELINUX) ? 'mode,ownership,xattr,context' : 'mode,ownership,xattr';
  return new Promise((resolve) => {
    const child = spawn('cp', ['--attributes-only', `--preserve=${what}`, '/proc/self/fd/3', '/proc/self/fd/4'], {
      stdio: ['ignore', 'ignore', 'ignore', from, to],
    });
    child.on('error', () => {
      resolve(false);
    });
    child.on('close', (status) => {
      resolve(status === 0);
    });
  });
}
