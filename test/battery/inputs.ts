/**
 * The battery's named inputs, each generated from a seed and the same on every machine. It knows nothing of the tests.
 * Large inputs have a small variant of the same shape, for chunks so tiny that large inputs would take minutes.
 */
import { type RandomBelow, randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';

/**
 * `tiny`: a special case. `small`: up to 3,000 lines, or 100 kB. `large`: megabytes; at night 300,000 lines, by day
 * fewer if lines are long, but mostly more than a tile of the CPU engine.
 */
export type Size = 'tiny' | 'small' | 'large';

export interface Input {
  readonly name: string;
  readonly size: Size;
  readonly make: () => Buffer;
}

/** Binary records that begin with a key. Sizes in bytes. */
export interface RecordInput extends Input {
  readonly recordSize: number;
  readonly keyLength: number;
}

const NAMES = 'index about search item user cart static image video news forum help login archive tag page'.split(' ');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Makes `count` lines; `line` returns the one with a number. Joined in blocks: a string of 100 MB is slow to grow. */
function lines(count: number, line: (i: number) => string): Buffer {
  const blocks: Buffer[] = [];
  for (let from = 0; from < count; from += 10_000) {
    let block = '';
    for (let i = from; i < Math.min(count, from + 10_000); i++) block += `${line(i)}\n`;
    blocks.push(latin1(block));
  }
  return Buffer.concat(blocks);
}

function letters(random: RandomBelow, alphabet: string | readonly string[], length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[random(alphabet.length)];
  return text;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const padded = (i: number, digits: number): string => String(i).padStart(digits, '0');

function randomLines(count: number): Buffer {
  const random = randomBelow(1);
  return lines(count, () => letters(random, LOWER, random(13)));
}

/** Words by Zipf's law: the k-th word occurs about 1/k as often as the first. */
function zipfWords(count: number): Buffer {
  const random = randomBelow(2);
  const words = Array.from({ length: 20_000 }, () => letters(random, LOWER, 2 + random(12)));
  return lines(count, () => words[Math.floor(Math.exp((random(1 << 30) / (1 << 30)) * Math.log(words.length)))]);
}

function urls(count: number): Buffer {
  const random = randomBelow(3);
  const hosts = Array.from({ length: 40 }, () => `https://www.${letters(random, LOWER, 4 + random(12))}.example.org/`);
  return lines(count, () => {
    let url = hosts[Math.min(random(40), random(40))];
    for (let depth = random(6); depth >= 0; depth--) url += `${NAMES[random(NAMES.length)]}/`;
    return `${url}?id=${random(100_000)}`;
  });
}

/** All texts of `length` letters of the alphabet. Generators of long lines add several letters at a time. */
function allOf(alphabet: string, length: number): string[] {
  return length === 0
    ? ['']
    : allOf(alphabet, length - 1).flatMap((text) => [...alphabet].map((letter) => text + letter));
}

function dna(count: number): Buffer {
  const random = randomBelow(4);
  const pieces = allOf('ACGT', 5);
  return lines(count, () => letters(random, pieces, 30).slice(0, 100 + random(51)));
}

/** A log in order except for one line in 50, which comes up to 99 lines too late. */
function nearSortedLog(count: number): Buffer {
  const random = randomBelow(5);
  return lines(count, (i) => {
    const second = Math.max(0, i - (random(50) === 0 ? random(100) : 0));
    return `${new Date(1_700_000_000_000 + second * 1000).toISOString()} INFO ${NAMES[random(NAMES.length)]} took ${random(900)} ms`;
  });
}

function fewDistinct(count: number): Buffer {
  const random = randomBelow(6);
  const values = Array.from({ length: 12 }, (_, i) => `value ${letters(random, LOWER, i * 3)}`);
  return lines(count, () => values[random(12)]);
}

function numbers(count: number): Buffer {
  const random = randomBelow(7);
  return lines(
    count,
    () => `${random(3) === 0 ? '-' : ''}${random(10 ** (1 + random(9)))}${random(4) === 0 ? `.${random(1000)}` : ''}`,
  );
}

/** Lengths spread around a mean of 60 bytes (the sum of six dice). Only two letters, so ties extend far. */
function gaussianLengths(count: number): Buffer {
  const random = randomBelow(8);
  const pieces = allOf('ab', 6);
  return lines(count, () =>
    letters(random, pieces, 20).slice(0, random(21) + random(21) + random(21) + random(21) + random(21) + random(21)),
  );
}

const equalLines = (count: number, length: number): Buffer => lines(count, () => 'x'.repeat(length));
const sortedLines = (count: number): Buffer => lines(count, (i) => `line ${padded(i, 9)} of a sorted file`);
const reversedLines = (count: number): Buffer => lines(count, (i) => `line ${padded(count - i, 9)} of a reversed file`);
/** Lines that are prefixes of each other, in random order. */
const prefixes = (count: number, longest: number): Buffer => {
  const random = randomBelow(9);
  return lines(count, () => 'ab'.repeat(longest).slice(0, random(longest)));
};
const withNuls = (count: number): Buffer => {
  const random = randomBelow(10);
  return lines(count, () => letters(random, '\0a\0b\x01', random(20)));
};
/** All byte values, in lines of random lengths. Not valid UTF-8. */
const allBytes = (bytes: number): Buffer => {
  const random = randomBelow(11);
  return Buffer.from(Uint8Array.from({ length: bytes }, (_, i) => (i < 256 ? i : random(256))));
};
const carriageReturns = (count: number): Buffer => {
  const random = randomBelow(12);
  return lines(count, () => letters(random, 'ab\r', random(6)) + (random(3) > 0 ? '\r' : ''));
};
/** `short` lines, `long` of which have `length` bytes and differ only in the byte after them. */
const hugeAmongShort = (long: number, length: number, short: number): Buffer => {
  const random = randomBelow(13);
  const every = Math.floor(short / long);
  return lines(short, (i) => (i % every === 0 ? 'm'.repeat(length) + random(4) : letters(random, LOWER, random(9))));
};
const oneHugeLine = (bytes: number): Buffer => {
  const random = randomBelow(14);
  return Buffer.concat([latin1('zz\n'), Buffer.alloc(bytes, letters(random, LOWER, 4099)), latin1('\naa\n')]);
};

/** A small and a large input of the same shape. `daily`: the count of the large one by day. */
function both(name: string, make: (count: number) => Buffer, small: number, large: number, daily = large): Input[] {
  return [
    { name: `${name} (small)`, size: 'small', make: () => make(small) },
    { name, size: 'large', make: () => make(NIGHTLY ? large : daily) },
  ];
}

const tiny = (name: string, text: string): Input => ({ name, size: 'tiny', make: () => latin1(text) });

/** All inputs of lines. */
export const INPUTS: readonly Input[] = [
  tiny('empty', ''),
  tiny('one line', 'one\n'),
  tiny('one line, no newline', 'one'),
  tiny('no last newline', 'pear\napple\nfig\napple'),
  tiny('one newline', '\n'),
  tiny('only newlines', '\n'.repeat(777)),
  tiny('one byte', 'x'),
  tiny('a and a NUL', 'a\0\na\na\0\0\n\0\n\na\0b\nab\n'),
  tiny('eight-byte words', 'abcdefgh\nabcdefg\nabcdefghi\nabcdefgh\0\nabcdefgh\nabcdefg\0\n'),
  tiny('signed bytes', '\x80\n\x7f\n\xff\n\xfe\xff\n\x00\n\xc3\xa9\n\xc3\n'),
  { name: 'lines as long as a chunk', size: 'tiny', make: () => lines(9, (i) => 'q'.repeat(4093 + i)) },
  ...both('all equal', (n) => equalLines(n, 20), 3000, 300_000),
  ...both('all equal, long', (n) => equalLines(n, 5000), 60, 2000),
  ...both('sorted', sortedLines, 3000, 300_000, 200_000),
  ...both('reversed', reversedLines, 3000, 300_000, 200_000),
  ...both('prefixes of each other', (n) => prefixes(n, n >= 100_000 ? 60 : 300), 1000, 300_000),
  ...both('NULs', withNuls, 3000, 300_000),
  ...both('every byte value', allBytes, 30_000, 5_000_000),
  ...both('carriage returns', carriageReturns, 3000, 300_000),
  ...both('one huge line', oneHugeLine, 100_000, 8_000_000),
  ...both('huge lines sharing a prefix', (n) => hugeAmongShort(5, n * 10, n), 2000, 300_000, 120_000),
  ...both('random lines', randomLines, 3000, 300_000),
  ...both('Zipf words', zipfWords, 3000, 300_000),
  ...both('URLs', urls, 2000, 300_000, 150_000),
  ...both('DNA', dna, 1000, 300_000, 70_000),
  ...both('near-sorted log', nearSortedLog, 2000, 300_000, 200_000),
  ...both('few distinct', fewDistinct, 3000, 300_000),
  ...both('numbers', numbers, 3000, 300_000),
  ...both('Gaussian lengths', gaussianLengths, 2000, 300_000, 150_000),
];

/** Records of 100 bytes with random keys of 10 bytes. `spread`: the maximum number of distinct keys. */
function records(count: number, spread: number): Buffer {
  const random = randomBelow(15);
  const target = Buffer.alloc(count * 100);
  for (let i = 0; i < count; i++) {
    const key = randomBelow(random(spread));
    for (let at = 0; at < 10; at++) target[i * 100 + at] = key(256);
    // The rest has few distinct values, so even whole records may be equal.
    target.fill(random(5), i * 100 + 10, i * 100 + 99);
    target[i * 100 + 99] = random(3) * 127;
  }
  return target;
}

const recordInput = (name: string, size: Size, count: number, spread: number): RecordInput => ({
  name,
  size,
  make: () => records(count, spread),
  recordSize: 100,
  keyLength: 10,
});

/** All inputs of binary records. */
export const RECORD_INPUTS: readonly RecordInput[] = [
  recordInput('no records', 'tiny', 0, 1),
  recordInput('one record', 'tiny', 1, 1),
  recordInput('records (small)', 'small', 2000, 1 << 30),
  recordInput('records, many duplicate keys (small)', 'small', 2000, 50),
  recordInput('records', 'large', NIGHTLY ? 300_000 : 100_000, 1 << 30),
  recordInput('records, many duplicate keys', 'large', NIGHTLY ? 300_000 : 100_000, 1000),
];
