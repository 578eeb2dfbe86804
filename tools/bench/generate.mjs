/**
 * Makes the benchmark files: seeded, identical on every machine, in blocks of a few megabytes (about 1 GB/s). Also a
 * command:
 *
 *     node tools/bench/generate.mjs KIND FILE --bytes 2G | --lines 50M [--seed N]
 *
 * Kinds: random100 random11 urls dna150 sorted100 equal100 records100; for the kernel benchmark (kernels/strings.mjs)
 * random13 distinct13 words urls60 dna100 equal32; for orderings (keyed.mjs) access integers csv tsv versions capitals
 * tenth; of papers (prose.mjs) wordlist sentences, and of any length (fixed-lines.mjs) dnaN textN; logs near their
 * order (near-sorted.mjs) log64 log4096 appended; binary records
 * sortbenchmark, as text sortbenchmarktext, and numbers such as u32 or u64+u64-zero (numbers.mjs).
 */
import { closeSync, openSync, realpathSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bases, fixedLines, lengthKind, printable } from './fixed-lines.mjs';
import { KEYED_KINDS } from './keyed.mjs';
import { LOG_KINDS, LOG_LINE_BYTES, logLines } from './near-sorted.mjs';
import { NUMBER_KINDS, numberKind } from './numbers.mjs';
import { PROSE_KINDS } from './prose.mjs';
import { fillWords } from './random.mjs';
import { SORT_BENCHMARK_KINDS } from './sortbenchmark.mjs';

/** Approximate bytes of one write: large enough that the cost of calls is negligible, small enough for the cache. */
const BLOCK_BYTES = 4 << 20;
const NEWLINE = 10;

function records() {
  const block = Buffer.alloc(Math.floor(BLOCK_BYTES / 400) * 400);
  const words = new Uint32Array(block.buffer, block.byteOffset, block.length / 4);
  return (state) => ({ state: fillWords(words, state, (bits) => bits), block, lineBytes: 100 });
}

/** All lines are equal. */
function equal(lineBytes) {
  const block = Buffer.alloc(
    Math.floor(BLOCK_BYTES / lineBytes) * lineBytes,
    `${'the same line again and again, '.repeat(4).slice(0, lineBytes - 1)}\n`,
  );
  return (state) => ({ state, block, lineBytes });
}

/** A counter of 16 digits and a text: lines that are already in order. */
function sorted() {
  const count = Math.floor(BLOCK_BYTES / 100);
  const line = Buffer.alloc(100, `${'0'.repeat(16)} ${'a line that is in order already; '.repeat(4)}`);
  line[99] = NEWLINE;
  const block = Buffer.alloc(count * 100);
  return (state) => {
    for (let at = 0; at < block.length; at += 100) {
      block.set(line, at);
      let digit = 15;
      while (line[digit] === 0x39) line[digit--] = 0x30;
      line[digit]++;
    }
    return { state, block, lineBytes: 100 };
  };
}

/** Each byte becomes one of the 95 printable characters, space included. */
const ascii = (bits) =>
  (((Math.imul(bits & 0x00ff00ff, 95) >>> 8) & 0x00ff00ff) | (Math.imul((bits >>> 8) & 0x00ff00ff, 95) & 0xff00ff00)) +
  0x20202020;

/**
 * Lines of `least` to `most` printable characters. With `numbered`, five more characters encode 30 bits that differ in
 * each of the first 2^30 lines, in no order, so that no two of these lines are equal.
 */
function strings(least, most, numbered) {
  const block = Buffer.alloc(BLOCK_BYTES);
  const words = new Uint32Array(block.buffer, block.byteOffset, block.length / 4);
  const lengths = new Uint32Array(1 << 16);
  let number = 0;
  return (state) => {
    state = fillWords(
      words,
      fillWords(lengths, state, (bits) => least + ((bits >>> 8) % (most - least + 1))),
      ascii,
    );
    let [at, lines] = [0, 0];
    for (; at < BLOCK_BYTES - most - 6; lines++) {
      at += lengths[lines & 0xffff];
      if (numbered) {
        for (let k = 0, rest = Math.imul(number++, 0x2c9277b5); k < 5; k++, rest >>>= 6)
          block[at++] = 0x30 + (rest & 63);
      }
      block[at++] = NEWLINE;
    }
    return { state, block: block.subarray(0, at), lineBytes: 0, lines };
  };
}

