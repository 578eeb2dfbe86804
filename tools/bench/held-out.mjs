/** Inputs with which `npm run calibrate` only checks its estimates: kinds that generate.mjs does not make. Seeded. */
import { letters, linesText } from './lines.mjs';

const LETTERS = 'etaoinshrdlucmfwypvbgkqjxz';
const DIRECTORIES = 'usr home var lib share local src include modules build test cache'.split(' ');
const HEX = '0123456789abcdef';

/** Each kind returns the function that makes line i. */
const KINDS = {
  /** Decimal numbers of 1 to 9 digits. */
  numbers: (random) => () => String(random(10 ** (1 + random(9)))),
  /** A log in which about one line in 50 is out of order. */
  log: (random) => (i) =>
    `2026-11-${String(1 + (Math.floor(i / 4e6) % 28)).padStart(2, '0')} ${String(i - (random(50) === 0 ? random(100) : 0) + 1e9)} INFO request took ${random(900)} ms`,
  /** 500 values of 8 to 40 bytes. */
  few: (random) => {
    const values = Array.from({ length: 500 }, () => letters(random, LETTERS, 8 + random(33)));
    return () => values[random(500)];
  },
  /** Paths of files below one root: 20 to 120 bytes, with long common prefixes. */
  paths: (random) => {
    const roots = Array.from(
      { length: 3000 },
      () =>
        `/srv/data/project/${Array.from({ length: 1 + random(6) }, () => DIRECTORIES[random(12)]).join('/')}/${letters(random, LETTERS, 3)}`,
    );
    return () => `${roots[Math.min(random(3000), random(3000))]}/file-${random(1e6)}.txt`;
  },
  /** Hexadecimal digests. */
  hex40: (random) => () =>
    `${random(2 ** 32)
      .toString(16)
      .padStart(8, '0')}${random(2 ** 32)
      .toString(16)
      .padStart(8, '0')}${letters(random, HEX, 4)}`.padEnd(40, '7'),
  /** Lines of 1 to 119 letters from an alphabet of two. The first half is often the same. */
  binary: (random) => () => 'a'.repeat(random(60)) + letters(random, 'ab', 1 + random(60)),
};

export const HELD_OUT_KINDS = Object.keys(KINDS);

/** Lines of about `bytes` bytes in all. */
export const heldOutText = (kind, bytes, seed) => linesText(KINDS[kind], bytes, seed);
