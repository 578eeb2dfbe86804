//! needs: shared/launch, shared/flags, bam/record
// The keys by coordinate of the records of one of several texts, which have numbers base to base + count.
//   text, starts (by number) -> keys, two words each: position, counted from 1, and strand; reference, of which none is
//   the last (samtools sort); numbers: each record's own. One thread per record, workgroups of 256.
// Bytes moved per record: 4 and a sector of 32 or two read, 12 written.

struct Immediates { base: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.count) { return; }
  let number = im.base + i;
  let at = starts[number];
  let position = text_little(at + 8u) + 1u;
  keys[number] = vec2u((position << 1u) | strand_of(record_flag(at)), text_little(at + 4u));
  numbers[number] = number;
}
