/**
 * Checks outputs of genomics: their records, in whatever order, and then the order. Inputs may be
 * compressed. Records are compared by hashes of 32 bits, which finds faults, not fraud. A command, too: prints the
 * number of records of FILE and their checksum. Files of mates are given together: a record is then one of each.
 *
 *     node tools/bench/genomics-check.mjs FORMAT FILE [MATES]
 */
import { execFile, spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(import.meta.url);
const GPUSORT = join(SCRIPT, '../../../bin/gpusort.cjs');
const execute = promisify(execFile);
const NEWLINE = 10;
const SEED = 0x811c9dc5;
/** Lines of a record, and the first byte of header lines. */
const FORMATS = { fastq: { lines: 4, header: 0 }, sam: { lines: 1, header: 64 }, bed: { lines: 1, header: 35 } };

/** Spreads the bits of a hash (the finalizer of MurmurHash3). */
function mixed(hash) {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The hash of each record in turn: FNV-1a over its bytes. */
class Hashes {
  list = new Uint32Array(1 << 16);
  count = 0;

  add(hash) {
    if (this.count === this.list.length) {
      const longer = new Uint32Array(2 * this.count);
      longer.set(this.list);
      this.list = longer;
    }
    this.list[this.count++] = mixed(hash);
  }
}

/** Takes blocks of text and hashes its records, each of a fixed number of lines. */
function lineScanner({ lines, header }, hashes) {
  let [hash, line, first, skipped] = [SEED, 0, true, false];
  const begun = () => line > 0 || !first;
  return {
    next(block) {
      for (let i = 0; i < block.length; i++) {
        const byte = block[i];
        if (first) skipped = byte === header;
        first = byte === NEWLINE;
        if (skipped) continue;
        hash = Math.imul(hash ^ byte, 0x01000193);
        if (first && ++line === lines) {
          hashes.add(hash);
          [hash, line] = [SEED, 0];
        }
      }
    },
    end() {
      if (!skipped && begun()) hashes.add(hash);
    },
  };
}

/** Takes blocks of BAM; hashes its records, after the header. */
function bamScanner(hashes) {
  let rest = Buffer.alloc(0);
  /** Bytes of the header that are still to come; null: not known yet. */
  let inHeader = true;
  const headerEnd = (bytes) => {
    if (bytes.length < 12) return -1;
    let at = 8 + bytes.readInt32LE(4);
    if (bytes.length < at + 4) return -1;
    const contigs = bytes.readInt32LE(at);
    at += 4;
    for (let i = 0; i < contigs; i++) {
      if (bytes.length < at + 4 || bytes.length < at + 8 + bytes.readInt32LE(at)) return -1;
      at += 8 + bytes.readInt32LE(at);
    }
    return at;
  };
  return {
    next(block) {
      const bytes = Buffer.concat([rest, block]);
      let at = inHeader ? headerEnd(bytes) : 0;
      if (at >= 0) {
        inHeader = false;
        while (at + 4 <= bytes.length && at + 4 + bytes.readInt32LE(at) <= bytes.length) {
          const end = at + 4 + bytes.readInt32LE(at);
          let hash = SEED;
          for (; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
          hashes.add(hash);
        }
      }
      rest = bytes.subarray(Math.max(0, at));
    },
    end() {
      if (rest.length > 0) hashes.add(rest.length);
    },
  };
}

async function hashesOf(format, path) {
  // Imported here, because run.mjs reports a missing dist/ better than a failing import would.
  const { decompressing } = await import('../../dist/input/decompress.js');
  const { readDescriptor } = await import('../../dist/input/read-descriptor.js');
  const hashes = new Hashes();
  const scanner = format === 'bam' ? bamScanner(hashes) : lineScanner(FORMATS[format], hashes);
  const file = await open(path);
  const reader = decompressing(readDescriptor(file.fd, path, { owned: false }), { label: path, threads: 0 });
  for (let block = await reader.read(); block !== null; block = await reader.read()) scanner.next(block);
  scanner.end();
  reader.close();
  await file.close();
  return hashes;
}

/** The number of records of files of mates (or of one file), and a checksum that does not depend on their order. */
async function scan(format, paths) {
  const [own, ...mates] = await Promise.all(paths.map((path) => hashesOf(format, path)));
  let [sum, other] = [0, 0];
  for (let i = 0; i < own.count; i++) {
    let hash = own.list[i];
    for (const mate of mates) hash = mixed(hash ^ Math.imul(mate.list[i], 0x9e3779b1));
    sum = (sum + hash) >>> 0;
    other = (other + mixed(hash ^ SEED)) >>> 0;
  }
  const counts = [own, ...mates].map(({ count }) => count);
  return { records: own.count, checksum: `${counts.join('+')} ${sum.toString(16)} ${other.toString(16)}` };
}

/**
 * The number of records and their checksum, from another process.
 * @param {string} format
 * @param {readonly string[]} paths
 * @returns {Promise<{ records: number, checksum: string }>}
 */
export async function scanGenomics(format, paths) {
  const { stdout } = await execute(process.execPath, ['--max-old-space-size=8192', SCRIPT, format, ...paths]);
  return JSON.parse(stdout);
}

/** Whether each of `others` holds, once decompressed, the same text as the file at the same place in `paths`. */
const sameText = (paths, others) =>
  paths.every(
    (path, i) => spawnSync('bash', ['-c', 'cmp -s <(gzip -dcf "$0") <(gzip -dcf "$1")', path, others[i]]).status === 0,
  );

/** The format of a row's output: SAM that becomes something else becomes BAM. */
export const writtenFormat = ({ genomics }) => (genomics.becomes === null ? genomics.format : 'bam');

/** Whether gpusort finds a file in the row's order. */
function inOrder(row, path) {
  const options = ['--engine', 'cpu', '--format', writtenFormat(row), ...row.genomics.by, '-C', path];
  return execute(process.execPath, [GPUSORT, ...options]).then(
    () => true,
    () => false,
  );
}

/**
 * The verdict on the outputs of a program. The first peer's are the reference, if they hold the input's records.
 * @param {string} name
 * @param {import('./row-makers.mjs').Row} row
 * @param {{ outputs: string[], references: string[], given: Promise<object>, hasReference: boolean }} files `given`: the
 *   scan of the input, or of what it becomes
 */
export async function genomicsVerdict(name, row, files) {
  const { equal } = row.genomics;
  const { outputs, references, given } = files;
  const own = name.startsWith('gpusort');
  if (files.hasReference && sameText(outputs, references)) return 'same';
  const orderMatters = own && !(equal && files.hasReference);
  const [found, wanted, ordered] = await Promise.all([
    scanGenomics(writtenFormat(row), outputs),
    given,
    orderMatters && inOrder(row, outputs[0]),
  ]);
  if (found.checksum !== wanted.checksum) return own ? 'WRONG' : 'other records';
  if (!own) return 'same records';
  if (!orderMatters) return 'DIFFERS';
  return ordered ? 'same records, in order' : 'WRONG';
}

if (process.argv[1] === SCRIPT) console.log(JSON.stringify(await scan(process.argv[2], process.argv.slice(3))));
