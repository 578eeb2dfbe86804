//! needs: keys/merge-path/merge-keys
// Merge pass, step 2 of 2, for keys without values: as merge.wgsl, but the outputs stay in registers.
//   keys[n], partitions[tiles] (search-*.wgsl) -> merged_keys[n]; one workgroup of THREADS per tile of
//   THREADS * PER_THREAD outputs, from tile `first_tile`. PER_THREAD is at most 9.
//   1. A tile with one input only is copied.
//   2. Otherwise the workgroup reads the keys of both inputs, together at most a tile, into workgroup memory.
//   3. Each thread finds where its outputs begin by binary search, and merges them into registers.
//   4. The outputs take the inputs' place in workgroup memory, and are written coalesced.
// Outputs are unrolled by hand: compilers move an array that is indexed by a variable to memory.
// Bytes moved per key: its size read and written once.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.3. Davidson et al. 2012, section 3, keep one of the
// inputs in registers, not the outputs.

const READS = PER_THREAD;

/// The next output, or any key if the kth is not wanted.
fn next_key(m: ptr<function, Merge>, k: u32) -> Key {
  let x = (*m).x;
  if (k >= PER_THREAD) { return x; }
  let y = (*m).y;
  return select(y, x, merge_step(m));
}

fn put_next(thread: u32, k: u32, key: Key) {
  if (k < PER_THREAD) { tile_keys[thread * PER_THREAD + k] = key; }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let w = window_of(tile);
  if (w.a_count == 0u || w.a_count == w.count) {
    copy_window(w, thread);
    return;
  }
  read_window(w, thread);
  workgroupBarrier();
  let diagonal = min(thread * PER_THREAD, w.count);
  let from_a = diagonal_search(0u, w.a_count, w.a_count, w.count - w.a_count, diagonal);
  var m = merge_begin(from_a, w.a_count, w.a_count + diagonal - from_a, w.count);
  let key0 = next_key(&m, 0u);
  let key1 = next_key(&m, 1u);
  let key2 = next_key(&m, 2u);
  let key3 = next_key(&m, 3u);
  let key4 = next_key(&m, 4u);
  let key5 = next_key(&m, 5u);
  let key6 = next_key(&m, 6u);
  let key7 = next_key(&m, 7u);
  let key8 = next_key(&m, 8u);
  workgroupBarrier();
  put_next(thread, 0u, key0);
  put_next(thread, 1u, key1);
  put_next(thread, 2u, key2);
  put_next(thread, 3u, key3);
  put_next(thread, 4u, key4);
  put_next(thread, 5u, key5);
  put_next(thread, 6u, key6);
  put_next(thread, 7u, key7);
  put_next(thread, 8u, key8);
  workgroupBarrier();
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (i < w.count) { put_item(w.out + i, i, 0u); }
  }
}
