/** DEFLATE data for tests: of all kinds of blocks, and damaged in all places. A seed gives the same data everywhere. */
import { constants, deflateRawSync } from 'node:zlib';
import { type RandomBelow, randomBelow } from './random.js';

const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];

/** Text with repeats near and far, and parts that cannot be compressed. */
export function someText(below: RandomBelow, bytes: number): Buffer {
  const text = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; ) {
    const kind = below(5);
    const end = Math.min(bytes, at + 1 + below(kind === 4 ? 600 : 60));
    const back = 1 + below(Math.min(at, kind === 2 ? 12 : 40_000) || 1);
    const letters = 1 + below(kind === 0 ? 256 : 8);
    for (; at < end; at++) text[at] = kind > 1 && at >= back ? text[at - back] : 65 + below(letters);
  }
  return text;
}

/** Whole DEFLATE data, of one kind of block or of several: each flush ends a block. */
export function deflated(below: RandomBelow, text: Uint8Array): Buffer {
  const options = { level: below(10), strategy: STRATEGIES[below(STRATEGIES.length)], memLevel: 1 + below(9) };
  if (text.length < 2 || below(3) > 0) return deflateRawSync(text, options);
  const cut = 1 + below(text.length - 1);
  const finishFlush = below(2) === 0 ? constants.Z_FULL_FLUSH : constants.Z_SYNC_FLUSH;
  const first = deflateRawSync(text.subarray(0, cut), { ...options, finishFlush });
  return Buffer.concat([first, deflated(below, text.subarray(cut))]);
}

/** The same with some of its bits, bytes or parts changed; sometimes unchanged. */
export function damaged(below: RandomBelow, bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const place = (): number => below(below(2) === 0 ? copy.length : Math.min(copy.length, 100));
  switch (below(8)) {
    case 0:
      return copy;
    case 1:
      return copy.subarray(0, place());
    case 2: {
      const [from, to] = [place(), place()];
      copy.copyWithin(from, to, to + below(20));
      return copy;
    }
    case 3:
      return Buffer.concat([copy, Buffer.alloc(below(20), 1)]);
    case 4:
      for (let at = place(), end = at + below(200); at < end && at < copy.length; at++) copy[at] = below(256);
      return copy;
    default:
      for (let changes = 1 + below(3); changes > 0; changes--) copy[place()] ^= 1 << below(8);
      return copy;
  }
}

/** The beginning of one, up to any byte, and the end of another. */
export function spliced(below: RandomBelow, one: Uint8Array, other: Uint8Array): Buffer {
  return Buffer.concat([one.subarray(0, below(one.length + 1)), other.subarray(below(other.length + 1))]);
}

/** Damaged data, or bits without a meaning that begin as a block does. */
export function seededStream(seed: number): Buffer {
  const below = randomBelow(seed);
  if (below(4) > 0)
    return damaged(below, deflated(below, someText(below, below(2) === 0 ? below(3000) : below(90_000))));
  const bytes = Buffer.from(Uint8Array.from({ length: 1 + below(400) }, () => below(below(2) === 0 ? 256 : 4)));
  bytes[0] = (bytes[0] & ~7) | below(2) | (below(2) === 0 ? 4 : 2 * below(4));
  return bytes;
}
