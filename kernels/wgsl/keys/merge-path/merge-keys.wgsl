//! needs: keys/merge-path/merge-window
// Merges windows whose keys are in workgroup memory, for kernels that make output tiles.
// A kernel that includes this file declares
//   const READS                keys a thread reads of a window; a window has at most THREADS * READS

alias Item = Key;

var<workgroup> tile_keys: array<Key, THREADS * READS>;

fn tile_item(i: u32) -> Item { return tile_keys[i]; }
fn item_before(y: Item, j: u32, x: Item, i: u32) -> bool { return key_before(y, x); }

/// Reads a window's keys, A's before B's, with four loads of a thread in flight. Past the end it reads the last key
/// again, which costs less than a branch; those copies are never used.
fn read_window(w: Window, thread: u32) {
  let last = w.count - 1u;
  for (var k = 0u; k < READS / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let key0 = keys[item_place(w, min(i, last))];
    let key1 = keys[item_place(w, min(i + THREADS, last))];
    let key2 = keys[item_place(w, min(i + 2u * THREADS, last))];
    let key3 = keys[item_place(w, min(i + 3u * THREADS, last))];
    tile_keys[i] = encode_key(key0);
    tile_keys[i + THREADS] = encode_key(key1);
    tile_keys[i + 2u * THREADS] = encode_key(key2);
    tile_keys[i + 3u * THREADS] = encode_key(key3);
  }
  for (var k = 0u; k < READS % 4u; k++) {
    let i = thread + (k + READS / 4u * 4u) * THREADS;
    tile_keys[i] = encode_key(keys[item_place(w, min(i, last))]);
  }
}

/// Writes the first `outputs` keys of a window's merge, at most a tile, coalesced, with their values in the order
/// of the path.
fn write_outputs(w: Window, thread: u32, outputs: u32) {
  let last = outputs - 1u;
  for (var k = 0u; k < PER_THREAD / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let item0 = output_item(w, min(i, last));
    let item1 = output_item(w, min(i + THREADS, last));
    let item2 = output_item(w, min(i + 2u * THREADS, last));
    let item3 = output_item(w, min(i + 3u * THREADS, last));
    let value0 = load_value(item_place(w, item0));
    let value1 = load_value(item_place(w, item1));
    let value2 = load_value(item_place(w, item2));
    let value3 = load_value(item_place(w, item3));
    if (i <= last) { put_item(w.out + i, item0, value0); }
    if (i + THREADS <= last) { put_item(w.out + i + THREADS, item1, value1); }
    if (i + 2u * THREADS <= last) { put_item(w.out + i + 2u * THREADS, item2, value2); }
    if (i + 3u * THREADS <= last) { put_item(w.out + i + 3u * THREADS, item3, value3); }
  }
  for (var k = 0u; k < PER_THREAD % 4u; k++) {
    let i = thread + (k + PER_THREAD / 4u * 4u) * THREADS;
    let item = output_item(w, min(i, last));
    if (i <= last) { put_item(w.out + i, item, load_value(item_place(w, item))); }
  }
}

fn put_item(i: u32, item: u32, value: u32) {
  put_key(i, decode_key(tile_keys[item]), value);
}
