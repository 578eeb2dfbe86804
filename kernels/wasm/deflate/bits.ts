/**
 * Writes bits, the lowest first. Fewer than 8 wait between calls. The loop over sequences (block.ts) keeps this state
 * in local variables.
 */

/** Where the next whole byte goes. The 8 bytes from here on are overwritten. */
export let nextByte: usize = 0;
export let waiting: u64 = 0;
/** The number of bits that wait. */
export let waitingBits: u64 = 0;

export function openBits(at: usize): void { setWaiting(at, 0, 0); }

export function setWaiting(at: usize, bits: u64, count: u64): void {
  nextByte = at;
  waiting = bits;
  waitingBits = count;
}

/** Appends up to 32 bits. */
export function putBits(bits: u32, count: u32): void {
  waiting |= <u64>bits << waitingBits;
  waitingBits += count;
  store<u64>(nextByte, waiting);
  nextByte += <usize>(waitingBits >> 3);
  waiting >>= waitingBits & 56;
  waitingBits &= 7;
}

/** Fills the last byte with zeros; returns the end. */
export function endBits(): usize {
  if (waitingBits > 0) store<u8>(nextByte, <u8>waiting);
  openBits(nextByte + <usize>(waitingBits > 0));
  return nextByte;
}
