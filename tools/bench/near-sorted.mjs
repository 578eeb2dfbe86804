/**
 * Near-sorted inputs: for `npm run calibrate`, kinds that constants are fitted to and kinds that only check; for
 * generate.mjs, logs of lines of one length. Seeded.
 */
import { letters, linesText } from './lines.mjs';
import { fillRandom } from './random.mjs';

const LEVELS = ['INFO', 'WARN', 'DEBUG'];
/** A log line; the log has a thousand lines a second. */
const logLine = (at, random) =>
  `${new Date(1764e9 + Math.max(0, at)).toISOString()} ${LEVELS[random(3)]} request ${random(1e6)} took ${random(900)} ms`;
const number = (i) => String(i + 1.1e9);

const FITTED = {
  /** Each line is less than 40 places from its final place. */
  jitter: (random) => (i) => logLine(i + random(40), random),
  /** Short lines, less than 256 places from their final places. */
  near11: (random) => (i) => number(i + random(256)),
  /** In order, except that neighboring blocks of 5,000 lines are swapped in pairs. */
  swapped: (random) => (i) =>
    `${number(i + (Math.floor(i / 5000) % 2 === 0 ? 5000 : -5000))} ${letters(random, 'abcdef', 20)}`,
  /** One line in four is up to 30,000 places late. */
  late: (random) => (i) => `${number(i - (random(4) === 0 ? random(30_000) : 0))} ${letters(random, 'abcdef', 8)}`,
};

const HELD_OUT = {
  /** Short lines, less than 20,000 places from their final places. */
  near20k: (random) => (i) => number(i + random(20_000)),
  /** One line in 200 is anywhere. */
  strays: (random) => (i) => `${number(random(200) === 0 ? random(1e7) : i)} ${letters(random, 'abcdef', 30)}`,
  /** Logs of 100,000 lines one after another, all of the same period. */
  runs: (random) => (i) => logLine(i % 100_000, random),
  /** In reverse order. */
  reversed: (random) => (i) => `${String(1e9 - i).padStart(10, '0')} ${letters(random, 'abcdef', 20)}`,
};

export const NEAR_SORTED_KINDS = Object.keys(FITTED);
export const NEAR_SORTED_HELD_OUT_KINDS = Object.keys(HELD_OUT);

/** Lines of about `bytes` bytes in all. */
export const nearSortedText = (kind, bytes, seed) => linesText(FITTED[kind] ?? HELD_OUT[kind], bytes, seed);

/** Makes the time of line i of n from a random fraction. */
const TIMES = {
  /** Each line is less than 64, or 4,096, places from its final place. */
  log64: (i, _n, fraction) => i + 64 * fraction,
  log4096: (i, _n, fraction) => i + 4096 * fraction,
  /** In order, but for the last hundredth, which belongs anywhere: lines appended to a sorted table. */
  appended: (i, n, fraction) => (i < 0.99 * n ? i : n * fraction),
};
/** A time in milliseconds, of which the last digits change, a request's number in hexadecimal digits, and a newline. */
const LINE = '1764000000000 INFO request 00000000\n';
const [FIRST_TIME, TIME_END, NUMBER_END] = [1_764_000_000_000, 13, LINE.length - 1];
const BLOCK_LINES = 1 << 16;

export const LOG_KINDS = Object.keys(TIMES);
export const LOG_LINE_BYTES = LINE.length;

/** The blocks of a log of `total` lines, as generate.mjs needs them. */
export function logLines(kind, total) {
  const time = TIMES[kind];
  const block = Buffer.from(LINE.repeat(BLOCK_LINES), 'latin1');
  const random = new Uint32Array(2 * BLOCK_LINES);
  let first = 0;
  return (state) => {
    state = fillRandom(random, state);
    for (let i = 0, at = 0; i < BLOCK_LINES; i++, at += LINE.length) {
      let rest = FIRST_TIME + Math.floor(time(first + i, total, random[2 * i] / 2 ** 32));
      for (let k = at + TIME_END - 1; k >= at; k--) {
        const next = Math.floor(rest / 10);
        block[k] = 48 + rest - 10 * next;
        rest = next;
      }
      for (let k = at + NUMBER_END - 1, bits = random[2 * i + 1]; k >= at + NUMBER_END - 8; k--, bits >>>= 4)
        block[k] = (bits & 15) + ((bits & 15) < 10 ? 48 : 87);
    }
    first += BLOCK_LINES;
    return { state, block, lineBytes: LINE.length };
  };
}
