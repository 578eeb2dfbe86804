// An entry of a string sort: a 64-bit key, smaller first, and a tag. A tag is a 4-bit code above the 28-bit record
// number. The code is the number of ordered bytes from the key's beginning, or LONG if there are more than the key
// holds. So tags alone order entries of equal keys; the text is read only if both are LONG (compare.wgsl).

const NUMBER_BITS = 28u;
const NUMBER_MASK = 0x0fffffffu;
const LONG = 9u;  // greater than the bytes of any key

struct Entry { high: u32, low: u32, tag: u32 }

/// Comes after every entry of a record (record numbers are below 2^28 - 1).
const PADDING = Entry(0xffffffffu, 0xffffffffu, 0xffffffffu);

/// The tag of a record with `left` ordered bytes from the key's beginning; smaller means earlier.
fn entry_tag(number: u32, left: u32, key_bytes: u32, reverse: bool) -> u32 {
  let code = select(left, LONG, left > key_bytes);
  return (select(code, 15u - code, reverse) << NUMBER_BITS) | number;
}

/// Whether two entries of equal keys both continue beyond the key.
fn both_long(tag: u32, other: u32, reverse: bool) -> bool {
  let code = tag >> NUMBER_BITS;
  return code == other >> NUMBER_BITS && code == select(LONG, 15u - LONG, reverse);
}
