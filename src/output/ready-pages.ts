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
 * Gives file `fd` at `path`, which must be empty and used by nobody else, a size of `bytes` with all its pages. Nothing
 * may be written before it resolves. Never rejects: without util-linux's `fallocate`, or without enough space, the file
 * stays as it is, and writing the real bytes will report what is wrong.
 */
export function readyPages(fd: number, path: Buffer, bytes: number): Promise<void> {
  if (bytes < LEAST_BYTES || !isInMemory(path)) return Promise.resolve();
  return new Promise((resolve) => {
    const child = spawn('fallocate', ['--length', String(bytes), '/proc/self/fd/3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
    });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
}

function isInMemory(path: Buffer): boolean {
  try {
    return fileSystem.statfsSync(path) === TMPFS;
  } catch {
    return false; // the file system is unknown: nothing is lost
  }
}
