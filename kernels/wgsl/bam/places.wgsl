//! needs: shared/launch, bam/record
// The places of records of BAM, and whether they are well formed.
//   text, entries[blocks] (the first record of each BGZF block), firsts[blocks + 1] (its number in the text) -> starts
//   and sizes[records]. malformed is 1 if a record's fields do not fit into it or its position is not one. One thread
//   per block, workgroups of 64.
// Bytes moved: a sector of 32 or two read per record, 8 written.

struct Immediates { blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read> firsts: array<u32>;
@group(0) @binding(3) var<storage, read_write> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> sizes: array<u32>;
@group(0) @binding(5) var<storage, read_write> malformed: array<u32>;

/// Whether name, CIGAR, bases and qualities fit into the record. No sum exceeds a word.
fn fits(at: u32, bytes: u32, operations: u32) -> bool {
  let bases = text_little(at + 20u);
  if (bases > 0x3fffffffu) { return false; }
  return FIXED_BYTES + (text_little(at + 12u) & 255u) + 4u * operations + (bases + 1u) / 2u + bases <= bytes;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = workgroup_number(id, grid) * 64u + thread;
  if (block >= im.blocks) { return; }
  var at = entries[block];
  for (var record = firsts[block]; record < firsts[block + 1u]; record++) {
    let bytes = text_little(at) + 4u;
    let position = text_little(at + 8u) + 1u;
    if (position > 0x7fffffffu || !fits(at, bytes, text_little(at + 16u) & 0xffffu)) { malformed[0] = 1u; }
    starts[record] = at;
    sizes[record] = bytes;
    at += bytes;
  }
}
