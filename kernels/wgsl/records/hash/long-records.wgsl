//! needs: shared/launch, shared/starts, records/hash/hash-sums
// Verify, step 3: the hashes of long records.
//   starts, long_records and parts (step 2) -> sums[0] and [1] (added to): the sum of the hashes. One thread per word
//   of long_records, workgroups of 256.
//   Each thread completes the hash of its record, if any, and adds it atomically: long records are few.
// Bytes moved: 4 read for each LONG_BYTES of text, 24 per long record.

struct Immediates { slots: u32, delimiter_bytes: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>, 4>;
@group(0) @binding(2) var<storage, read> long_records: array<u32>;
@group(0) @binding(3) var<storage, read> parts: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) thread: u32) {
  let slot = workgroup_number(id, grid) * 256u + thread;
  if (slot >= im.slots || long_records[slot] == 0u) { return; }
  let record = long_records[slot] - 1u;
  let hash = finish_hash(parts[slot], record_start(record + 1u) - record_start(record) - im.delimiter_bytes);
  let before = atomicAdd(&sums[0], hash.x);
  atomicAdd(&sums[1], hash.y + select(0u, 1u, before + hash.x < before));
}
