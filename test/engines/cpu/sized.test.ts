/** What merges of sized records need: places for runs, slices as messages, and text compressed to whole blocks. */
import { describe, expect, it } from 'vitest';
import { BLOCK_TEXT } from '../../../src/codecs/bgzf.js';
import { Arena, type ArenaPlace } from '../../../src/engines/cpu/arena.js';
import { roomForBlocks, sortToBlocks } from '../../../src/engines/cpu/compress-text.js';
import { placeTexts } from '../../../src/engines/cpu/kernels.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { packSlices, textsOf } from '../../../src/engines/cpu/task.js';
import { compareRecords } from '../../../src/keys/compare.js';
import { finish } from '../../../src/system/resumable.js';
import { BGZF_END, unBgzf } from '../../support/genomics-bam.js';
import { randomBelow } from '../../support/random.js';
import { LINES } from '../../support/records.js';
import { bySizedKeys, keyedSized, sized } from '../../support/sized.js';
import { kernelsFor } from './support.js';

describe('an arena', () => {
  it('has places that do not overlap, in few buffers', () => {
    const arena = new Arena(1000);
    const places = [1, 64, 65, 0, 400].map((bytes) => arena.take(bytes));
    expect(new Set(places.map(({ buffer }) => buffer)).size).toBe(1);
    expect(places.map(({ at, bytes }) => `${at},${bytes}`).join(' ')).toBe('0,1 64,64 128,65 256,0 256,400');
    // What does not fit lies in another buffer, which is as large as one place needs.
    expect(arena.take(300).buffer).not.toBe(places[0].buffer);
    expect(arena.take(5000).buffer.byteLength).toBeGreaterThanOrEqual(5000);
    expect(arena.take(200)).toMatchObject({ buffer: places[0].buffer, at: 704 });
  });

  it('uses a buffer again once all of its places are given back', () => {
    const arena = new Arena(256);
    const takeAll = (): ArenaPlace[] => [arena.take(128), arena.take(128)];
    const [first, second] = takeAll();
    const other = arena.take(10);
    arena.give(first);
    expect(arena.take(128).buffer).toBe(other.buffer);
    arena.give(second);
    expect(takeAll()).toEqual([first, second]);
    expect(arena.take(64).buffer).toBe(other.buffer);
  });
});

it('slices are a list of buffers and their places', () => {
  const buffers = [0, 1, 2].map((i) => new SharedArrayBuffer(10 + i));
  const slices = [2, 0, 2, 1, 0].map((i, from) => ({ buffer: buffers[i], from, to: 7 + from / 2 + (from % 2) / 2 }));
  const packed = packSlices(slices);
  expect(packed.buffers).toEqual([buffers[2], buffers[0], buffers[1]]);
  const texts = textsOf(shapeOf(bySizedKeys()), packed);
  expect(texts.map(({ buffer, byteOffset, length }) => [buffer, byteOffset, byteOffset + length])).toEqual(
    slices.map(({ buffer, from, to }) => [buffer, from, to]),
  );
  expect(textsOf(shapeOf(LINES), packSlices([]))).toEqual([]);
  expect(() => textsOf(shapeOf(LINES), packed)).toThrow('are not whole records');
});

describe('text that is sorted and compressed', () => {
  const ordering = bySizedKeys();
  const kernels = kernelsFor(ordering);
  const below = randomBelow(3);
  /** Records with so many bytes of text, and that text in order. */
  function drawn(bytes: number): { readonly records: Buffer[]; readonly text: Buffer } {
    const records: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const length = left < 100_000 ? left : 50_000 + below(40_000);
      records.push(keyedSized(Buffer.from(`${below(5)}`), sized(Buffer.alloc(length - 4, records.length))));
      left -= length;
    }
    const sorted = records.toSorted((a, b) => compareRecords(ordering, a, b));
    return { records, text: Buffer.concat(sorted.map((record) => record.subarray(9))) };
  }

  it.each([
    [0, [0]],
    [10, [0, 1, BLOCK_TEXT - 11, BLOCK_TEXT - 10, BLOCK_TEXT - 9, BLOCK_TEXT - 1, BLOCK_TEXT]],
    [BLOCK_TEXT, [0, 1, BLOCK_TEXT - 1, 3 * BLOCK_TEXT, 3 * BLOCK_TEXT + 5]],
    [3 * BLOCK_TEXT + 77, [0, 1, 78, BLOCK_TEXT - 78, BLOCK_TEXT - 77, BLOCK_TEXT - 1, 5e9]],
  ])('has whole blocks in the middle of %d bytes', (bytes, befores) => {
    const { records, text } = drawn(bytes);
    for (const before of befores)
      for (const wantsText of [false, true]) {
        const blocks = { before, level: 1, wantsText };
        const target = new Uint8Array(roomForBlocks(bytes, blocks));
        const placed = placeTexts(kernels, records);
        const { outcome, compressed } = finish(sortToBlocks(kernels, shapeOf(ordering), placed, blocks, target));
        const { sizes, head, tail, textAt } = compressed;
        expect(outcome).toMatchObject({ bytes, records: records.length });
        const first = Math.min(bytes, (BLOCK_TEXT - (before % BLOCK_TEXT)) % BLOCK_TEXT);
        const count = Math.floor((bytes - first) / BLOCK_TEXT);
        expect([head, sizes.length, tail]).toEqual([first, count, bytes - first - count * BLOCK_TEXT]);
        const whole = Buffer.from(target);
        const inBlocks = unBgzf(Buffer.concat([whole.subarray(0, textAt), BGZF_END]));
        const given = whole.subarray(textAt, textAt + (wantsText ? bytes : head + tail));
        const around = wantsText ? [given] : [given.subarray(0, head), inBlocks, given.subarray(head)];
        expect(text.equals(Buffer.concat(around))).toBe(true);
        expect(inBlocks.equals(text.subarray(head, bytes - tail))).toBe(true);
      }
  });
});
