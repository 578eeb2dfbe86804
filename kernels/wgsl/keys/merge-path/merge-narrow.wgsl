//! needs: keys/merge-path/merge-window
// Merge pass, step 2 of 2, for keys of several words: makes each output tile by comparing 32 bits of each key.
//   keys[n], partitions[tiles] (search-*.wgsl), values[n] -> merged_keys[n], sorted_values[n]; one workgroup of THREADS
//   per tile of THREADS * PER_THREAD outputs, from tile `first_tile`. Workgroup memory holds only the 32 bits of each
//   key after the prefix that all keys of the window share: 4 bytes per key of any size. So tiles are larger, and
//   comparisons shorter, than in merge.wgsl.
//   1. A tile with one input only is copied.
//   2. The window's least and greatest keys are the first and last of its inputs; their common prefix is shared by all
//      keys. If at most 32 bits follow it, those decide. Otherwise, if the 32 bits of two keys are equal, the keys are
//      read from memory.
//   3. The workgroup reads these bits into workgroup memory, and each thread follows its path (merge-window.wgsl).
//   4. Outputs are written coalesced; keys and values are read in the order of the path.
// Bytes moved per key: its size read twice, the second time mostly from a cache, and written once;
// its value read and written once.
// Source: Davidson et al. 2012, section 6.2, long sets of similar strings, which leaves it to future work.

alias Item = u32;

var<workgroup> tile_bits: array<u32, TILE>;
var<private> window: Window;
var<private> shift: u32;  // of the bits compared, counted from a key's lowest bit

fn tile_item(i: u32) -> Item { return tile_bits[i]; }

fn item_before(y: Item, j: u32, x: Item, i: u32) -> bool {
  if (y != x || shift == 0u) { return y < x; }
  return key_before(encode_key(keys[item_place(window, j)]), encode_key(keys[item_place(window, i)]));
}

/// The shift that selects the 32 bits from the first bit in which `least` and `greatest` differ; 0 if they differ in
/// the lowest 32 bits only.
fn shared_shift(least: Key, greatest: Key) -> u32 {
  for (var word = KEY_WORDS - 1u; word > 0u; word--) {
    let differ = key_bits(least, 32u * word) ^ key_bits(greatest, 32u * word);
    if (differ != 0u) { return 32u * word - countLeadingZeros(differ); }
  }
  return 0u;
}

/// The compared bits of item i.
fn item_bits(i: u32) -> u32 {
  return key_bits(encode_key(keys[item_place(window, i)]), shift);
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
  window = w;
  let last = w.count - 1u;
  let a_first = encode_key(keys[w.a]);
  let b_first = encode_key(keys[w.b]);
  let a_last = encode_key(keys[w.a + w.a_count - 1u]);
  let b_last = encode_key(keys[item_place(w, last)]);
  let least = select(a_first, b_first, key_before(b_first, a_first));
  let most = select(b_last, a_last, key_before(b_last, a_last));
  shift = shared_shift(least, most);

  for (var k = 0u; k < PER_THREAD / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let bits0 = item_bits(min(i, last));
    let bits1 = item_bits(min(i + THREADS, last));
    let bits2 = item_bits(min(i + 2u * THREADS, last));
    let bits3 = item_bits(min(i + 3u * THREADS, last));
    tile_bits[i] = bits0;
    tile_bits[i + THREADS] = bits1;
    tile_bits[i + 2u * THREADS] = bits2;
    tile_bits[i + 3u * THREADS] = bits3;
  }
  for (var k = 0u; k < PER_THREAD % 4u; k++) {
    let i = thread + (k + PER_THREAD / 4u * 4u) * THREADS;
    tile_bits[i] = item_bits(min(i, last));
  }
  workgroupBarrier();
  note_path(w, thread);
  workgroupBarrier();

  for (var k = 0u; k < PER_THREAD / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let from0 = item_place(w, output_item(w, min(i, last)));
    let from1 = item_place(w, output_item(w, min(i + THREADS, last)));
    let from2 = item_place(w, output_item(w, min(i + 2u * THREADS, last)));
    let from3 = item_place(w, output_item(w, min(i + 3u * THREADS, last)));
    let key0 = keys[from0];
    let key1 = keys[from1];
    let key2 = keys[from2];
    let key3 = keys[from3];
    let value0 = load_value(from0);
    let value1 = load_value(from1);
    let value2 = load_value(from2);
    let value3 = load_value(from3);
    if (i <= last) { put_key(w.out + i, key0, value0); }
    if (i + THREADS <= last) { put_key(w.out + i + THREADS, key1, value1); }
    if (i + 2u * THREADS <= last) { put_key(w.out + i + 2u * THREADS, key2, value2); }
    if (i + 3u * THREADS <= last) { put_key(w.out + i + 3u * THREADS, key3, value3); }
  }
  for (var k = 0u; k < PER_THREAD % 4u; k++) {
    let i = thread + (k + PER_THREAD / 4u * 4u) * THREADS;
    let place = item_place(w, output_item(w, min(i, last)));
    if (i <= last) { put_key(w.out + i, keys[place], load_value(place)); }
  }
}
