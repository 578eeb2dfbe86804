/**
 * Checks a sorted file of binary records. Also a command:
 *
 *     node tools/bench/validate.mjs FILE (--array TYPE | --record-size N [--key KEYDEF]...) [-r] [-s | -u] [--ties KEYDEF]
 *                                  [--input FILE] [--threads N]
 *
 * Options are gpusort's. With --ties, records with equal keys must be in the order of a field. --input must hold the
 * same records in any order. Status 1: out of order, or other records.
 */
import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ORDER_OPTIONS, recordOrder } from './record-keys.mjs';
import { countRecords, scanRecords } from './record-scan.mjs';

/** The minimum number of records that make up for starting a thread. */
const SHARE_BYTES = 64e6;
const SCAN = new URL('./record-scan.mjs', import.meta.url);

/** Scans a share of a file in a thread of its own. */
const scanInThread = (workerData) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(SCAN, { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

/**
 * Reads all records of a file.
 * @param {string} path
 * @param {import('./record-keys.mjs').RecordOrder} order
 * @param {number} [threads] the most
 * @returns {Promise<import('./record-scan.mjs').Scan>}
 */
export async function scanFile(path, order, threads = availableParallelism()) {
  const records = countRecords(path, order.size);
  const shares = Math.max(1, Math.min(threads, Math.floor((records * order.size) / SHARE_BYTES)));
  const cut = (i) => Math.floor((records * i) / shares);
  const share = (i) => ({ path, order, first: cut(i), end: cut(i + 1) });
  const scans =
    shares === 1
      ? [scanRecords(share(0))]
      : await Promise.all(Array.from({ length: shares }, (_, i) => scanInThread(share(i))));
  const sum = (name) => scans.reduce((total, scan) => total + scan[name], scans[0][name] - scans[0][name]);
  return {
    records,
    disorders: sum('disorders'),
    firstDisorder: scans.find((scan) => scan.firstDisorder !== null)?.firstDisorder ?? null,
    duplicates: sum('duplicates'),
    checksum: BigInt.asUintN(64, sum('checksum')),
  };
}

/**
 * Checks a sorted file.
 * @param {string} path
 * @param {import('./record-keys.mjs').RecordOrder} order
 * @param {{ given?: import('./record-scan.mjs').Scan, unique?: boolean, threads?: number }} [options] `given`: of a
 *   file with the same records. `unique`: no two keys may be equal
 * @returns {Promise<{ scan: import('./record-scan.mjs').Scan, faults: string[] }>}
 */
export async function validate(path, order, { given, unique = false, threads } = {}) {
  const scan = await scanFile(path, order, threads);
  const faults = [];
  if (scan.disorders > 0)
    faults.push(`${scan.disorders} records out of order, the first is record ${scan.firstDisorder}`);
  if (unique && scan.duplicates > 0) faults.push(`${scan.duplicates} records with the key of the one before`);
  if (given === undefined) return { scan, faults };
  if (given.records !== scan.records) faults.push(`${scan.records} records, not ${given.records}`);
  if (given.checksum !== scan.checksum) faults.push('other records than those of the input: the checksums differ');
  return { scan, faults };
}

async function main() {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...ORDER_OPTIONS, ties: { ...text, multiple: true }, input: text, threads: text },
  });
  if (positionals.length !== 1) throw new Error('give one file');
  const { unique, input } = values;
  if (unique && input !== undefined) throw new Error('with -u, the output does not hold all records of --input');
  const order = recordOrder(values, values.ties);
  const threads = values.threads === undefined ? undefined : Number(values.threads);
  const given = input === undefined ? undefined : await scanFile(input, order, threads);
  const { scan, faults } = await validate(positionals[0], order, { given, unique, threads });
  console.log(`records: ${scan.records}`);
  console.log(`checksum: ${scan.checksum.toString(16).padStart(16, '0')}`);
  console.log(`duplicate keys: ${scan.duplicates}`);
  for (const fault of faults) console.error(`validate: ${fault}`);
  console.log(faults.length === 0 ? 'success: all records are in order' : 'FAILED');
  if (faults.length > 0) process.exitCode = 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(`validate: ${error.message}`);
    process.exitCode = 2;
  }
}
