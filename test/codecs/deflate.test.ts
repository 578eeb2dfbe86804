/** Our own levels of DEFLATE: zlib inflates them to the same text, and they are never longer than stored text. */
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { integer } from 'fast-check';
import { expect, it } from 'vitest';
import { BLOCK_TEXT, writeBlock, writeMember } from '../../src/codecs/bgzf.js';
import { deflate, deflateRoom, isOwnLevel } from '../../src/codecs/deflate.js';
import { compressedRoom, GROUP_TEXT } from '../../src/codecs/tasks.js';
import { hasProgram, piped, randomBytes } from '../support/codecs.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';

/** The largest distance and the longest match of DEFLATE. */
const WINDOW = 32768;
const LONGEST = 258;
const LEVELS = [1, 6, 7, 8, 9];

function deflated(text: Uint8Array, level: number): Buffer {
  const target = Buffer.alloc(deflateRoom(text.length) + 1, 0xaa);
  const end = deflate(text, level, target, 1);
  expect(target[0]).toBe(0xaa);
  return target.subarray(1, end);
}

/** Returns the text deflated at `level`. */
function checkLevel(text: Uint8Array, level: number): Buffer {
  const result = deflated(text, level);
  if (!inflateRawSync(result).equals(text))
    throw new Error(`a text of ${text.length} bytes is not inflated to itself from level ${level}`);
  expect(result.length).toBeLessThanOrEqual(deflateRoom(text.length));
  return result;
}

/** Returns the longest result of `levels`. Those above 6 only try more. */
function check(text: Uint8Array, levels: readonly number[] = [1, 6]): Buffer {
  return levels.map((level) => checkLevel(text, level)).reduce((a, b) => (a.length >= b.length ? a : b));
}

/** Random bytes, of which a few values are so rare that their codes would have 16 bits. */
function withRareBytes(seed: number, length: number): Buffer {
  const below = randomBelow(seed);
  const text = Buffer.from(Uint8Array.from({ length }, () => below(240)));
  for (let value = 240, times = 1; times < length / 500; value++, times *= 2)
    for (let i = 0; i < times; i++) text[below(length)] = value;
  return text;
}

/** Parts that were seen before, and others: matches of all lengths and distances. */
function withCopies(seed: number, length: number): Buffer {
  const below = randomBelow(seed);
  const text = randomBytes(seed, length, 1 + below(256));
  const near = (value: number): number => Math.max(1, value + below(5) - 2);
  for (let at = 1; at < length; at += below(60)) {
    const far = Math.min(at, below(4) === 0 ? near(WINDOW) : 1 + below(1 << below(16)));
    const bytes = Math.min(length - at, below(4) === 0 ? near(LONGEST) : 1 + below(1 << below(11)));
    // A match may overlap itself.
    for (let i = 0; i < bytes; i++) text[at + i] = text[at + i - far];
    at += bytes;
  }
  return text;
}

/** One letter, two, many, random bytes, a repeated part, rare bytes, and copies. */
const MAKERS: readonly ((seed: number, length: number) => Buffer)[] = [
  (seed, length) => Buffer.alloc(length, seed),
  (seed, length) => randomBytes(seed, length, 2),
  (seed, length) => randomBytes(seed, length, 20),
  (seed, length) => randomBytes(seed, length, 256),
  (seed, length) => Buffer.alloc(length, randomBytes(seed, 1 + (seed % 70), 200)),
  withRareBytes,
  withCopies,
];

it('deflates texts of 0 to 300 bytes', () => {
  for (const [i, make] of MAKERS.entries())
    for (let length = 0; length <= 300; length++)
      expect(check(make(i + length, length), LEVELS).length).toBeGreaterThan(0);
});

it('deflates texts about as long as one block and two', () => {
  for (const [i, make] of MAKERS.entries()) {
    const longest = make(i, 2 * BLOCK_TEXT + 9);
    for (const blocks of [1, 2])
      for (const more of [-9, -8, -1, 0, 1, 8, 9]) check(longest.subarray(0, blocks * BLOCK_TEXT + more));
  }
});

it('deflates all bytes of one value to a match for each 258', () => {
  expect(check(Buffer.alloc(BLOCK_TEXT, 'A')).length).toBeLessThan(100);
  for (let value = 0; value < 256; value++) check(Buffer.alloc(1000, value));
});

it('finds matches at the largest distance, and none beyond it', () => {
  const part = randomBytes(1, 200, 256);
  for (const level of LEVELS) {
    const repeated = (distance: number): number =>
      checkLevel(Buffer.concat([part, Buffer.alloc(distance - part.length, 'A'), part]), level).length;
    expect(repeated(WINDOW + 1) - repeated(WINDOW)).toBeGreaterThan(80);
  }
});

it('limits codes to the longest that it writes', () => {
  const text = withRareBytes(3, BLOCK_TEXT);
  // A stored block would hide the codes.
  expect(check(text).length).toBeLessThan(text.length);
});

