/**
 * Files in memory on machines that are given their memory as they first touch it (virtual ones, often): there the first file
 * in a page costs more than later ones, so that who comes first looks slow. All is touched once before anything is timed.
 */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const TMPFS = 0x01021994;
const BLOCK_BYTES = 4 << 20;
/** Less than this is not worth a line of output. */
const LEAST_BYTES = 1e9;
/** The part of the machine's available memory that may be taken. */
const MOST_OF_AVAILABLE = 0.6;

/**
 * Bytes of the files that exist at once in the largest of `rows`: input, output, and GNU sort's output to compare with.
 * @param {readonly import('./rows.mjs').Row[]} rows
 * @param {number} scale
 */
export function bytesAtOnce(rows, scale) {
  return Math.max(...rows.map((row) => row.bytes * scale * (row.programs.includes('gnu') ? 3 : 2)));
}

/**
 * Writes and deletes a file of about `bytes` bytes in `directory`, if that is in memory and it is much.
 * @param {string} directory
 * @param {number} bytes
 * @returns {string} what was done; empty: nothing
 */
export function touchMemory(directory, bytes) {
  const { type, bavail, bsize } = statfsSync(directory);
  const size = Math.min(bytes, freemem() * MOST_OF_AVAILABLE, bavail * bsize);
  if (type !== TMPFS || size < LEAST_BYTES) return '';
  const begin = performance.now();
  const path = join(directory, 'touched');
  const block = Buffer.alloc(BLOCK_BYTES);
  const file = openSync(path, 'w');
  try {
    for (let at = 0; at < size;) at += writeSync(file, block, 0, Math.min(BLOCK_BYTES, Math.ceil(size - at)));
  } finally {
    closeSync(file);
    rmSync(path);
  }
  const seconds = (performance.now() - begin) / 1000;
  return `Memory touched before the first row, as its first use may cost more: a file of ${(size / 1e9).toFixed(1)} GB written and deleted in ${seconds.toFixed(1)} s`;
}
