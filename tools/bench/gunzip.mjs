/**
 * One member of gzip, inflated by several threads: beside zlib in one thread, pigz and gzip, which write the text to a
 * file as well; then a whole sort of FASTQ. Needs a build, but no GPU. Makes its inputs in seconds: a text is deflated
 * once, and its blocks are repeated within one member.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { combineCrc } from '../../dist/codecs/crc-combine.js';
import { decompressing } from '../../dist/input/decompress.js';
import { readDescriptor } from '../../dist/input/read-descriptor.js';
import { root } from './commands.mjs';
import { table } from './report.mjs';

const HELP = `Usage: node tools/bench/gunzip.mjs [OPTION]...
Times the inflation of one gzip member to a file, and prints a table.
  --dir DIR       make the files in DIR (default: the temporary directory)
  --bytes BYTES   text of each input (default 1e9)
  --level LEVEL   of gzip (default 6)
  --threads LIST  numbers of threads, separated by commas (default: 1, 4, 8, 16 as far as there are processors)
  --runs N        runs of each command; the fastest counts (default 3)`;

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** A final stored block without text. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);
/** Text that is deflated once. */
const PART_BYTES = 32e6;

/** Numbers below n. */
function randomBelow(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function fastq(bytes) {
  const below = randomBelow(1);
  const genome = Buffer.from(Array.from({ length: 1 << 20 }, () => 'ACGT'.charCodeAt(below(4)))).toString('latin1');
  const records = [];
  for (let length = 0, i = 0; length < bytes; i++) {
    const begin = below(genome.length - 150);
    let quality = 37;
    const qualities = Array.from({ length: 150 }, () => {
      if (below(4) === 0) quality = Math.max(2, Math.min(40, quality + below(9) - 4));
      return String.fromCharCode(33 + quality);
    });
    const name = `@RUN:7:${1100 + below(1200)}:${below(20000)}:${i}`;
    records.push(`${name}\n${genome.slice(begin, begin + 150)}\n+\n${qualities.join('')}\n`);
    length += records.at(-1).length;
  }
  return Buffer.from(records.join(''), 'latin1');
}

function log(bytes) {
  const below = randomBelow(2);
  const lines = [];
  for (let length = 0, time = 1.7e9; length < bytes; time += below(3)) {
    const [path, status] = [['view', 'edit', 'list'][below(3)], [200, 200, 200, 304, 404, 500][below(6)]];
    lines.push(`${time} 10.0.${below(256)}.${below(256)} "GET /${path}/${below(1e5)}" ${status} ${below(50000)}\n`);
    length += lines.at(-1).length;
  }
  return Buffer.from(lines.join(''), 'latin1');
}

/** Writes one member of gzip with `text` repeated; returns the length of its text. */
function makeMember(file, text, bytes, level) {
  const deflated = deflateRawSync(text, { level, finishFlush: constants.Z_SYNC_FLUSH });
  const sum = crc32(text);
  const fd = openSync(file, 'w');
  writeSync(fd, HEADER);
  let [length, all] = [0, 0];
  for (; length < bytes; length += text.length) {
    for (let at = 0; at < deflated.length; ) at += writeSync(fd, deflated, at);
    all = combineCrc(all, sum, text.length);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(all, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  writeSync(fd, Buffer.concat([LAST_BLOCK, trailer]));
  closeSync(fd);
  return length;
}

/** Inflates a file to another one; 0 threads: by zlib. */
async function inflate(from, to, threads) {
  const reader = decompressing(readDescriptor(openSync(from, 'r'), from, { owned: true }), {
    ...{ label: from, threads, bytes: statSync(from).size },
  });
  const fd = openSync(to, 'w');
  for (let text = await reader.read(); text !== null; text = await reader.read())
    for (let at = 0; at < text.length; ) at += writeSync(fd, text, at);
  reader.close();
  closeSync(fd);
}

function run(command, args, to) {
  const output = to === null ? 'ignore' : openSync(to, 'w');
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', output, 'inherit'] });
  if (to !== null) closeSync(output);
  if (error?.code === 'ENOENT') return false;
  if (status !== 0) throw new Error(`${command} failed`);
  return true;
}

/** The fastest of several runs, in seconds; null: the program is missing. */
async function fastest(runs, work) {
  let best = Infinity;
  for (let i = 0; i < runs; i++) {
    const begin = performance.now();
    if ((await work()) === false) return null;
    best = Math.min(best, (performance.now() - begin) / 1000);
  }
  return best;
}

/** The checksum of a file, read in pieces. */
function sumOf(file) {
  const [fd, piece] = [openSync(file, 'r'), Buffer.alloc(1 << 20)];
  let sum = 0;
  for (let count = readSync(fd, piece); count > 0; count = readSync(fd, piece))
    sum = crc32(piece.subarray(0, count), sum);
  closeSync(fd);
  return sum;
}

const number = { type: 'string' };
const { values } = parseArgs({
  options: { dir: number, bytes: number, level: number, threads: number, runs: number, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const processors = availableParallelism();
const threads = values.threads?.split(',').map(Number) ?? [4, 8, 16].filter((count) => count <= processors);
const [bytes, level, runs] = [Number(values.bytes ?? 1e9), Number(values.level ?? 6), Number(values.runs ?? 3)];
const directory = mkdtempSync(join(values.dir ?? tmpdir(), 'gpusort-gunzip-'));
try {
  const rows = [];
  for (const [name, make] of Object.entries({ FASTQ: fastq, log: log })) {
    const [file, text] = [join(directory, `${name}.gz`), join(directory, name)];
    const length = makeMember(file, make(Math.min(bytes, PART_BYTES)), bytes, level);
    const add = async (command, work) => {
      const seconds = await fastest(runs, work);
      const speed = seconds === null ? 'missing' : `${(length / 1e6 / seconds).toFixed(0)} MB/s`;
      rows.push([name, command, seconds === null ? '' : seconds.toFixed(2), speed]);
    };
    await add('zlib in one thread', () => inflate(file, text, 0));
    const sum = sumOf(text);
    for (const count of threads) {
      await add(`${count} threads`, () => inflate(file, text, count));
      if (sumOf(text) !== sum) throw new Error(`${count} threads give another text`);
    }
    for (const program of ['pigz', 'gzip']) await add(`${program} -dc`, () => run(program, ['-dc', file], text));
    if (name === 'FASTQ') {
      const sort = [join(root, 'bin/gpusort.cjs'), '--engine=cpu', '--by=name', '-o', text, file];
      await add('gpusort --by=name', () => run(process.execPath, sort, null));
    }
  }
  console.log(table(['input', 'command', 'seconds', 'text'], ...rows));
} finally {
  rmSync(directory, { recursive: true });
}
