//! needs: bam/sam-line
// The tags of a line of SAM in the form of BAM, with the rules of kernels/wasm/alignments/sam-tags.ts. A kernel that
// includes this file declares what bam/sam-record.wgsl says.

const COLON = 58u;
const COMMA = 44u;
/// The tag of a long CIGAR.
const CG = 0x4743u;

// Types of tags and of the values of arrays, by their letters.
const A = 65u;
const B = 66u;
const C = 67u;
const H = 72u;
const I = 73u;
const S = 83u;
const Z = 90u;
const SMALL = 32u;  // added to the letter of an unsigned type: the signed one
const F = 102u;

/// Puts the text [begin, end).
fn put_text(begin: u32, end: u32) {
  for (var at = begin; at < end; at += 4u) {
    let bytes = min(end - at, 4u);
    put(low_bytes(text_little(at), bytes), bytes);
  }
}

/// Puts the tags in [begin, end), which tabs separate. A tab at the end begins no tag.
fn put_tags(begin: u32, end: u32) {
  for (var at = begin; at < end && problem == 0u; ) {
    let kind = byte_at(at + 3u);
    let is_text = kind == Z || kind == H;
    // Only texts may be empty.
    if (end - at < select(6u, 5u, is_text) || byte_at(at) <= 32u || byte_at(at + 1u) <= 32u
        || byte_at(at + 2u) != COLON || byte_at(at + 4u) != COLON) {
      fail(MALFORMED);
      return;
    }
    let name = text_little(at) & 0xffffu;
    let value = at + 5u;
    let stop = field_end(value, end);
    put(name, 2u);
    switch kind {
      case Z, H: { put_string(kind, value, stop); }
      case I, 105u: { put_integer(value, stop); }
      case A, 97u, 99u, C: { put_letter(value, stop); }
      case B: {
        if (name == CG) { fail(LONG); }
        put_array(value, stop);
      }
      case F: {
        put(F, 1u);
        put(single_of(value, stop), 4u);
      }
      case 100u: { fail(UNREADABLE); }
      default: { fail(MALFORMED); }
    }
    at = stop + 1u;
  }
}

fn put_string(kind: u32, begin: u32, end: u32) {
  for (var at = begin; at < end; at++) {
    if (byte_at(at) == 0u) { fail(NUL); }
  }
  if (kind == H && ((end - begin) & 1u) != 0u) { fail(MALFORMED); }
  put(kind, 1u);
  put_text(begin, end);
  put(0u, 1u);
}

fn put_letter(begin: u32, end: u32) {
  if (end - begin != 1u) { fail(MALFORMED); }
  put(A, 1u);
  put(byte_at(begin), 1u);
}

/// The smallest type that holds an integer, a signed one if it has a minus sign, even -0.
fn put_integer(begin: u32, end: u32) {
  let number = read_whole(begin);
  if (number.end != end || !is_within(number, 0x80000000u, 0xffffffffu)) { fail(MALFORMED); }
  let sign = select(0u, SMALL, number.negative);
  let value = value_of(number);
  if (is_within(number, 128u, 255u)) {
    put(C + sign, 1u);
    put(value & 0xffu, 1u);
  } else if (is_within(number, 32768u, 65535u)) {
    put(S + sign, 1u);
    put(value & 0xffffu, 2u);
  } else {
    put(I + sign, 1u);
    put(value, 4u);
  }
}

/// The bytes of an integer of this type; 0 if the type is not one of integers.
fn integer_bytes(kind: u32) -> u32 {
  switch kind {
    case C, 99u: { return 1u; }
    case S, 115u: { return 2u; }
    case I, 105u: { return 4u; }
    default: { return 0u; }
  }
}

/// What an array holds: the number of its values, and their range [-least, most].
struct Values { count: u32, least: u32, most: u32 }

/// Checks the integers after commas in [begin, end).
fn read_values(begin: u32, end: u32) -> Values {
  var values = Values();
  for (var at = begin; at < end && problem == 0u; ) {
    let number = read_whole(at + 1u);
    if (byte_at(at) != COMMA || !is_within(number, 0x80000000u, 0xffffffffu)) { fail(MALFORMED); }
    if (number.negative) {
      values.least = max(values.least, number.size);
    } else {
      values.most = max(values.most, number.size);
    }
    values.count++;
    at = number.end;
  }
  return values;
}

/// Whether a type of integers holds all values.
fn holds(kind: u32, values: Values) -> bool {
  let bits = 8u * integer_bytes(kind);
  if (kind > SMALL + A) { return values.least <= (1u << (bits - 1u)) && values.most < (1u << (bits - 1u)); }
  return values.least == 0u && (bits == 32u || values.most < (1u << bits));
}

/// The type for values that do not fit the given one. Bytes of 255 become 16 bits, as in htslib.
fn type_for(values: Values) -> u32 {
  if (values.least == 0u) { return select(select(I, S, holds(S, values)), C, values.most < 255u); }
  if (!holds(SMALL + I, values)) { fail(MALFORMED); }
  return SMALL + select(select(I, S, holds(SMALL + S, values)), C, holds(SMALL + C, values));
}

/// Puts the array whose type is at `begin`, followed by its values.
fn put_array(begin: u32, end: u32) {
  var kind = byte_at(begin);
  put(B, 1u);
  if (kind == F) {
    put_singles(begin + 1u, end);
    return;
  }
  if (integer_bytes(kind) == 0u) {
    fail(MALFORMED);
    return;
  }
  let values = read_values(begin + 1u, end);
  if (!holds(kind, values)) { kind = type_for(values); }
  put(kind, 1u);
  put(values.count, 4u);
  let bytes = integer_bytes(kind);
  var at = begin + 1u;
  for (var i = 0u; i < values.count && problem == 0u; i++) {
    let number = read_whole(at + 1u);
    put(low_bytes(value_of(number), bytes), bytes);
    at = number.end;
  }
}

/// Puts the type f and the numbers after commas in [begin, end).
fn put_singles(begin: u32, end: u32) {
  var count = 0u;
  for (var at = begin; at < end; at++) { count += select(0u, 1u, byte_at(at) == COMMA); }
  put(F, 1u);
  put(count, 4u);
  for (var at = begin; at < end && problem == 0u; ) {
    if (byte_at(at) != COMMA) { fail(MALFORMED); }
    let stop = find_separator(at + 1u, end, COMMA, 1u);
    put(single_of(at + 1u, stop), 4u);
    at = stop;
  }
}
