/**
 * Near-sorted inputs for `npm run calibrate`: kinds that constants are fitted to, and kinds that only check. Seeded.
 */
import { letters, linesText } from './lines.mjs';

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
