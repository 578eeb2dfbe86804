//! needs: merge-window
// Merge pass, step 2 of 2: makes each output tile from its two inputs.
//   keys[n], parts[tiles] (search-*.wgsl), values[n] -> merged_keys[n], sorted_values[n]; one workgroup of THREADS a tile of
//   THREADS * PER_THREAD outputs, from tile `first_tile` on.
//   1. A tile with one input only is copied.
//   2. Else the keys of both inputs, together at most a tile, are read into workgroup memory, four reads of a thread under way at once.
//   3. Each thread finds by a binary search where its outputs begin and follows the path through them (merge-window.wgsl).
//   4. The outputs are written side by side: keys from workgroup memory, values from where the path says.
// Bytes moved a key: its size (and the value's) read and written once.
// Source: Green, McColl, Bader: GPU Merge Path, 2012, section 2.3; Davidson et al. 2012, section 3, merge sort (multiple).

alias Item = Key;

var<workgroup> tile_keys: array<Key, TILE>;

fn tile_item(i: u32) -> Item { return tile_keys[i]; }
fn item_before(y: Item, j: u32, x: Item, i: u32) -> bool { return key_before(y, x); }

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let w = window_of(tile);
  if (w.a_count == 0u || w.a_count == w.count) {
    copy_window(w, thread);
    return;
  }

  // Beyond the end the last key is read again, which costs less than asking; nobody looks at it.
  let last = w.count - 1u;
  for (var k = 0u; k < (PER_THREAD & ~3u); k += 4u) {
    let i = thread + k * THREADS;
    let key0 = keys[item_place(w, min(i, last))];
    let key1 = keys[item_place(w, min(i + THREADS, last))];
    let key2 = keys[item_place(w, min(i + 2u * THREADS, last))];
    let key3 = keys[item_place(w, min(i + 3u * THREADS, last))];
    tile_keys[i] = encode_key(key0);
    tile_keys[i + THREADS] = encode_key(key1);
    tile_keys[i + 2u * THREADS] = encode_key(key2);
    tile_keys[i + 3u * THREADS] = encode_key(key3);
  }
  for (var k = PER_THREAD & ~3u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    tile_keys[i] = encode_key(keys[item_place(w, min(i, last))]);
  }
  workgroupBarrier();
  note_path(w, thread);
  workgroupBarrier();

  for (var k = 0u; k < (PER_THREAD & ~3u); k += 4u) {
    let i = thread + k * THREADS;
    let item0 = output_item(w, min(i, last));
    let item1 = output_item(w, min(i + THREADS, last));
    let item2 = output_item(w, min(i + 2u * THREADS, last));
    let item3 = output_item(w, min(i + 3u * THREADS, last));
    let value0 = load_value(item_place(w, item0));
    let value1 = load_value(item_place(w, item1));
    let value2 = load_value(item_place(w, item2));
    let value3 = load_value(item_place(w, item3));
    put_output(w, i, item0, value0);
    put_output(w, i + THREADS, item1, value1);
    put_output(w, i + 2u * THREADS, item2, value2);
    put_output(w, i + 3u * THREADS, item3, value3);
  }
  for (var k = PER_THREAD & ~3u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    let item = output_item(w, min(i, last));
    put_output(w, i, item, load_value(item_place(w, item)));
  }
}

fn put_output(w: Window, i: u32, item: u32, value: u32) {
  if (i < w.count) {
    merged_keys[w.out + i] = decode_key(tile_keys[item]);
    store_value(w.out + i, value);
  }
}
