/**
 * Touches memory before anything is timed. Some machines, often virtual ones, get a page of memory only when it is
 * first used. Then the first file in memory costs more than later ones, and the program that runs first looks slow.
 */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const TMPFS = 0x01021994;
const BLOCK_BYTES = 4 << 20;
/** Smaller sizes are not worth the time, or a line of output. */
const LEAST_BYTES = 1e9;
/** The fraction of the machine's available memory that may be used. */
const MOST_OF_AVAILABLE = 0.6;

/**
 * Bytes of the files that exist at the same time in the largest of `rows`: the input, the output, and GNU sort's output
 * for comparison.
 * @param {readonly import('./rows.mjs').Row[]} rows
 * @param {number} scale
 */
export function bytesAtOnce(rows, scale) {
  return Math.max(...rows.map((row) => row.bytes * scale * (row.programs.includes('gnu') ? 3 : 2)));
}

/**
 * Writes and deletes a file of about `bytes` bytes in `directory`, if the directory is in memory and the file is large.
 * @param {string} directory
 * @param {number} bytes
 * @returns {string} a sentence about the action; empty: nothing was done
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
    for (let at = 0; at < size; ) at += writeSync(file, block, 0, Math.min(BLOCK_BYTES, Math.ceil(size - at)));
  } finally {
    closeSync(file);
    rmSync(path);
  }
  const seconds = (performance.now() - begin) / 1000;
  const what = `a file of ${(size / 1e9).toFixed(1)} GB`;
  return `Touched memory (its first use may cost more): ${what}, written and deleted in ${seconds.toFixed(1)} s`;
}
