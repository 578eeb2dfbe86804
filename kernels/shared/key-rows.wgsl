//! needs: keyed, key-numbers, fields
// The key of a line, digit by digit: a row for each part, as kernels/keys/index.ts has them for the host, byte for byte the same. A kernel that needs
// this declares text (bytes.wgsl), at any binding
//   var<storage, read> parts: array<Part>;     in their order
//   var<storage, read> filters: array<u32>;    what each of 256 bytes counts as, DROPPED: it does not; a table behind the other
// and fn put_byte(byte: u32), which takes the key's bytes one after another.

/// The numbers of src/keys/segments.ts (SpanNumbers), and how the part is compared.
struct Part {
  order: u32,           // BY_BYTES or NUMERIC
  turned: u32,          // BASE - 1: larger parts first, else 0
  filter_number: u32,   // of the table in filters, from 1 on; 0: all bytes count as they are
  begin_field: u32,
  begin_byte: u32,
  begin_blanks: u32,
  end_field: u32,       // all ones: the line's end
  end_byte: u32,        // 0: the end of the last field that is passed
  end_blanks: u32,
  separator: u32,
  separator_bytes: u32,
}

const BY_BYTES = 0u;
const NUMERIC = 1u;
const DROPPED = 256u;
const BASE = 255u;
const LOOK = 4096u;     // bytes of a line that its key is looked for in: one thread reads them

var<private> turned: u32 = 0u;

/// Puts a digit, 0 to 254.
fn put(digit: u32) {
  let value = select(digit, turned - digit, turned != 0u);
  put_byte(value + select(0u, 1u, value >= DELIMITER));
}

/// Puts the header: a number of four digits.
fn put_length(length: u32) {
  turned = 0u;
  put(length / (BASE * BASE * BASE));
  put(length / (BASE * BASE) % BASE);
  put(length / BASE % BASE);
  put(length % BASE);
}

/// Puts a digit or two for each byte that counts, and 0 behind the last.
fn put_text(begin: u32, end: u32, filter_number: u32) {
  for (var at = begin; at < end; at++) {
    var byte = byte_at(at);
    if (filter_number != 0u) { byte = filters[(filter_number - 1u) * 256u + byte]; }
    if (byte != DROPPED) {
      let rank = byte - select(0u, 1u, byte > DELIMITER);
      if (rank < BASE - 2u) {
        put(rank + 1u);
      } else {
        put(BASE - 1u);
        put(rank - (BASE - 2u));
      }
    }
  }
  put(0u);
}

/// Puts the rows of the line [begin, end); false: more than LOOK bytes would have to be read, and what was put is no key.
fn put_rows(begin: u32, end: u32, count: u32) -> bool {
  let limit = begin + min(end - begin, LOOK);
  var told = true;
  for (var p = 0u; p < count; p++) {
    let part = parts[p];
    let first = skip_bytes(skip_fields(begin, limit, part.begin_field, part.separator, part.separator_bytes, true), limit, part.begin_byte, part.begin_blanks != 0u);
    var last = limit;
    if (part.end_field != 0xffffffffu) {
      last = skip_fields(begin, limit, part.end_field, part.separator, part.separator_bytes, part.end_byte != 0u);
      if (part.end_byte != 0u) { last = skip_bytes(last, limit, part.end_byte, part.end_blanks != 0u); }
    }
    last = max(first, last);
    turned = part.turned;
    var stop = last;
    if (part.order == NUMERIC) { stop = put_number(first, last); } else { put_text(first, last, part.filter_number); }
    // What stops at the limit might have gone on.
    told = told && (limit == end || stop < limit);
  }
  return told;
}