/** Zipf's law: number k of `count` occurs about 1/k as often as the first. A table of 2^16 equally frequent numbers. */
const zipfTable = (count, picks) =>
  Uint16Array.from(picks, (bits) => Math.min(count - 1, Math.floor(count ** (bits / 2 ** 32)) - 1));

/** 2^14 words of 2 to 13 letters, distributed by Zipf's law. */
function words() {
  const picks = new Uint32Array(1 << 18);
  fillWords(picks, 78, (bits) => bits >>> 0);
  const list = Array.from({ length: 1 << 14 }, (_, i) =>
    Buffer.from(
      Array.from(
        { length: 2 + (picks[16 * i] % 6) + (picks[16 * i + 15] % 7) },
        (_, k) => 97 + Math.min(picks[16 * i + k + 1] >>> 27, (picks[16 * i + k] >>> 16) % 26),
      ),
    ),
  );
  const zipf = zipfTable(list.length, picks.subarray(0, 1 << 16));
  const block = Buffer.alloc(BLOCK_BYTES);
  const random = new Uint32Array(1 << 18);
  return (state) => {
    state = fillWords(random, state, (bits) => bits >>> 0);
    let at = 0;
    for (const bits of random) {
      const word = list[zipf[bits >>> 16]];
      for (let k = 0; k < word.length; k++) block[at + k] = word[k];
      at += word.length;
      block[at++] = NEWLINE;
    }
    return { state, block: block.subarray(0, at), lineBytes: 0, lines: random.length };
  };
}

/**
 * URLs: hosts and paths of up to `deepest` folders by Zipf's law, so that most share long prefixes, then `query` and a
 * number. Lines differ in length.
 */
function urls(deepest, query) {
  const picks = new Uint32Array(1 << 16);
  fillWords(picks, 77, (bits) => bits >>> 0);
  const names =
    'news shop video images articles category products archive user profile search static media forum'.split(' ');
  const paths = Array.from({ length: 4096 }, (_, i) => {
    let path = `https://www.site-${picks[i] % 97}.example.com/`;
    for (let depth = 1 + (picks[i + 1] % deepest); depth > 0; depth--)
      path += `${names[picks[(i * 7 + depth) & 0xffff] % names.length]}/`;
    return Buffer.from(`${path}${query}`, 'latin1');
  });
  const zipf = zipfTable(4096, picks);
  const block = Buffer.alloc(BLOCK_BYTES);
  const random = new Uint32Array(1 << 15);
  return (state) => {
    let [at, lines] = [0, 0];
    while (at < BLOCK_BYTES - random.length * 4) {
      state = fillWords(random, state, (bits) => bits >>> 0);
      for (let i = 0; i < random.length && at < BLOCK_BYTES - 256; i++, lines++) {
        const bits = random[i];
        const path = paths[zipf[bits & 0xffff]];
        block.set(path, at);
        at += path.length;
        for (let k = 0, rest = bits >>> 5; k < 8; k++, rest = (rest / 10) | 0) block[at++] = 0x30 + (rest % 10);
        block[at++] = NEWLINE;
      }
    }
    return { state, block: block.subarray(0, at), lineBytes: 0, lines };
  };
}

/**
 * Each kind gives a function from a random state to the next block. If lines differ in length, `lineBytes` is 0, and
 * the block says how many lines it has.
 */
const KINDS = {
  random100: () => fixedLines(100, printable),
  random11: () => fixedLines(11, printable),
  dna150: () => fixedLines(151, bases),
  urls: () => urls(5, 'item?id='),
  sorted100: sorted,
  equal100: () => equal(100),
  records100: records,
  random13: () => strings(4, 23, false),
  distinct13: () => strings(0, 17, true),
  words,
  urls60: () => urls(3, 'item='),
  dna100: () => fixedLines(101, bases),
  equal32: () => equal(33),
  ...KEYED_KINDS,
  ...SORT_BENCHMARK_KINDS,
  ...PROSE_KINDS,
};

