//! needs: shared/keyed, shared/fields, shared/natural, records/keyed-lines/key-numbers
//! needs: records/keyed-lines/key-integers, records/keyed-lines/key-contigs
// The key of a line, digit by digit: a normalized key for each part, byte for byte as kernels/wasm/keys/index.ts makes
// it on the host. A kernel that includes this file declares text (shared/bytes.wgsl), at any binding
//   var<storage, read> parts: array<Part>;     the key parts, in order
//   var<storage, read> tables: array<u32>;     filters of 256 words: what each byte counts as, or DROPPED;
//                                              tables of contigs (contig-table.wgsl)
// and fn put_byte(byte: u32), which takes the key's bytes one by one.

/// The numbers of SpanNumbers (src/keys/fields.ts), and how the part is compared.
struct Part {
  order: u32,           // numbered as in src/job/ordering.ts
  turned: u32,          // BASE - 1 for a reversed part, whose digits are complemented; else 0
  table: u32,           // the word of tables at which its filter or its list begins; or NO_TABLE
  begin_field: u32,
  begin_byte: u32,
  begin_blanks: u32,
  end_field: u32,       // all ones: to the end of the line
  end_byte: u32,        // 0: to the end of the last field passed
  end_blanks: u32,
  separator: u32,
  separator_bytes: u32,
  drops_return: u32,    // 1: a carriage return at the end of the part does not count where a line ends
}

const NUMERIC = 1u;
const NATURAL = 7u;
const LENGTH = 8u;
const CONTIG = 11u;
const INTEGER = 13u;
const STRAND = 15u;
const TEMPLATE = 16u;
const ALLELES = 19u;
const COMMENT = 20u;
const MAPPED_CONTIG = 21u;
const EMPTY = 25u;

const NO_TABLE = 0xffffffffu;
const DROPPED = 256u;
const NEWLINE = 10u;
const RETURN = 13u;
const TAB = 9u;
const HASH = 35u;
const MOST_ZEROS = 32u;     // the host reads positions of more zeros
const TRACK = vec2u(0x63617274u, 0x6bu);         // `track` and `browser` in little-endian words
const BROWSER = vec2u(0x776f7262u, 0x726573u);
const LOOK = 4096u;        // the most bytes of a line read for its key: a single thread reads them
const FAR_LOOK = 1048576u; // the same for a length, which finds only where its text ends: long reads are longer

var<private> turned: u32 = 0u;
var<private> commented: bool = false;  // the line is a comment, and has no further keys

/// Puts a digit, 0 to 254.
fn put(digit: u32) {
  let value = select(digit, turned - digit, turned != 0u);
  put_byte(value + select(0u, 1u, value >= DELIMITER));
}

/// Puts the header.
fn put_length(length: u32) {
  turned = 0u;
  put_four(length);
}

/// Where the text [begin, end) ends without its carriage return.
fn without_return(begin: u32, end: u32) -> u32 {
  return end - select(0u, 1u, end > begin && byte_at(end - 1u) == RETURN);
}

/// The value that the byte at `at` counts as.
fn filtered(at: u32, table: u32) -> u32 {
  let byte = byte_at(at);
  if (table == NO_TABLE) { return byte; }
  return tables[table + byte];
}

/// Puts the number of bytes that count.
fn put_size(begin: u32, end: u32, table: u32) {
  if (table == NO_TABLE) {
    put_four(end - begin);
    return;
  }
  var size = 0u;
  for (var at = begin; at < end; at++) {
    if (filtered(at, table) != DROPPED) { size++; }
  }
  put_four(size);
}

/// Where the columns REF and ALT end: an ALT of `.` is no allele.
fn alleles_end(begin: u32, end: u32) -> u32 {
  if (end - begin >= 2u && byte_at(end - 1u) == POINT && byte_at(end - 2u) == TAB) { return end - 2u; }
  return end;
}

/// Whether a byte is a space, a tab or a carriage return.
fn is_space(byte: u32) -> bool { return byte == 32u || byte == TAB || byte == RETURN; }

/// Whether the first word of the line [begin, end) is `word`, of `bytes` bytes, 5 to 8.
fn is_word(begin: u32, end: u32, word: vec2u, bytes: u32) -> bool {
  if (end - begin < bytes || text_little(begin) != word.x) { return false; }
  if (low_bytes(text_little(begin + 4u), bytes - 4u) != word.y) { return false; }
  return end - begin == bytes || is_space(byte_at(begin + bytes));
}

/// Puts a digit that is less for a comment, a blank line, `track` and `browser`. Returns the end of the bytes that
/// determine it.
fn put_comment(begin: u32, end: u32) -> u32 {
  var at = begin;
  if (begin < end && byte_at(begin) == HASH) {
    commented = true;
  } else {
    while (at < end && is_space(byte_at(at))) { at++; }
    commented = at == end || is_word(begin, end, TRACK, 5u) || is_word(begin, end, BROWSER, 7u);
  }
  put(select(1u, 0u, commented));
  return at;
}

/// Puts one or two digits for each byte that counts, then 0.
fn put_text(begin: u32, end: u32, table: u32) {
  for (var at = begin; at < end; at++) {
    let byte = filtered(at, table);
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

/// Puts the key of a part, [begin, end) in the text. Returns false if it is not what the order needs; sets `stop` to
/// the end of the bytes that determine the key, if that is not the end of the part.
fn put_part(part: Part, begin: u32, end: u32, stop: ptr<function, u32>) -> bool {
  switch part.order {
    case NUMERIC: { *stop = put_number(begin, end); }
    case NATURAL: { put_natural(begin, end); }
    case LENGTH: { put_size(begin, end, part.table); }
    case CONTIG: { return put_contig(begin, end, part.table, false); }
    case MAPPED_CONTIG: {
      // A read whose position, the next field, is 0 has no contig.
      var zeros = end + 1u;
      while (byte_at(end) == TAB && byte_at(zeros) == ZERO && zeros <= end + MOST_ZEROS) { zeros++; }
      *stop = zeros;
      let unmapped = zeros > end + 1u && byte_at(zeros) == TAB;
      return put_contig(begin, end, part.table, unmapped) && zeros <= end + MOST_ZEROS;
    }
    case INTEGER: { return put_integer(begin, end); }
    case STRAND, TEMPLATE: { return put_flag(begin, end, part.order == TEMPLATE); }
    case ALLELES: { put_text(begin, alleles_end(begin, end), part.table); }
    case EMPTY: {
      put(select(0u, 1u, begin == end));
      *stop = min(begin + 1u, end);
    }
    case COMMENT: { *stop = put_comment(begin, end); }
    default: { put_text(begin, end, part.table); }
  }
  return true;
}

/// Puts the keys of the parts of the line [begin, end). Returns false if the device cannot make the key, because it
/// needs more than LOOK bytes or a part is not what its order needs; what was put is then invalid.
fn put_rows(begin: u32, end: u32, count: u32) -> bool {
  var complete = true;
  for (var p = 0u; p < count && !commented; p++) {
    let part = parts[p];
    let limit = begin + min(end - begin, select(LOOK, FAR_LOOK, part.order == LENGTH));
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
    let ends_line = last == end || byte_at(last) == NEWLINE;
    if (part.drops_return != 0u && ends_line) { last = without_return(first, last); }
    let valid = put_part(part, first, last, &stop);
    // A part that stops at the limit might continue beyond it.
    complete = complete && valid && (limit == end || stop < limit);
  }
  return complete;
}
