/** BGZF blocks: zlib and bgzip read what is written; damaged blocks and wrong headers are found. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK, findBlocks, writeBlock } from '../../src/codecs/bgzf.js';
import { type BrokenBlock, inflateBlocks, inflateOn } from '../../src/codecs/inflate-blocks.js';
import { randomBytes } from '../support/codecs.js';
import { inflater } from '../support/kernel-inflated.js';

/** The text of blocks, which say that it has `bytes` bytes, or the problem of one. */
function inflated(blocks: Buffer, bytes: number): Buffer | BrokenBlock {
  const memory = new SharedArrayBuffer(blocks.length);
  new Uint8Array(memory).set(blocks);
  const result = inflateBlocks({ memory, from: 0, to: blocks.length }, bytes, inflater);
  return 'broken' in result ? result : Buffer.from(result);
}

function blockOf(text: Uint8Array, level: number): Buffer {
  const target = Buffer.alloc(1 << 16);
  return Buffer.from(target.subarray(0, writeBlock(text, level, target, 0)));
}

const TEXTS: readonly (readonly [string, Buffer])[] = [
  ['no bytes', Buffer.alloc(0)],
  ['one byte', Buffer.from('x')],
  ['the longest text, of one letter', Buffer.alloc(BLOCK_TEXT, 'A')],
  ['the longest text, random', randomBytes(1, BLOCK_TEXT, 256)],
  ['random bases', randomBytes(2, 40_001, 4)],
];
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

it.each(TEXTS)('writes BGZF blocks of %s at all levels', (_, text) => {
  for (const level of LEVELS) {
    const block = blockOf(text, level);
    expect(block.length).toBeLessThanOrEqual(1 << 16);
    expect(gunzipSync(block).equals(text)).toBe(true);
    expect(findBlocks(block, 0, block.length, 1 << 16)).toEqual({
      to: block.length,
      text: text.length,
      endsEmpty: text.length === 0,
      broken: null,
    });
    expect(text.equals(inflated(block, text.length) as Buffer)).toBe(true);
  }
});

it('finds as many whole BGZF blocks as the limit of text allows', () => {
  const [a, b] = [blockOf(Buffer.alloc(100, 'a'), 1), blockOf(Buffer.alloc(50, 'b'), 1)];
  const file = Buffer.concat([a, b, END_BLOCK]);
  const ends = [a.length, a.length + b.length, file.length];
  expect(findBlocks(file, 0, file.length, 149)).toMatchObject({ to: ends[0], text: 100, endsEmpty: false });
  expect(findBlocks(file, 0, file.length, 150)).toMatchObject({ to: ends[2], text: 150, endsEmpty: true });
  for (let to = 0; to <= file.length; to++)
    expect(findBlocks(file, 0, to, 1 << 20).to).toBe(ends.findLast((end) => end <= to) ?? 0);
});

it('reads BGZF blocks with the maximum of 64 KiB of text', () => {
  const text = randomBytes(3, 1 << 16, 4);
  const member = gzipSync(text);
  // The deflated text with its trailer follows the ten bytes of gzip's header.
  const block = Buffer.concat([END_BLOCK.subarray(0, 18), member.subarray(10)]);
  block.writeUInt16LE(block.length - 1, 16);
  expect(findBlocks(block, 0, block.length, 1 << 20)).toMatchObject({ to: block.length, text: 1 << 16, broken: null });
  expect(Buffer.from(text).equals(inflated(block, text.length) as Buffer)).toBe(true);
});

it('reports which BGZF block is damaged, and how', () => {
  const blocks = [0, 1, 2].map((i) => blockOf(randomBytes(i, 1000, 4), 6));
  const [first, second, third] = blocks as [Buffer, Buffer, Buffer];
  const inflate = (broken: Buffer): unknown => inflated(Buffer.concat([first, broken, third]), 3000);
  const changed = (at: number, value: number): Buffer => {
    const copy = Buffer.from(second);
    copy[at] = value;
    return copy;
  };
  expect(inflate(second)).toBeInstanceOf(Buffer);
  const at = first.length;
  expect(inflate(changed(second.length - 8, second.at(-8)! ^ 1))).toEqual({ broken: 'has a wrong checksum', at });
  expect(inflate(changed(18, 7))).toEqual({ broken: 'cannot be inflated', at });
  const claiming = (bytes: number): Buffer => {
    const copy = Buffer.from(second);
    copy.writeUInt32LE(bytes, copy.length - 4);
    return copy;
  };
  for (const [bytes, broken] of [
    [999, 'has more text than it says'],
    [1001, 'has less text than it says'],
  ] as const)
    expect(inflated(Buffer.concat([first, claiming(bytes)]), 1000 + bytes)).toEqual({
      broken,
      at,
    });
  // The matches of a block must not copy text of the one before.
  const reaching = blockOf(Buffer.alloc(300, 'A'), 6);
  const foreign = Buffer.concat([reaching.subarray(0, 18), Buffer.of(0x03, 0x02, 0, 0), reaching.subarray(-8)]);
  foreign.writeUInt16LE(foreign.length - 1, 16);
  expect(inflated(Buffer.concat([first, foreign]), 1300)).toEqual({ broken: 'cannot be inflated', at });
  const bomb = changed(second.length - 2, 9);
  expect(findBlocks(Buffer.concat([first, bomb]), 0, at + bomb.length, 1 << 20)).toMatchObject({
    to: at,
    broken: expect.stringContaining('at most 65536'),
  });
});

it('inflates the beginning of blocks, as far as it is wanted or there is one', () => {
  // The end of what is wanted may lie in a long match.
  const text = Buffer.concat([randomBytes(8, 100, 4), Buffer.alloc(900, 'A')]);
  const file = Buffer.concat([blockOf(text.subarray(0, 400), 1), END_BLOCK, blockOf(text.subarray(400), 6), END_BLOCK]);
  const from = 3;
  const memory = new SharedArrayBuffer(from + file.length);
  new Uint8Array(memory).set(file, from);
  const on = (bytes: number, most: number): Buffer | BrokenBlock => {
    const result = inflateOn({ memory, from, to: from + bytes }, most, inflater);
    return 'broken' in result ? result : Buffer.from(result);
  };
  for (const most of [0, 1, 399, 400, 401, 999, 1000, 1001, 100_000])
    expect(on(file.length, most)).toEqual(text.subarray(0, most));
  // The last block is incomplete, or there is none.
  expect(on(file.length - END_BLOCK.length - 1, 1000)).toEqual(text.subarray(0, 400));
  expect(on(20, 1000)).toEqual(Buffer.alloc(0));
  expect(on(0, 1000)).toEqual(Buffer.alloc(0));
  new Uint8Array(memory)[from + 18] ^= 7;
  expect(on(file.length, 10)).toEqual({ broken: 'cannot be inflated', at: 0 });
});
