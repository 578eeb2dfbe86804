/**
 * Allocates the pages of an output file in memory (tmpfs) while the input is read. Writing into new pages takes nearly
 * twice as long as writing into allocated ones, and one call allocates all: for 4 GB it takes 0.38 s, and writing then
 * takes 0.75 s instead of 1.2 (H200 machine, 27 November 2026). On disks nothing is gained.
 */
import { spawn } from 'node:child_process';
import { fileSystem } from '../system/file-system.js';

/** The file system type of tmpfs, a Linux magic number. */
const TMPFS = 0x01021994;
/** Smaller files gain less time than starting a program takes. */
const LEAST_BYTES = 256 << 20;

/**
 * Allocates the first `bytes` of `fd` if it is an empty file in memory; its size stays 0. Nothing should be written
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
