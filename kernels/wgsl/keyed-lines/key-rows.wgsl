//! needs: shared/keyed, keyed-lines/key-numbers, shared/fields
// The key of a line, digit by digit: a normalized key for each part, byte for byte as kernels/wasm/keys/index.ts makes
// it on the host. A kernel that includes this file declares text (shared/bytes.wgsl), at any binding
//   var<storage, read> parts: array<Part>;     the key parts, in order
//   var<storage, read> filters: array<u32>;    tables of 256 entries: what each byte counts as, or DROPPED
// and fn put_byte(byte: u32), which takes the key's bytes one by one.

/// The numbers of SpanNumbers (src/keys/span-numbers.ts), and how the part is compared.
struct Part {
  order: u32,           // 0: by bytes; or NUMERIC
  turned: u32,          // BASE - 1 for a reversed part, whose digits are complemented; else 0
  filter_number: u32,   // the table in filters, from 1; 0: no filter
  begin_field: u32,
  begin_byte: u32,
  begin_blanks: u32,
  end_field: u32,       // all ones: to the end of the line
  end_byte: u32,        // 0: to the end of the last field passed
  end_blanks: u32,
  separator: u32,
  separator_bytes: u32,
}

const NUMERIC = 1u;
const DROPPED = 256u;
const BASE = 255u;
const LOOK = 4096u;     // the most bytes of a line read for its key: a single thread reads them

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

/// Puts one or two digits for each byte that counts, then 0.
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

/// Puts the keys of the parts of the line [begin, end). Returns false if the key needs more than LOOK bytes;
/// what was put is then invalid.
fn put_rows(begin: u32, end: u32, count: u32) -> bool {
  let limit = begin + min(end - begin, LOOK);
  var complete = true;
  for (var p = 0u; p < count; p++) {
    let part = parts[p];
    let field = skip_fields(begin, limit, part.begin_field, part.separator, part.separator_bytes, true);
    let first = skip_bytes(field, limit, part.begin_byte, part.begin_blanks != 0u);
    var last = limit;
    if (part.end_field != 0xffffffffu) {
      last = skip_fields(begin, limit, part.end_field, part.separator, part.separator_bytes, part.end_byte != 0u);
      if (part.end_byte != 0u) { last = skip_bytes(last, limit, part.end_byte, part.end_blanks != 0u); }
    }
    last = max(first, last);
    turned = part.turned;
    var stop = last;
    if (part.order == NUMERIC) { stop = put_number(first, last); } else { put_text(first, last, part.filter_number); }
    // A part that stops at the limit might continue beyond it.
    complete = complete && (limit == end || stop < limit);
  }
  return complete;
}
