// Entries of a string sort: a key of 64 bits, smaller first, and a tag, which is a code of 4 bits over the record's number of 28.
// The code is how many ordered bytes there are from the key's begin on, all beyond the key's own being LONG. So entries of equal
// keys are in order by their tags alone, and only where both are LONG need the text be read (compare.wgsl).

const NUMBER_BITS = 28u;
const NUMBER_MASK = 0x0fffffffu;
const LONG = 9u;  // more than any key has bytes

struct Entry { high: u32, low: u32, tag: u32 }

/// After every entry of a record (numbers are below 2^28 - 1).
const PADDING = Entry(0xffffffffu, 0xffffffffu, 0xffffffffu);

/// The tag of a record with `left` ordered bytes from the key's begin on; smaller means earlier.
fn entry_tag(number: u32, left: u32, key_bytes: u32, reverse: bool) -> u32 {
  let code = select(left, LONG, left > key_bytes);
  return (select(code, 15u - code, reverse) << NUMBER_BITS) | number;
}

/// Whether two entries of equal keys both have more text.
fn both_long(tag: u32, other: u32, reverse: bool) -> bool {
  let code = tag >> NUMBER_BITS;
  return code == other >> NUMBER_BITS && code == select(LONG, 15u - LONG, reverse);
}
