/** Inflates many BGZF blocks at once with the kernels of kernels/wasm/codecs/: one copy in, and one out. */
import { copyBytes } from '../system/memory.js';
import { crc32 } from '../system/zlib.js';
import { bgzfBlockBytes, GZIP_TRAILER_BYTES, gzipHeaderBytes, uint32 } from './bgzf.js';
import { INFLATED, Inflater, type SharedRange } from './inflate.js';

/** The problem of a block, and its offset in the group. */
export interface BrokenBlock {
  readonly broken: string;
  readonly at: number;
}

let opened: Inflater | undefined;

/**
 * Inflates whole blocks, as findBlocks finds them, into `target`, whose length is that of their text. Returns the
 * problem of the first broken block, if any.
 */
export function inflateBlocks(blocks: SharedRange, target: Uint8Array): BrokenBlock | null {
  const inflater = (opened ??= new Inflater());
  inflater.setInput([blocks]);
  inflater.putBytesAfter(new Uint8Array(0), target.length);
  const bytes = inflater.input;
  for (let at = 0; at < bytes.length; ) {
    const end = at + bgzfBlockBytes(bytes, at, bytes.length)!;
    const broken = inflateBlock(inflater, bytes, at, end);
    if (broken !== null) return { broken, at };
    at = end;
  }
  copyBytes(inflater.output, target);
  return null;
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
