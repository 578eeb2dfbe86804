/** Inflates many BGZF blocks at once with the kernels of kernels/wasm/codecs/. */
import { uint32 } from '../system/memory.js';
import { crc32 } from '../system/zlib.js';
import { bgzfBlockBytes, findBlocks, GZIP_TRAILER_BYTES, gzipHeaderBytes, MOST_BLOCK_BYTES } from './bgzf.js';
import { INFLATED, type Inflater, type SharedRange } from './inflate.js';

/** The longest match of DEFLATE, in bytes. */
const MOST_MATCH = 258;

/** The problem of a block, and its offset in the group. */
export interface BrokenBlock {
  readonly broken: string;
  readonly at: number;
}

/**
 * Inflates whole blocks, as findBlocks finds them, whose text has `textBytes` bytes. Returns the text, in the memory of
 * `inflater` until the next call, or the problem of the first broken block.
 */
export function inflateBlocks(blocks: SharedRange, textBytes: number, inflater: Inflater): Uint8Array | BrokenBlock {
  inflater.setInput([blocks]);
  inflater.putBytesAfter(new Uint8Array(0), textBytes);
  const bytes = inflater.input;
  for (let at = 0; at < bytes.length; ) {
    const end = at + bgzfBlockBytes(bytes, at, bytes.length)!;
    const broken = inflateBlock(inflater, bytes, at, end);
    if (broken !== null) return { broken, at };
    at = end;
  }
  return inflater.output;
}

/**
 * The first `most` bytes of text of whole blocks, or all that they have. Does not compare checksums: the blocks are
 * inflated once more by themselves. The text is in the memory of `inflater` until the next call.
 */
export function inflateOn(blocks: SharedRange, most: number, inflater: Inflater): Uint8Array | BrokenBlock {
  const bytes = new Uint8Array(blocks.memory, blocks.from, blocks.to - blocks.from);
  const { to } = findBlocks(bytes, 0, bytes.length, most + MOST_BLOCK_BYTES);
  inflater.setInput([{ ...blocks, to: blocks.from + to }]);
  // A match that does not fit is not begun.
  inflater.putBytesAfter(new Uint8Array(0), most + MOST_MATCH);
  const input = inflater.input;
  for (let at = 0; at < input.length && inflater.count < most; ) {
    const end = at + bgzfBlockBytes(input, at, input.length)!;
    const status = inflater.inflateAlone(at + gzipHeaderBytes(input, at, end), end - GZIP_TRAILER_BYTES);
    if (status !== INFLATED.final && status !== INFLATED.needsRoom) return { broken: 'cannot be inflated', at };
    at = end;
  }
  return inflater.output.subarray(0, most);
}

/** Inflates the block in [at, end) after the text before it; returns its problem, if any. */
function inflateBlock(inflater: Inflater, bytes: Uint8Array, at: number, end: number): string | null {
  const before = inflater.count;
  const trailer = end - GZIP_TRAILER_BYTES;
  const status = inflater.inflateAlone(at + gzipHeaderBytes(bytes, at, end), trailer);
  const text = inflater.output.subarray(before);
  const expected = uint32(bytes, end - 4);
  if (text.length > expected || status === INFLATED.needsRoom) return 'has more text than it says';
  if (status !== INFLATED.final) return 'cannot be inflated';
  if (text.length < expected) return 'has less text than it says';
  return crc32(text) === uint32(bytes, trailer) ? null : 'has a wrong checksum';
}