it('stores text that cannot be compressed, also beside text that can', () => {
  const random = randomBytes(4, BLOCK_TEXT, 256);
  expect(check(random).length).toBe(random.length + 5);
  const mixed = Buffer.concat([Buffer.alloc(BLOCK_TEXT, 'ab'), random, Buffer.alloc(BLOCK_TEXT, 'cd')]);
  expect(check(mixed).length).toBeLessThan(BLOCK_TEXT + 600);
});

it('gives the same bytes whatever was deflated before', () => {
  const text = withCopies(5, 100_000);
  const firsts = LEVELS.map((level) => Buffer.from(deflated(text, level)));
  for (const make of MAKERS) {
    check(make(6, 200_000));
    for (const [i, level] of LEVELS.entries()) expect(deflated(text, level).equals(firsts[i]!)).toBe(true);
  }
});

/** Lines of a log, numbers, source code, alignments and reads: what is sorted. */
function realTexts(): readonly [string, Buffer][] {
  const below = randomBelow(9);
  const lines = (count: number, line: () => string): Buffer =>
    Buffer.from(Array.from({ length: count }, () => `${line()}\n`).join(''));
  const paths = Array.from({ length: 300 }, (_, i) => `/${randomBytes(i, 4 + below(20), 26).toString('hex')}`);
  const genome = Array.from({ length: 40_000 }, () => 'ACGT'[below(4)]).join('');
  const qualities = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(below(4) > 0 ? 70 + below(3) : 33 + below(40))).join('');
  const read = (): string => genome.slice(...((at) => [at, at + 150])(below(genome.length - 150)));
  let position = 10_000;
  return [
    ['a log', lines(3000, () => `10.0.${below(256)}.${below(256)} "GET ${paths[below(300)]}" 200 ${below(90_000)}`)],
    ['numbers', lines(20_000, () => `${below(1e9)}\t${below(1000)}`)],
    [
      'alignments',
      lines(900, () => {
        position += below(20);
        return `r${below(1e6)}\t99\tchr1\t${position}\t60\t150M\t=\t${position + 300}\t450\t${read()}\t${qualities(150)}\tNM:i:0`;
      }),
    ],
    ['reads', lines(900, () => `@r:${below(1e6)}\n${read()}\n+\n${qualities(150)}`)],
  ];
}

it.each(LEVELS.slice(1))('at level %i is at most a hundredth larger than zlib', (level) => {
  for (const [name, text] of realTexts()) {
    const blocks = Array.from({ length: Math.floor(text.length / BLOCK_TEXT) }, (_, i) =>
      text.subarray(i * BLOCK_TEXT, (i + 1) * BLOCK_TEXT),
    );
    expect(blocks.length, name).toBeGreaterThan(1);
    const bytes = (deflates: (block: Buffer) => Buffer): number =>
      blocks.reduce((sum, block) => sum + deflates(block).length, 0);
    const [ours, zlibs] = [bytes((block) => checkLevel(block, level)), bytes((b) => deflateRawSync(b, { level }))];
    expect(ours / zlibs, name).toBeLessThan(1.01);
  }
});

it('compresses more at each higher level of its own', () => {
  for (const [name, text] of realTexts()) {
    const sizes = LEVELS.map((level) => checkLevel(text, level).length);
    expect(sizes, name).toEqual(sizes.toSorted((a, b) => b - a));
  }
});

it('knows its own levels', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter(isOwnLevel)).toEqual(LEVELS);
});

property(
  'deflates any text',
  [integer({ min: 0, max: 1e6 })],
  (seed) => {
    const below: RandomBelow = randomBelow(seed);
    const parts = Array.from({ length: 1 + below(4) }, (_, i) =>
      MAKERS[below(MAKERS.length)]!(seed + i, below(1 << below(18))),
    );
    check(Buffer.concat(parts), LEVELS);
  },
  { runs: 500, timeoutMs: 600_000 },
);

it('writes members of gzip, which gzip reads, and BGZF blocks within 64 KiB', () => {
  const target = Buffer.alloc(compressedRoom('gzip', GROUP_TEXT.gzip));
  const block = Buffer.alloc(1 << 16);
  for (const make of MAKERS) {
    const longest = make(7, BLOCK_TEXT + 1);
    for (const length of [0, 1, BLOCK_TEXT, BLOCK_TEXT + 1]) {
      const text = longest.subarray(0, length);
      for (const level of LEVELS) {
        const member = target.subarray(0, writeMember(text, level, target));
        expect(gunzipSync(member).equals(text)).toBe(true);
        expect(member[8]).toBe(gzipSync(text, { level })[8]);
        if (length > BLOCK_TEXT) continue;
        expect(gunzipSync(block.subarray(0, writeBlock(text, level, block, 0))).equals(text)).toBe(true);
      }
    }
  }
  const text = randomBytes(8, GROUP_TEXT.gzip, 256);
  const member = target.subarray(0, writeMember(text, 1, target));
  expect(gunzipSync(member).equals(text)).toBe(true);
  if (hasProgram('gzip')) expect(piped('gzip', ['-dc'], member).equals(text)).toBe(true);
});
