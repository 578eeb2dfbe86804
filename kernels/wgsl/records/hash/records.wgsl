//! needs: shared/launch, shared/starts, records/hash/record-hash
// Verify, step 1: sums the hashes of the records that are not long, and lists those that are.
//   text, starts[n + 1] -> sums: [0] and [1] (added to) the sum of the hashes modulo 2^64; [2] the number of long
//   records. long_records (zeros before): a long record's number plus 1, at index (its first byte) / LONG_BYTES; no two
//   share one. One thread per record, workgroups of 256.
//   1. Each thread hashes its record, at most LONG_BYTES.
//   2. The workgroup sums the hashes.
//   3. One thread adds the sum atomically, the carry of its low word with the high one.
// Bytes moved: 1 read per byte of text and 4 per record, 4 written per long record.

struct Immediates { n: u32, delimiter_bytes: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, 4>;
@group(0) @binding(3) var<storage, read_write> long_records: array<u32>;

const LONG_BYTES = 2048u;
const THREADS = 256u;

var<workgroup> hashes: array<vec2u, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * THREADS + thread;
  var hash = vec2u();
  if (i < im.n) {
    let begin = record_start(i);
    let bytes = record_start(i + 1u) - begin - im.delimiter_bytes;
    if (bytes > LONG_BYTES) {
      long_records[begin / LONG_BYTES] = i + 1u;
      atomicAdd(&sums[2], 1u);
    } else {
      var record = vec4u();
      for (var step = 0u; step <= bytes / HASH_STEP; step++) {
        record = add_hash_sums(record, hash_step(begin, bytes, step));
      }
      hash = finish_hash(record, bytes);
    }
  }
  hashes[thread] = hash;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) { hashes[thread] = add_wide(hashes[thread], hashes[thread + half]); }
  }
  if (thread == 0u) {
    let sum = hashes[0];
    let before = atomicAdd(&sums[0], sum.x);
    atomicAdd(&sums[1], sum.y + select(0u, 1u, before + sum.x < before));
  }
}
