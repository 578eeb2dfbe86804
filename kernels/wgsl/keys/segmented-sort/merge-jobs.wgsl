//! needs: keys/segmented-sort/tile, keys/value-sides-{VALUES}, keys/segmented-sort/jobs-{SHARING}
// Merge level, step 2 of 2: serves the queued merges with `groups` workgroups of TILE / 8 threads, which share the jobs
// (jobs-*.wgsl).
//   jobs and counters of queue `level` (plan-merges.wgsl), keys_0[n] and keys_1[n] with values -> the same; each
//   job names the sides it reads and writes.
//   1. The workgroup reads both inputs into workgroup memory, B after A; together they have at most TILE items, each in
//      at most two tiles.
//   2. Each thread merges eight outputs from its diagonal; items before and after those that may mix stay.
//   3. The outputs are written coalesced: into the other buffer, or in place if no other job reads them; this job has
//      then read all of its own.
// Bytes moved per item of a job: 4 for each word of a key and value, both read and written.
// Source: Baxter, Segmented Sort and Locality Sort, "Servicing the work queue".

struct Immediates { level: u32, groups: u32 }
var<immediate> im: Immediates;

const VALUES_BINDING = 4u;
const COUNTERS_BINDING = 1u;

@group(0) @binding(0) var<storage, read> jobs: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> keys_0: array<Key>;
@group(0) @binding(3) var<storage, read_write> keys_1: array<Key>;

/// The side of element i of a part that begins at `begin`; `sides` has a bit for each of the part's tiles.
fn side_at(sides: u32, begin: u32, i: u32) -> u32 {
  return select(sides >> 1u, sides, i / TILE == begin / TILE) & 1u;
}

/// Input i of a job, A's before B's.
fn input_pair(job: vec4u, more: vec4u, i: u32) -> Pair {
  let in_a = i < job.w;
  let begin = select(more.x, job.z, in_a);
  let source = begin + select(i - job.w, i, in_a);
  let side = side_at(select(more.w >> 2u, more.w, in_a), begin, source);
  var key: Key;
  if (side == 0u) { key = keys_0[source]; } else { key = keys_1[source]; }
  return Pair(encode_key(key), load_value_of(side, source));
}

fn serve(place: u32, thread: u32) {
  let job = jobs[2u * place];
  let more = jobs[2u * place + 1u];
  let output = job.x;
  let count = job.y;
  let a_count = job.w;
  let mixed_from = more.y;
  let mixed_end = more.z;
  let sides = more.w;
  let last = count - 1u;
  for (var k = 0u; k < PER_THREAD; k += 4u) {
    // Clamped and four at a time, so that loads overlap.
    let i = thread + k * THREADS;
    let pair0 = input_pair(job, more, min(i, last));
    let pair1 = input_pair(job, more, min(i + THREADS, last));
    let pair2 = input_pair(job, more, min(i + 2u * THREADS, last));
    let pair3 = input_pair(job, more, min(i + 3u * THREADS, last));
    tile_put(i, pair0);
    tile_put(i + THREADS, pair1);
    tile_put(i + 2u * THREADS, pair2);
    tile_put(i + 3u * THREADS, pair3);
  }
  workgroupBarrier();

  let first = thread * PER_THREAD;
  var eight: Eight;
  if (first < count) {
    var from_a = min(first, a_count);
    if (first > mixed_from && first < mixed_end) {
      from_a = mixed_from +
        tile_search(mixed_from, a_count - mixed_from, a_count, mixed_end - a_count, first - mixed_from);
    }
    eight = merged_eight(tile_merger(from_a, a_count + first - from_a, a_count, mixed_from, mixed_end));
  }
  workgroupBarrier();
  if (first < count) { put_eight(first, 1u, eight); }
  workgroupBarrier();
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i < count) {
      let pair = tile_get(i);
      let key = decode_key(pair.key);
      let side = side_at(sides >> 4u, output, output + i);
      if (side == 0u) { keys_0[output + i] = key; } else { keys_1[output + i] = key; }
      store_value_of(side, output + i, pair.value);
    }
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) thread: u32) {
  let queued = queued_jobs(im.level, thread);
  for (var place = id.x; place < queued; place = next_place(im.level, place, im.groups, thread)) {
    serve(place, thread);
    workgroupBarrier();
  }
}
