/**
 * Reads a share of a file of binary records once: how many are out of order, how many keys are equal to the one before,
 * and a sum over the records that does not depend on their order. Also the thread of validate.mjs.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { comparer } from './record-keys.mjs';

/**
 * @typedef {object} Scan
 * @property {number} records
 * @property {number} disorders records that must not follow the one before them
 * @property {number | null} firstDisorder the number of the first of them
 * @property {number} duplicates records whose keys equal those of the one before
 * @property {bigint} checksum the sum of the records' 64-bit hashes, modulo 2^64
 */

const BLOCK_BYTES = 4 << 20;

/** The number of records of a file; a remainder is an error. */
export function countRecords(path, size) {
  const bytes = statSync(path).size;
  if (bytes % size !== 0) throw new Error(`${path}: ${bytes} bytes are no whole number of records of ${size} bytes`);
  return bytes / size;
}

/** Reads bytes of a file at a place, all of them. */
function readAll(file, target, at, bytes, position) {
  for (let done = 0; done < bytes; ) {
    const got = readSync(file, target, at + done, bytes - done, position + done);
    if (got === 0) throw new Error('the file became shorter');
    done += got;
  }
}

/** The last steps of a hash, after which each bit depends on all bits. */
function mixed(hash) {
  let x = hash ^ (hash >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * A function that adds up the hashes of `count` records from the second record of the buffer on. A hash is two of 32
 * bits, of the record's words if it has whole words, otherwise of its bytes.
 * @returns {(count: number) => bigint}
 */
function summer(buffer, size) {
  const units = size % 4 === 0 ? new Uint32Array(buffer) : new Uint8Array(buffer);
  const perRecord = size % 4 === 0 ? size / 4 : size;
  return (count) => {
    // At most 2^22 hashes of 32 bits: their sums are exact.
    let low = 0;
    let high = 0;
    for (let record = 1, at = perRecord; record <= count; record++) {
      let x = 0x2545f491;
      let y = 0x1e3779b9;
      for (const end = at + perRecord; at < end; at++) {
        const unit = units[at] | 0;
        x = Math.imul(x ^ unit, 0x01000193);
        x ^= x >>> 15;
        y = Math.imul(y + unit, 0x5bd1e995);
        y ^= y >>> 13;
      }
      low += mixed(x);
      high += mixed(y);
    }
    return BigInt(low) + (BigInt(high) << 32n);
  };
}

/**
 * Scans the records `first` to `end` - 1 of a file. The first one must follow the one before it.
 * @param {{ path: string, order: import('./record-keys.mjs').RecordOrder, first: number, end: number }} share
 * @returns {Scan}
 */
export function scanRecords({ path, order: { size, keys, rest }, first, end }) {
  const most = Math.max(1, Math.floor(BLOCK_BYTES / size));
  // The record before those of the block is at the beginning.
  const buffer = new ArrayBuffer(size * (most + 1));
  const [bytes, view] = [new Uint8Array(buffer), new DataView(buffer)];
  const compareKeys = comparer(keys, view);
  const compareRest = rest.length === 0 ? () => 0 : comparer(rest, view);
  const sumHashes = summer(buffer, size);
  const scan = { records: end - first, disorders: 0, firstDisorder: null, duplicates: 0, checksum: 0n };
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size < end * size) throw new Error('the file became shorter');
    if (first > 0) readAll(file, bytes, 0, size, (first - 1) * size);
    for (let at = first; at < end; at += most) {
      const count = Math.min(most, end - at);
      readAll(file, bytes, size, count * size, at * size);
      for (let i = at === 0 ? 2 : 1; i <= count; i++) {
        const sign = compareKeys((i - 1) * size, i * size);
        if (sign === 0) scan.duplicates++;
        if (sign > 0 || (sign === 0 && compareRest((i - 1) * size, i * size) > 0)) {
          scan.disorders++;
          scan.firstDisorder ??= at + i - 1;
        }
      }
      scan.checksum += sumHashes(count);
      bytes.copyWithin(0, count * size, (count + 1) * size);
    }
  } finally {
    closeSync(file);
  }
  return scan;
}

if (!isMainThread && workerData?.path !== undefined) parentPort.postMessage(scanRecords(workerData));
