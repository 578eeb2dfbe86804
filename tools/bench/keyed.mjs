/**
 * Benchmark files for sorts by keys (rows k). As in generate.mjs, a kind gives a function from a random state to the
 * next block of lines. Lines are written byte by byte from random words: making them from strings takes longer than the
 * sorts.
 */

const BLOCK_BYTES = 4 << 20;
const NEWLINE = 10;
const COMMA = 44;
const TAB = 9;
const NAMES =
  'Meier Garcia Smith Nguyen Kowalski Rossi Silva Tanaka Okafor Larsen Novak Haddad Ivanova Chen Murphy Dubois'
    .split(' ')
    .map((name) => Buffer.from(name));

/** Whole numbers below n, from a 32-bit state (xorshift) that `end` returns. */
function source(state) {
  let x = state | 1;
  const below = (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return ((Math.imul(x, 0x9e3779b1) ^ (x >>> 15)) >>> 0) % n;
  };
  return { below, end: () => x };
}

/** Blocks of lines of at most 200 bytes. `write` writes a line at a place and returns its end, without the newline. */
function linesBy(write) {
  const block = Buffer.alloc(BLOCK_BYTES);
  return (state) => {
    const { below, end } = source(state);
    let [at, lines] = [0, 0];
    for (; at < BLOCK_BYTES - 256; lines++) {
      at = write(block, at, below);
      block[at++] = NEWLINE;
    }
    return { state: end(), block: block.subarray(0, at), lineBytes: 0, lines };
  };
}

function putNumber(block, at, value) {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  for (let i = at + digits - 1, rest = value; i >= at; i--, rest = Math.floor(rest / 10)) block[i] = 48 + (rest % 10);
  return at + digits;
}

function putBytes(block, at, bytes) {
  block.set(bytes, at);
  return at + bytes.length;
}

/** `count` letters; with `capitals`, a third of them are uppercase. */
function putLetters(block, at, below, count, capitals) {
  for (let i = 0; i < count; i++) block[at++] = (capitals && below(3) === 0 ? 65 : 97) + below(26);
  return at;
}

/** Numbers below 50 million; most have eight digits. */
const integers = () => linesBy((block, at, below) => putNumber(block, at, below(50_000_000)));

/** A name, a word, an amount with cents, a date. */
const csv = () =>
  linesBy((block, at, below) => {
    at = putBytes(block, at, NAMES[below(NAMES.length)]);
    block[at++] = COMMA;
    at = putLetters(block, at, below, 4 + below(9), false);
    block[at++] = COMMA;
    at = putNumber(block, at, below(100_000));
    block[at++] = 46;
    at = putNumber(block, at, 10 + below(90));
    block[at++] = COMMA;
    at = putNumber(block, at, 2000 + below(27));
    block[at++] = 45;
    at = putNumber(block, at, 10 + below(3));
    return at;
  });

/** A word, a number of up to nine digits, more letters. */
const tsv = () =>
  linesBy((block, at, below) => {
    at = putLetters(block, at, below, 6 + below(6), false);
    block[at++] = TAB;
    at = putNumber(block, at, below(1_000_000_000));
    block[at++] = TAB;
    return putLetters(block, at, below, 20 + below(12), false);
  });

/** Versions such as package-1.12.3 or package_10.4~rc2.tar.gz. */
const versions = () =>
  linesBy((block, at, below) => {
    at = putBytes(block, at, NAMES[below(NAMES.length)]);
    block[at++] = 45;
    at = putNumber(block, at, below(30));
    block[at++] = 46;
    at = putNumber(block, at, below(120));
    block[at++] = 46;
    at = putNumber(block, at, below(2000));
    if (below(4) === 0) at = putBytes(block, at, Buffer.from(`~rc${below(9)}`));
    return below(2) === 0 ? putBytes(block, at, Buffer.from('.tar.gz')) : at;
  });

/** Words of two to twelve letters, a third of them uppercase. */
const capitals = () => linesBy((block, at, below) => putLetters(block, at, below, 2 + below(11), true));

/** Half a million different lines of about 16 bytes. */
const tenth = () =>
  linesBy((block, at, below) => {
    const number = below(500_000);
    at = putNumber(block, at, Math.imul(number, 0x2c9277b5) >>> 0);
    return putBytes(block, at, NAMES[number % NAMES.length]);
  });

const PATHS = [
  'index.html',
  'images/logo.png',
  'api/v2/items',
  'search',
  'static/app.js',
  'articles/2026/11',
  'login',
  'feed.xml',
];
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (Windows NT 10.0)', 'curl/8.5.0', 'Googlebot/2.1'];
const REQUESTS = PATHS.map((path) => Buffer.from(` +0000] "GET /${path}?id=`));
const ENDS = AGENTS.map((agent) => Buffer.from(` "-" "${agent}"`));
const CLIENT = Buffer.from(' - - [');
const MONTH = Buffer.from('/Nov/2026:');
const STATUS = Buffer.from(' HTTP/1.1" 200 ');

/** Writes two digits. */
function putTwo(block, at, value) {
  block[at] = 48 + Math.floor(value / 10);
  block[at + 1] = 48 + (value % 10);
  return at + 2;
}

/** A web server's log in the order of requests: one of 17,578 addresses, the time, a request, the agent. */
const access = () => {
  let seconds = 0;
  return linesBy((block, at, below) => {
    seconds += Number(below(50) === 0);
    const client = Math.imul(below(256) * below(256), 0x2c9277b5) >>> 0;
    for (let shift = 24; shift >= 0; shift -= 8) {
      at = putNumber(block, at, (client >>> shift) & 255);
      if (shift > 0) block[at++] = 46;
    }
    at = putTwo(block, putBytes(block, at, CLIENT), 1 + (Math.floor(seconds / 86400) % 30));
    at = putTwo(block, putBytes(block, at, MONTH), Math.floor(seconds / 3600) % 24);
    block[at++] = 58;
    at = putTwo(block, at, Math.floor(seconds / 60) % 60);
    block[at++] = 58;
    at = putTwo(block, at, seconds % 60);
    at = putNumber(block, putBytes(block, at, REQUESTS[below(REQUESTS.length)]), below(1_000_000));
    at = putNumber(block, putBytes(block, at, STATUS), below(100_000));
    return putBytes(block, at, ENDS[below(ENDS.length)]);
  });
};

export const KEYED_KINDS = { access, integers, csv, tsv, versions, capitals, tenth };
