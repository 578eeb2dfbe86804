//! needs: keys/merge-path/merge-keys
// Merge pass, step 2 of 2, with moving windows: each workgroup makes WINDOWS tiles of output in turn, so that fewer
// diagonals are searched in global memory.
//   keys[n], partitions[shares] (search-*.wgsl), values[n] -> merged_keys[n], sorted_values[n]; one workgroup of
//   THREADS per share of WINDOWS * THREADS * PER_THREAD outputs, from share `first_tile`. Until the share's inputs are
//   used up:
//   1. The workgroup reads a tile of each input, or what is left, into workgroup memory.
//      These contain the next tile of outputs.
//   2. Each thread finds where its outputs begin by binary search and notes the path through them (merge-window.wgsl).
//   3. The outputs are written coalesced, and the window moves to where the path ends. If one input is used up, the
//      rest of the other is copied.
// The host also prepends `const WINDOWS`.
// Bytes moved per key: its size read twice, the second time mostly from a cache, and written once;
// its value read and written once.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.3. Davidson et al. 2012, section 3, have other windows:
// one lies in registers, and the one whose last key is smaller is reloaded.

const READS = 2u * PER_THREAD;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let share = im.first_tile + workgroup_number(id, grid);
  if (share >= im.tiles) { return; }
  let all = window_of(share);
  var a = all.a;
  var b = all.b;
  let a_end = a + all.a_count;
  let b_end = b + all.count - all.a_count;
  for (var k = 0u; k < WINDOWS; k++) {
    if (a == a_end || b == b_end) { break; }
    let a_count = min(TILE, a_end - a);
    let w = Window(a, a_count, b, a_count + min(TILE, b_end - b), all.out + (a - all.a) + (b - all.b));
    let outputs = min(TILE, w.count);
    read_window(w, thread);
    workgroupBarrier();
    note_path(w, thread);
    workgroupBarrier();
    write_outputs(w, thread, outputs);
    // How many outputs came from A. The window's contents are no longer needed.
    let path = workgroupUniformLoad(&paths[(outputs - 1u) / PER_THREAD]);
    let used = path.y + countOneBits(path.x & (0xffffffffu >> (31u - (outputs - 1u) % PER_THREAD)));
    a += used;
    b += outputs - used;
  }
  let a_left = a_end - a;
  copy_window(Window(a, a_left, b, a_left + b_end - b, all.out + (a - all.a) + (b - all.b)), thread);
}
