/**
 * Allocates the pages of an output file in memory (tmpfs) while the input is read. Writing into new pages takes nearly
 * twice as long as writing into these, and one call allocates all: 4 GB take 0.38 s, and then 0.75 s to write instead
 * of 1.2 (H200 machine, 27 November 2026). On disks this is no gain.
 */
import { spawn } from 'node:child_process';
import { fileSystem } from '../system/file-system.js';

/** The file system type of tmpfs, a Linux magic number. */
const TMPFS = 0x01021994;
/** Smaller files gain less than it takes to start a program. */
const LEAST_BYTES = 256 << 20;

/**
 * Allocates the first `bytes` of `fd` if that is an empty file in memory; it stays empty. Nothing should be written
 * before the promise resolves. Never rejects: without util-linux's `fallocate`, or without enough space, nothing
 * happens, and writing the real bytes will report what is wrong.
 */
export function readyPages(fd: number, bytes: number): Promise<void> {
  if (bytes < LEAST_BYTES || !isEmptyInMemory(fd)) return Promise.resolve();
  return new Promise((resolve) => {
    const child = spawn('fallocate', ['--keep-size', '--length', String(bytes), '/proc/self/fd/3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
    });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
}

function isEmptyInMemory(fd: number): boolean {
  try {
    const stats = fileSystem.fstatSync(fd);
    return stats.isFile() && stats.size === 0n && fileSystem.statfsSync(Buffer.from(`/proc/self/fd/${fd}`)) === TMPFS;
  } catch {
    return false; // nothing is known of it, and nothing is lost
  }
}
