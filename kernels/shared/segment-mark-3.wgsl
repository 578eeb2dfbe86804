//! needs: bytes
// What tells segments apart: bytes at a place of fixed records. A kernel that needs this declares text and starts (record.wgsl).
// A mark is (first byte, byte behind the last one) of what names the record's segment. UNKNOWN: more than LOOK bytes; ALONE is no
// record here.

override BEGIN_BYTE: u32 = 0u;
override END_BYTE: u32 = 0u;    // how many bytes

const LOOK = 65536u;
const ALONE = vec2u(0xffffffffu, 0u);
const UNKNOWN = vec2u(0xffffffffu, 1u);

fn segment_mark(i: u32) -> vec2u {
  if (END_BYTE > LOOK) { return UNKNOWN; }
  let first = starts[i] + BEGIN_BYTE;
  return vec2u(first, first + END_BYTE);
}
