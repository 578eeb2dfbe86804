/** The device inflates what zlib deflates, in all forms, and refuses what zlib refuses without harm to other blocks. */
import { constants, createDeflateRaw, deflateRawSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { inflateOnDevice, loadInflate } from '../../../../src/engines/gpu/bgzf/inflate.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBytes } from '../../../support/codecs.js';
import { someText } from '../../../support/deflate-streams.js';
import { random, randomBelow, shuffled } from '../../../support/random.js';
import { sampled } from '../../../support/tier.js';
import { upload, useGpu } from '../helpers.js';
import { BitWriter, type Code, codeOf, FIXED_DISTANCES, FIXED_SYMBOLS, lengthsOf } from './inflate-bits.js';
import { type Block, checkInflated, inflatedByZlib, MOST_TEXT, seededBlocks } from './inflate-checks.js';

const useTestGpu = useGpu();
const END = 256;
const STRATEGIES = ['DEFAULT_STRATEGY', 'FILTERED', 'HUFFMAN_ONLY', 'RLE', 'FIXED'] as const;
const LEVELS = [0, 1, 3, 4, 6, 9];
const SIZES = [0, 1, 2, 3, 5, 100, 65_280, MOST_TEXT];
const FORMS = sampled(
  STRATEGIES.flatMap((strategy) => LEVELS.map((level) => ({ strategy, level }))),
  { count: 15, seed: 1, values: ({ strategy, level }) => [strategy, level] },
);
const FLUSHES = ['Z_FULL_FLUSH', 'Z_SYNC_FLUSH', 'Z_PARTIAL_FLUSH', 'Z_BLOCK'] as const;

/** A block as zlib inflates it; it must accept it. */
function sound(name: string, data: Uint8Array): Block {
  return { name, data, textBytes: inflatedByZlib(data, null)!.length };
}

/** One stream of all parts, with a flush after each. */
async function flushed(parts: readonly Buffer[], flush: number): Promise<Buffer> {
  const stream = createDeflateRaw();
  const data = stream.toArray();
  for (const part of parts) {
    stream.write(part);
    await new Promise<void>((done) => {
      stream.flush(flush, done);
    });
  }
  stream.end();
  return Buffer.concat(await data);
}

describeGpu('inflating on the device', () => {
  beforeAll(() => loadInflate(useTestGpu()));

  /** Expects that zlib accepts all blocks, and that the device does what zlib does. */
  async function checkSound(blocks: readonly Block[], textBegin?: number): Promise<void> {
    expect(await checkInflated(useTestGpu(), blocks, textBegin)).toBe(blocks.length);
  }

  it('inflates nothing', async () => {
    const gpu = useTestGpu();
    const scratch = new Scratch(new DevicePool(gpu));
    const buffers = [upload(gpu, new Uint8Array(0)), upload(gpu, new Uint8Array(0))];
    const { status, crcs } = await inflateOnDevice(scratch, buffers[0], new Uint32Array(0), buffers[1]);
    expect([status.length, crcs.length]).toEqual([0, 0]);
    scratch.end();
  });

  it.each(FORMS)('inflates all sizes: $strategy, level $level', async ({ strategy, level }) => {
    const below = randomBelow(level);
    const blocks = SIZES.map((size) => {
      const options = { level, strategy: constants[`Z_${strategy}`], memLevel: 1 + below(9) };
      return sound(`${size} bytes`, deflateRawSync(someText(below, size), options));
    });
    await checkSound(shuffled(blocks, random(level)), level % 4);
  });

  it.each([0, 1, 2, 3])('inflates short texts at all alignments, after %d bytes', async (textBegin) => {
    const below = randomBelow(textBegin);
    const blocks = Array.from({ length: 150 }, (_, i) =>
      sound(`block ${i}`, deflateRawSync(someText(below, below([2, 6, 20][below(3)])), { level: [0, 6][below(2)] })),
    );
    await checkSound(blocks, textBegin);
    // One word is all there is, whichever blocks share it.
    for (const sizes of [[0], [1], [0, 1, 0], [0, 0, 2], [1, 1, 1, 1, 1]])
      await checkSound(
        sizes.map((size) => sound(`${size} of ${sizes}`, deflateRawSync(randomBytes(size, size, 26)))),
        textBegin,
      );
  });

  it.each(FLUSHES)('inflates streams with %s', async (flush) => {
    const below = randomBelow(3);
    const blocks: Block[] = [];
    for (let i = 0; i < 10; i++) {
      const parts = Array.from({ length: 1 + below(20) }, () => someText(below, below(500)));
      blocks.push(sound(`stream ${i}`, await flushed(parts, constants[flush])));
    }
    await checkSound(blocks, 1);
  });

  it('inflates matches of all lengths and of distances from 1 to 40, and of 32,768', async () => {
    const blocks: Block[] = [];
    for (let distance = 1; distance <= 40; distance++)
      for (const length of [3, 4, 5, 6, 7, 10, 11, 33, 257, 258]) {
        const writer = new BitWriter().block(1);
        const before = randomBytes(distance, distance + (length % 4), 26);
        writer.symbols(FIXED_SYMBOLS, ...before).fixedMatch(length, distance);
        blocks.push(sound(`${length} from ${distance}`, writer.symbols(FIXED_SYMBOLS, 33, END).bytes()));
      }
    const all = new BitWriter().stored(randomBytes(1, 300, 26), false).block(1);
    for (let length = 3; length <= 258; length++) all.fixedMatch(length, length);
    blocks.push(sound('all lengths', all.symbols(FIXED_SYMBOLS, END).bytes()));
    const far = new BitWriter().stored(randomBytes(1, 32_768, 26), false).block(1);
    blocks.push(sound('32,768', far.fixedMatch(258, 32_768).symbols(FIXED_SYMBOLS, END).bytes()));
    await checkSound(blocks, 3);
  });

  it('does what zlib does with data made by hand', async () => {
    const blocks = madeByHand().map(([name, accepted, writer, textBytes]) => {
      const data = writer instanceof BitWriter ? writer.bytes() : writer;
      const text = inflatedByZlib(data, textBytes ?? null);
      expect(text !== null, `zlib and ${name}`).toBe(accepted);
      return { name, data, textBytes: textBytes ?? text?.length ?? 0 };
    });
    const neighbor = deflateRawSync('!');
    const amidOthers = blocks.flatMap((block) => [sound(`the block before ${block.name}`, neighbor), block]);
    await checkInflated(useTestGpu(), amidOthers, 1);
  });

  it('refuses all truncations, extensions and wrong lengths', async () => {
    const blocks: Block[] = [];
    for (const options of [{ level: 0 }, { level: 9 }, { strategy: constants.Z_FIXED }]) {
      const text = someText(randomBelow(9), 203);
      const whole = deflateRawSync(text, options);
      for (let length = 0; length < whole.length; length++)
        blocks.push({ name: `${length} bytes`, data: whole.subarray(0, length), textBytes: 203 });
      for (const more of [1, 2, 3, 4, 5])
        blocks.push({ name: `${more} more`, data: Buffer.concat([whole, Buffer.alloc(more)]), textBytes: 203 });
      for (const textBytes of [0, 1, 202, 204, 206, MOST_TEXT])
        blocks.push({ name: `${textBytes} of text`, data: whole, textBytes });
    }
    // The last one, so that bytes after its text would not be written by another block.
    blocks.push({
      name: 'a stored block',
      data: new BitWriter().stored(randomBytes(1, 203, 26)).bytes(),
      textBytes: 1,
    });
    expect(await checkInflated(useTestGpu(), blocks, 2)).toBe(0);
  });

  it('inflates or refuses damaged data as zlib does', async () => {
    const accepted = await checkInflated(useTestGpu(), seededBlocks(0, 200), 1);
    // Enough of both kinds.
    expect(accepted - 200).toBeGreaterThan(30);
    expect(400 - accepted).toBeGreaterThan(60);
  });
});

/**
 * Name, whether zlib accepts it, the data, and if it does not, the bytes of text (0 if left out) that would come of the
 * data if what is wrong were overlooked: no other check must refuse it.
 */
type HandMade = readonly [string, boolean, BitWriter | Buffer, number?];

function madeByHand(): HandMade[] {
  return [...withOwnCodes(), ...withBadCodes(), ...withFixedCodes(), ...withoutCodes()];
}

/** Codes of 1, 2, ... 14, 15 and 15 bits. */
const CHAIN = [...Array.from({ length: 15 }, (_, i) => 1 + i), 15];
const EMPTY = codeOf(lengthsOf(257, { [END]: 1 }));
const ONE_MATCH = codeOf(lengthsOf(258, { 65: 2, 66: 2, [END]: 2, 257: 2 }));

/** Begins a last DEFLATE block with codes of its own. */
function own(): BitWriter {
  return new BitWriter().block(2);
}

/** The same with codes for lengths and distances, and symbols before the first distance. */
function coded(symbols: Code, distances: readonly number[], ...all: number[]): BitWriter {
  return own()
    .codes(symbols, codeOf(distances))
    .symbols(symbols, ...all);
}

function withOwnCodes(): HandMade[] {
  return [
    ['codes of up to 15 bits', true, withLongCodes()],
    ['286 symbols, 30 distances', true, withAllCodes()],
    ['one symbol of one bit', true, coded(EMPTY, [0], END)],
    ['its unused code', false, coded(EMPTY, [0]).put(1, 1)],
    ['one distance of one bit', true, coded(ONE_MATCH, [1], 65, 257).put(0, 1).symbols(ONE_MATCH, END)],
    ['its unused code', false, coded(ONE_MATCH, [1], 65, 257).put(1, 1).symbols(ONE_MATCH, END), 4],
    ['no distance, and a match', false, coded(ONE_MATCH, [0], 65, 257).symbols(ONE_MATCH, END), 4],
    ['no distance, and no match', true, coded(ONE_MATCH, [0], 65, 66, END)],
    ['a repetition across both kinds', true, acrossKinds()],
  ];
}

/** Literals, then matches with each distance, in codes that are mostly longer than the kernel's tables. */
function withLongCodes(): BitWriter {
  const letters = Array.from({ length: 13 }, (_, i) => 66 + i);
  const symbols = [65, END, ...letters, 257];
  const code = codeOf(lengthsOf(258, Object.fromEntries(symbols.map((symbol, i) => [symbol, CHAIN[15 - i]]))));
  const writer = coded(code, CHAIN, ...randomBytes(1, 300, 14));
  CHAIN.forEach((_, slot) => {
    writer.symbols(code, 257).symbols(codeOf(CHAIN), slot);
    writer.put(0, slot < 4 ? 0 : (slot >> 1) - 1);
  });
  return writer.symbols(code, END);
}

function withAllCodes(): BitWriter {
  const code = codeOf(Array.from({ length: 286 }, (_, i) => (i < 226 ? 8 : 9)));
  const distances = Array.from({ length: 30 }, (_, i) => (i < 2 ? 4 : 5));
  return coded(code, distances, 1, 200, 285).put(0, 4).symbols(code, END);
}

/** 16 repeats the last length of a symbol for all distances. */
function acrossKinds(): BitWriter {
  const code = codeOf(lengthsOf(260, { 65: 3, 66: 3, [END]: 3, 257: 3, 258: 2, 259: 2 }));
  const writer = own().header(260, 4);
  writer.lengths([18, 54], 3, 3, [18, 127], [18, 40], 3, 3, 2, [16, 2]);
  return writer.symbols(code, 65, 66, 66, END);
}

/** A header with these lengths, then the end, if its code is one bit. */
function badLengths(all: readonly (number | readonly [number, number])[], symbols = 257, distances = 1): BitWriter {
  const writer = own().header(symbols, distances);
  return writer.lengths(...all).put(0, 1);
}

function withBadCodes(): HandMade[] {
  const zeros = (count: number): number[] => Array(count).fill(0);
  const onlyEnd = [...zeros(256), 1];
  const withDistances = (lengths: readonly number[]): BitWriter =>
    own().codes(ONE_MATCH, codeOf(lengths)).symbols(ONE_MATCH, END);
  const encodedBy = (lengths: readonly number[]): BitWriter => own().header(257, 1, lengths).put(0, 400);
  return [
    ['too many symbols', false, badLengths([...onlyEnd, ...zeros(31)], 287)],
    ['too many distances', false, badLengths([...onlyEnd, ...zeros(31)], 257, 31)],
    ['no end', false, badLengths([1, 1, ...zeros(256)])],
    ['no lengths at all', false, badLengths(zeros(258))],
    ['too many codes', false, badLengths([1, 1, ...zeros(254), 1, 0])],
    ['too few codes', false, badLengths([2, 2, ...zeros(254), 2, 0])],
    ['one code of two bits', false, badLengths([...zeros(256), 2, 0])],
    ['too many distances of one bit', false, withDistances([1, 1, 1])],
    ['too few distances', false, withDistances([2, 2, 2])],
    ['one distance of two bits', false, withDistances([2])],
    ['two distances of 15 bits', false, withDistances([15, 15])],
    ['a repetition of nothing', false, badLengths([[16, 0], ...zeros(253), 1, 0])],
    ['a repetition beyond the end', false, badLengths([...onlyEnd, [17, 0]])],
    ['a repetition one beyond the end', false, badLengths([...onlyEnd, [17, 0]], 257, 2)],
    ['a long repetition beyond the end', false, badLengths([...onlyEnd, [18, 127]])],
    ['a header without codes', false, encodedBy(zeros(19))],
    ['a header with one code', false, encodedBy([1, ...zeros(18)])],
    ['a header with too many codes', false, encodedBy(Array(19).fill(4))],
    ['a header with too few codes', false, encodedBy(Array(19).fill(5))],
  ];
}

function withFixedCodes(): HandMade[] {
  const fixed = (): BitWriter => new BitWriter().block(1);
  // With formulas that hold for valid symbols.
  const match = (slot: number, distance: number): BitWriter => {
    const writer = new BitWriter().stored(randomBytes(slot, distance, 26), false).block(1);
    writer.symbols(FIXED_SYMBOLS, 257).symbols(FIXED_DISTANCES, slot).put(0, 14);
    return writer.symbols(FIXED_SYMBOLS, END);
  };
  const length = (symbol: number): BitWriter =>
    fixed().symbols(FIXED_SYMBOLS, 65, symbol).put(0, 6).symbols(FIXED_DISTANCES, 0).symbols(FIXED_SYMBOLS, END);
  const empties = (): BitWriter => {
    const writer = new BitWriter();
    for (let i = 0; i < 52_000; i++) writer.block(1, false).symbols(FIXED_SYMBOLS, END);
    return writer;
  };
  const mixed = new BitWriter();
  for (let i = 0; i < 100; i++)
    mixed
      .block(1, false)
      .symbols(FIXED_SYMBOLS, END)
      .block(2, false)
      .codes(EMPTY, codeOf([0]))
      .symbols(EMPTY, END);
  return [
    ['symbol 286', false, length(286), 1 + 323],
    ['symbol 287', false, length(287), 1 + 387],
    ['distance 30', false, match(30, 32_769), 32_769 + 3],
    ['distance 31', false, match(31, 49_153), 49_153 + 3],
    ['the first byte', true, fixed().symbols(FIXED_SYMBOLS, 65, 66).fixedMatch(9, 2).symbols(FIXED_SYMBOLS, END)],
    ['the byte before', false, fixed().symbols(FIXED_SYMBOLS, 65, 66).fixedMatch(9, 3).symbols(FIXED_SYMBOLS, END), 11],
    ['a match first', false, fixed().fixedMatch(3, 1).symbols(FIXED_SYMBOLS, END), 3],
    [
      'a match beyond the end',
      false,
      fixed().symbols(FIXED_SYMBOLS, 65).fixedMatch(9, 1).symbols(FIXED_SYMBOLS, END),
      9,
    ],
    ['no end', false, fixed().symbols(FIXED_SYMBOLS, ...Array(300).fill(65)), 300],
    ['many empty DEFLATE blocks', true, empties().block(1).symbols(FIXED_SYMBOLS, END)],
    ['empty DEFLATE blocks of both kinds', true, mixed.block(1).symbols(FIXED_SYMBOLS, 65, END)],
    ['no last DEFLATE block', false, empties()],
  ];
}

function withoutCodes(): HandMade[] {
  const text = randomBytes(4, 300, 256);
  const empties = new BitWriter();
  for (let i = 0; i < 5000; i++) empties.stored(Buffer.alloc(0), false);
  const wrongLength = new BitWriter().stored(text).bytes();
  wrongLength[3] ^= 1;
  const shorter = new BitWriter().stored(text).bytes();
  shorter.writeUInt16LE(299, 1);
  shorter.writeUInt16LE(~299 & 0xffff, 3);
  return [
    ['kind 3', false, new BitWriter().block(3).put(0, 64)],
    ['no data', false, Buffer.alloc(0)],
    ['zeros', false, Buffer.alloc(60_000)],
    ['ones', false, Buffer.alloc(60_000, 0xff)],
    ['a stored block', true, new BitWriter().stored(text)],
    ['a stored block with a wrong length', false, wrongLength, 300],
    ['a stored block that ends early', false, shorter, 299],
    ['many empty stored blocks', true, empties.stored(text)],
    ['two stored blocks', true, new BitWriter().stored(text, false).stored(text)],
  ];
}
