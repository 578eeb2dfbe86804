//! needs: shared/keyed, shared/fields
// What separates segments: a part of the record by fields (shared/fields.wgsl). A kernel that includes this file
// declares text and starts (shared/record.wgsl). A mark is (begin, end) of the bytes that identify the record's
// segment. UNKNOWN: more than LOOK bytes would have to be read. No record is ALONE here.

override DELIMITER_BYTES: u32 = 1u;
override BEGIN_FIELD: u32 = 0u;          // fields to skip, then bytes, and whether to skip blanks between
override BEGIN_BYTE: u32 = 0u;
override BEGIN_BLANKS: bool = false;
override END_FIELD: u32 = 0xffffffffu;   // the same for the end; all ones: the end of the record
override END_BYTE: u32 = 0u;             // 0: the end of the last field skipped
override END_BLANKS: bool = false;
override SEPARATOR: u32 = 0u;            // the bytes that separate fields, and their number
override SEPARATOR_BYTES: u32 = 0u;

const LOOK = 65536u;
const ALONE = vec2u(0xffffffffu, 0u);
const UNKNOWN = vec2u(0xffffffffu, 1u);

fn segment_mark(i: u32) -> vec2u {
  let record = text_begin(starts[i]);
  let end = starts[i + 1u] - DELIMITER_BYTES;
  let limit = min(end, record + LOOK);
  let field = skip_fields(record, limit, BEGIN_FIELD, SEPARATOR, SEPARATOR_BYTES, true);
  let first = skip_bytes(field, limit, BEGIN_BYTE, BEGIN_BLANKS);
  var last = limit;
  if (END_FIELD != 0xffffffffu) {
    if (END_BYTE == 0u) { last = skip_fields(record, limit, END_FIELD, SEPARATOR, SEPARATOR_BYTES, false); }
    else {
      let last_field = skip_fields(record, limit, END_FIELD, SEPARATOR, SEPARATOR_BYTES, true);
      last = skip_bytes(last_field, limit, END_BYTE, END_BLANKS);
    }
  }
  // A part that stops at the limit might continue beyond it.
  if (limit < end && max(first, last) == limit) { return UNKNOWN; }
  return vec2u(first, max(first, last));
}