/** Kinds that `generate` accepts, besides further kinds of numbers. */
export const KIND_NAMES = [...Object.keys(KINDS), ...LOG_KINDS, ...NUMBER_KINDS];

/** The blocks of a kind, from a random state. Logs and numbers depend on how many there are in all. */
function openKind(kind, bytes, lines) {
  if (kind in KINDS) return KINDS[kind]();
  const length = lengthKind(kind);
  if (length !== null) return length;
  if (LOG_KINDS.includes(kind)) return logLines(kind, Math.min(lines, Math.ceil(bytes / LOG_LINE_BYTES)));
  const numbers = numberKind(kind);
  if (numbers === null) throw new Error(`unknown kind '${kind}': ${KIND_NAMES.join(' ')}`);
  return numbers.open(Math.min(lines, Math.ceil(bytes / numbers.lineBytes)));
}

/** The part of a block that is still needed, in whole lines: its bytes and lines. */
function wanted({ block, lineBytes, lines }, bytesLeft, linesLeft) {
  if (lineBytes !== 0) {
    const take = Math.min(block.length / lineBytes, linesLeft, Math.ceil(bytesLeft / lineBytes));
    return { bytes: take * lineBytes, lines: take };
  }
  if (block.length <= bytesLeft && lines <= linesLeft) return { bytes: block.length, lines };
  const take = { bytes: 0, lines: 0 };
  for (; take.bytes < block.length && take.bytes < bytesLeft && take.lines < linesLeft; take.lines++)
    take.bytes = block.indexOf(NEWLINE, take.bytes) + 1;
  return take;
}

/**
 * Blocks of whole lines of `kind`: about `bytes` bytes or exactly `lines` lines in all. Each block is overwritten by
 * the next.
 * @param {string} kind
 * @param {{ bytes?: number, lines?: number, seed?: number }} size
 * @returns {Generator<{ block: Buffer, lines: number }>}
 */
export function* blocksOf(kind, { bytes = Infinity, lines = Infinity, seed = 1 }) {
  if (bytes === Infinity && lines === Infinity) throw new Error('give --bytes or --lines');
  const next = openKind(kind, bytes, lines);
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  for (let [bytesLeft, linesLeft] = [bytes, lines]; bytesLeft > 0 && linesLeft > 0; ) {
    const made = next(state);
    state = made.state;
    const take = wanted(made, bytesLeft, linesLeft);
    yield { block: made.block.subarray(0, take.bytes), lines: take.lines };
    bytesLeft -= take.bytes;
    linesLeft -= take.lines;
  }
}

/**
 * Writes a file of `kind` with about `bytes` bytes or exactly `lines` lines.
 * @param {string} kind
 * @param {string} path
 * @param {{ bytes?: number, lines?: number, seed?: number }} size
 * @returns {{ bytes: number, lines: number }}
 */
export function generate(kind, path, size) {
  const blocks = blocksOf(kind, size);
  const file = openSync(path, 'w');
  const done = { bytes: 0, lines: 0 };
  try {
    for (const { block, lines } of blocks) {
      for (let at = 0; at < block.length; ) at += writeSync(file, block, at, block.length - at);
      done.bytes += block.length;
      done.lines += lines;
    }
  } finally {
    closeSync(file);
  }
  return done;
}

/**
 * A number with a decimal unit: 5M is 5,000,000, for counts and for bytes.
 * @param {string} text
 */
function quantity(text) {
  const match = /^(\d+(?:\.\d+)?)([kMGT]?)$/.exec(text);
  if (!match) throw new Error(`not a quantity: '${text}' (for example 5M or 2G)`);
  return Math.round(Number(match[1]) * { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[match[2]]);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [kind, path, ...rest] = process.argv.slice(2);
  const size = {};
  for (let i = 0; i < rest.length; i += 2) size[rest[i].slice(2)] = quantity(rest[i + 1]);
  const { bytes, lines } = generate(kind, path, size);
  console.log(`${path}: ${bytes} bytes, ${lines} lines`);
}
