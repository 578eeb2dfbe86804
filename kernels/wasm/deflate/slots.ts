/**
 * Lengths and distances in DEFLATE (RFC 1951, section 3.2.5): a slot, which has a code, and extra bits. Both follow one
 * rule: small values have a slot each, and 4 slots (lengths) or 2 (distances) share each further power of two.
 */

/** Shorter matches save little, and need a hash of their own. */
export const SHORTEST_MATCH: usize = 4;
export const LONGEST_MATCH: u32 = 258;
/** The shortest match of DEFLATE, whose length is value 0. */
export const FIRST_LENGTH: u32 = 3;
/** The slot of LONGEST_MATCH, an exception: it has no extra bits. */
const LAST_LENGTH_SLOT: u32 = 28;
/** log2 of the slots of a power of two. */
const LENGTH_STEP: u32 = 2;
const DISTANCE_STEP: u32 = 1;

/** Fills the table at `lengthSlots`: u8 for each length to 258, its slot. */
export function fillLengthSlots(lengthSlots: usize): void {
  for (let length = FIRST_LENGTH; length < LONGEST_MATCH; length++)
    store<u8>(lengthSlots + length, slotOf(length - FIRST_LENGTH, LENGTH_STEP));
  store<u8>(lengthSlots + LONGEST_MATCH, LAST_LENGTH_SLOT);
}

/** The slot of a distance, less 1. */
// @ts-ignore: decorator
@inline
export function distanceSlot(value: u32): u32 { return slotOf(value, DISTANCE_STEP); }

// @ts-ignore: decorator
@inline
export function distanceExtra(slot: u32): u32 { return extraOf(slot, DISTANCE_STEP); }

/** The first distance of a slot, less 1. */
// @ts-ignore: decorator
@inline
export function distanceBase(slot: u32): u32 { return baseOf(slot, DISTANCE_STEP); }

export function lengthExtra(slot: u32): u32 {
  return slot == LAST_LENGTH_SLOT ? 0 : extraOf(slot, LENGTH_STEP);
}

/** The first length of a slot. */
export function lengthBase(slot: u32): u32 {
  return slot == LAST_LENGTH_SLOT ? LONGEST_MATCH : FIRST_LENGTH + baseOf(slot, LENGTH_STEP);
}

// @ts-ignore: decorator
@inline
function slotOf(value: u32, step: u32): u32 {
  if (value < <u32>2 << step) return value;
  const extra = 31 - clz(value) - step;
  return (extra << step) + (value >> extra);
}

// @ts-ignore: decorator
@inline
function extraOf(slot: u32, step: u32): u32 { return slot < <u32>2 << step ? 0 : (slot >> step) - 1; }

// @ts-ignore: decorator
@inline
function baseOf(slot: u32, step: u32): u32 {
  const extra = extraOf(slot, step);
  return (slot - (extra << step)) << extra;
}
