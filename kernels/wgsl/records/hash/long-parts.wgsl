//! needs: shared/launch, shared/starts, records/hash/record-hash
// Verify, step 2: sums the steps of long records, shared among workgroups so that no thread has more than a few.
//   text, starts[n + 1], sums[2] and long_records (step 1) -> parts (added to): for each word of long_records 4 words,
//   the record's sums. One workgroup of 256 threads per tile of 16 KiB;
//   all return at once if there are no long records.
//   1. A binary search over starts finds the record that contains the tile's first byte; long_records holds those that
//      begin in the tile.
//   2. For each long record the threads hash the steps whose first byte is in the tile, and the workgroup sums them.
//   3. One thread adds the sum atomically, with carries.
// Bytes moved: 1 read per byte of text of long records, 4 for each LONG_BYTES and 112 per tile; 16 written for each
// tile of a long record.

struct Immediates { n: u32, delimiter_bytes: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32, 4>;
@group(0) @binding(3) var<storage, read> long_records: array<u32>;
@group(0) @binding(4) var<storage, read_write> parts: array<atomic<u32>>;

const LONG_BYTES = 2048u;
const TILE_BYTES = 16384u;
const THREADS = 256u;

var<workgroup> thread_sums: array<vec4u, THREADS>;

/// The last record that begins at or before `byte`.
fn record_at(byte: u32) -> u32 {
  var low = 0u;
  var high = im.n;
  while (high - low > 1u) {
    let middle = (low + high) / 2u;
    if (record_start(middle) <= byte) { low = middle; } else { high = middle; }
  }
  return low;
}

/// Adds to one pair of words of `parts`.
fn add_part(at: u32, sum: vec2u) {
  let before = atomicAdd(&parts[at], sum.x);
  atomicAdd(&parts[at + 1u], sum.y + select(0u, 1u, before + sum.x < before));
}

/// Adds the steps of record i that begin in [first_byte, end_byte). All threads of the workgroup call it.
fn add_steps(i: u32, first_byte: u32, end_byte: u32, thread: u32) {
  let begin = record_start(i);
  let bytes = record_start(i + 1u) - begin - im.delimiter_bytes;
  let first = (max(first_byte, begin) - begin + HASH_STEP - 1u) / HASH_STEP;
  let end = min((end_byte - begin + HASH_STEP - 1u) / HASH_STEP, bytes / HASH_STEP + 1u);
  var sum = vec4u();
  for (var step = first + thread; step < end; step += THREADS) {
    sum = add_hash_sums(sum, hash_step(begin, bytes, step));
  }
  thread_sums[thread] = sum;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) { thread_sums[thread] = add_hash_sums(thread_sums[thread], thread_sums[thread + half]); }
  }
  if (thread == 0u) {
    let slot = begin / LONG_BYTES * 4u;
    add_part(slot, thread_sums[0].xy);
    add_part(slot + 2u, thread_sums[0].zw);
  }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles || sums[2] == 0u) { return; }
  let first_byte = record_start(0) + tile * TILE_BYTES;
  if (first_byte >= record_start(im.n)) { return; }
  let end_byte = min(first_byte + TILE_BYTES, record_start(im.n));
  let open = record_at(first_byte);
  if (record_start(open + 1u) - record_start(open) - im.delimiter_bytes > LONG_BYTES) {
    add_steps(open, first_byte, end_byte, thread);
  }
  for (var slot = first_byte / LONG_BYTES; slot * LONG_BYTES < end_byte; slot++) {
    if (long_records[slot] == 0u) { continue; }
    let i = long_records[slot] - 1u;
    if (i != open && record_start(i) >= first_byte && record_start(i) < end_byte) {
      add_steps(i, first_byte, end_byte, thread);
    }
  }
}
