//! needs: shared/launch, bam/record
// What an index needs to know of the records of a range of the output, if they are in this one of several texts.
//   text, whose records have numbers base to base + count; order (from record `first` of the output on), starts and
//   sizes (by number) -> positions[records]: the reference; the position, counted from 1; the bases of the reference
//   that the CIGAR spans, MOST_BASES at most; the record's bytes, and in the top bit whether it is mapped.
//   One thread per record, workgroups of 256.
// Bytes moved per record: 12 and two sectors of 32 read, and the CIGAR, 16 written.

struct Immediates { first: u32, records: u32, base: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;
@group(0) @binding(4) var<storage, read_write> positions: array<vec4u>;

const UNMAPPED = 4u << 16u;  // in the word of CIGAR operations and flags
const MOST_BASES = 0x7fffffffu;
// Operations that advance on the reference: M, D, N, = and X, as bits.
const ADVANCING = (1u << 0u) | (1u << 2u) | (1u << 3u) | (1u << 7u) | (1u << 8u);

/// The bases of the reference that `operations` of a CIGAR span.
fn spanned_bases(cigar: u32, operations: u32) -> u32 {
  var sum = 0u;
  for (var i = 0u; i < operations; i++) {
    let operation = text_little(cigar + 4u * i);
    if (((ADVANCING >> (operation & 15u)) & 1u) != 0u) { sum = min(sum + (operation >> 4u), MOST_BASES); }
  }
  return sum;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.records) { return; }
  let number = order[im.first + i];
  if (number - im.base >= im.count) { return; }
  let at = starts[number];
  let word = text_little(at + 16u);
  let is_mapped = (word & UNMAPPED) == 0u;
  let cigar = at + FIXED_BYTES + (text_little(at + 12u) & 255u);
  positions[i] = vec4u(
    text_little(at + 4u),
    text_little(at + 8u) + 1u,
    spanned_bases(cigar, word & 0xffffu),
    sizes[number] | select(0u, 0x80000000u, is_mapped));
}
