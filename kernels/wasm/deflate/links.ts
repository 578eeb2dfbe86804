/**
 * Links each position to the last earlier one with the same hash, so that a search can follow a chain of candidates.
 * Positions are linked ahead of the searches, many at once: that loop has no branch to mispredict.
 */
import { HASH_BITS, links, POSITION_BYTES, positions } from './layout';

/** Positions linked at once. With the window they stay within the links, which are 65,536. */
const LINKED: usize = 8192;
/** Bytes that are read for a hash. */
const HASHED: usize = 8;
/** A link that leads out of the window. */
const NONE: u16 = 0xffff;

/** Positions before it are linked. */
export let linkedEnd: usize = 0;
let textEnd: usize = 0;
let unhashedBits: u64 = 0;

/** Call it before each text. */
export function openLinks(from: usize, to: usize): void {
  memory.fill(positions, 0, POSITION_BYTES);
  linkedEnd = from;
  textEnd = to;
}

/** Sets the number of bytes that the hash of the following positions depends on. Earlier ones keep their links. */
export function hashBytes(bytes: u32): void { unhashedBits = 64 - 8 * <u64>bytes; }

/** Links the next positions. The last ones of the text get no candidates: a hash would read past its end. */
export function linkMore(): void {
  const to = min(linkedEnd + LINKED, textEnd);
  const end = min(to, max(linkedEnd, textEnd - (HASHED - 1)));
  const unhashed = unhashedBits;
  let at = linkedEnd;
  for (; at + 4 <= end; at += 4) {
    link(at, unhashed);
    link(at + 1, unhashed);
    link(at + 2, unhashed);
    link(at + 3, unhashed);
  }
  for (; at < end; at++) link(at, unhashed);
  for (; at < to; at++) store<u16>(linkOf(at), NONE);
  linkedEnd = to;
}

// @ts-ignore: decorator
@inline
function link(at: usize, unhashed: u64): void {
  const entry = positions + (<usize>(((load<u64>(at) << unhashed) * 0x9e3779b97f4a7c15) >> (64 - HASH_BITS)) << 1);
  store<u16>(linkOf(at), <u16>(at - <usize>load<u16>(entry) - 1));
  store<u16>(entry, <u16>at);
}

// @ts-ignore: decorator
@inline
function linkOf(at: usize): usize { return links + ((at & 0xffff) << 1); }

/** The next candidate: an earlier position. It may have other bytes, or lie outside the window. */
// @ts-ignore: decorator
@inline
export function linked(at: usize): usize { return at - 1 - <usize>load<u16>(linkOf(at)); }
