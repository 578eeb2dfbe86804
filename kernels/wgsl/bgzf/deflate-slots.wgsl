// Lengths and distances in DEFLATE (RFC 1951, section 3.2.5): a slot, which has a code, and extra bits. Both follow one
// rule: small values have a slot each; 4 slots (lengths) or 2 (distances) share each further power of two. The first
// value of a slot is a multiple of 2 ** its extra bits, so these are the lowest bits of the value.

const FIRST_LENGTH = 3u;       // the shortest match of DEFLATE is value 0; the shortest distance, 1, too
const LAST_LENGTH_SLOT = 28u;  // of length 258, an exception: it has no extra bits
const LONGEST_VALUE = 255u;

fn slot_of_length(length: u32) -> u32 {
  let value = length - FIRST_LENGTH;
  if (value == LONGEST_VALUE) { return LAST_LENGTH_SLOT; }
  if (value < 8u) { return value; }
  let extra = firstLeadingBit(value) - 2u;
  return (extra << 2u) + (value >> extra);
}

fn extra_of_length(slot: u32) -> u32 {
  return select((max(slot, 4u) >> 2u) - 1u, 0u, slot == LAST_LENGTH_SLOT);
}

fn slot_of_distance(distance: u32) -> u32 {
  let value = distance - 1u;
  if (value < 4u) { return value; }
  let extra = firstLeadingBit(value) - 1u;
  return (extra << 1u) + (value >> extra);
}

fn extra_of_distance(slot: u32) -> u32 {
  return (max(slot, 2u) >> 1u) - 1u;
}

/// The lowest `count` bits of a value, 0 to 31.
fn low_bits(value: u32, count: u32) -> u32 {
  return value & ((1u << count) - 1u);
}
