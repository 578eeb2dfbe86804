//! needs: shared/keyed
// What separates segments: blank lines, which hold only spaces, tabs, newlines and carriage returns. A kernel that
// includes this file declares text and starts (shared/record.wgsl).
// A mark is (begin, end) of the bytes that identify the record's segment: here always empty. ALONE: the record is a
// segment of its own. UNKNOWN: the record is longer than LOOK bytes, and those do not decide.

override DELIMITER_BYTES: u32 = 1u;

const LOOK = 65536u;
const ALONE = vec2u(0xffffffffu, 0u);
const UNKNOWN = vec2u(0xffffffffu, 1u);

fn segment_mark(i: u32) -> vec2u {
  let end = starts[i + 1u] - DELIMITER_BYTES;
  let begin = text_begin(starts[i]);
  let limit = min(end, begin + LOOK);
  for (var at = begin; at < limit; at++) {
    let byte = text_little(at) & 255u;
    if (byte != 32u && byte != 9u && byte != 10u && byte != 13u) { return vec2u(); }
  }
  if (limit < end) { return UNKNOWN; }
  return ALONE;
}
