//! needs: keys/merge-path/merge-keys
// Merge pass, step 2 of 2: makes each output tile from its two inputs.
//   keys[n], partitions[tiles] (search-*.wgsl), values[n] -> merged_keys[n], sorted_values[n]; one workgroup of THREADS
//   per tile of THREADS * PER_THREAD outputs, from tile `first_tile`.
//   1. A tile with one input only is copied.
//   2. Otherwise the workgroup reads the keys of both inputs, together at most a tile, into workgroup memory.
//   3. Each thread finds where its outputs begin by binary search and notes the path through them (merge-window.wgsl).
//   4. The outputs are written coalesced: keys from workgroup memory, values in the order of the path.
// Bytes moved per key: its size (and the value's) read and written once.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.3;
// Davidson et al. 2012, section 3, merge sort (multiple).

const READS = PER_THREAD;

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
  note_path(w, thread);
  workgroupBarrier();
  write_outputs(w, thread, w.count);
}
