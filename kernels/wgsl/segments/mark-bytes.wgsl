//! needs: shared/bytes, shared/starts
// What separates segments: bytes at a fixed position of fixed-size records. A kernel that includes this file declares
// text and starts (shared/record.wgsl). A mark is (begin, end) of the bytes that identify the record's segment.
// UNKNOWN: more than LOOK bytes. No record is ALONE here.

override BEGIN_BYTE: u32 = 0u;
override END_BYTE: u32 = 0u;    // the number of bytes

const LOOK = 65536u;
const ALONE = vec2u(0xffffffffu, 0u);
const UNKNOWN = vec2u(0xffffffffu, 1u);

fn segment_mark(i: u32) -> vec2u {
  if (END_BYTE > LOOK) { return UNKNOWN; }
  let first = record_start(i) + BEGIN_BYTE;
  return vec2u(first, first + END_BYTE);
}
