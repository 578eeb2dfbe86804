// A bitonic sort of the tile of quick-tile.wgsl, up to three of its steps at a time on eight elements in registers. With values, the
// tile's values are positions, and the last digit: that makes it stable.
// Needs key-{KEY_WORDS} and values or values-two; the host prepends `const TILE`, `const THREADS` and `const VALUES`.
// Batcher 1968; Cederman and Tsigas 2008, section 5.2.

struct Item { key: Key, position: u32 }

/// Where element i lies while the tile is sorted: elements 8^k apart fall into different banks.
fn bitonic_slot(i: u32) -> u32 {
  return (i ^ ((i >> 5u) & 7u) ^ (((i >> 6u) & 3u) << 3u)) & (TILE - 1u);
}

fn bitonic_get(i: u32) -> Item {
  let slot = bitonic_slot(i);
  return Item(tile_keys[slot], tile_value(slot));
}

fn bitonic_put(i: u32, item: Item) {
  let slot = bitonic_slot(i);
  tile_keys[slot] = item.key;
  put_tile_value(slot, item.position);
}

/// Puts two items in order, or against it.
fn order_items(a: ptr<function, Item>, b: ptr<function, Item>, down: bool) {
  let x = *a;
  let y = *b;
  var swap = key_before(y.key, x.key);
  if (VALUES == 1u) { swap = swap || (keys_equal(x.key, y.key) && y.position < x.position); }
  if (swap != down) {
    *a = y;
    *b = x;
  }
}

/// Sorts each eight neighbours of `size`, one eight up and one down (Batcher's network).
fn bitonic_eights(thread: u32, size: u32) {
  for (var group = thread; group < size / 8u; group += THREADS) {
    let first = group * 8u;
    let down = (group & 1u) == 1u;
    var e0 = bitonic_get(first);
    var e1 = bitonic_get(first + 1u);
    var e2 = bitonic_get(first + 2u);
    var e3 = bitonic_get(first + 3u);
    var e4 = bitonic_get(first + 4u);
    var e5 = bitonic_get(first + 5u);
    var e6 = bitonic_get(first + 6u);
    var e7 = bitonic_get(first + 7u);
    order_items(&e0, &e1, down); order_items(&e2, &e3, down); order_items(&e4, &e5, down); order_items(&e6, &e7, down);
    order_items(&e0, &e2, down); order_items(&e1, &e3, down); order_items(&e4, &e6, down); order_items(&e5, &e7, down);
    order_items(&e1, &e2, down); order_items(&e5, &e6, down);
    order_items(&e0, &e4, down); order_items(&e1, &e5, down); order_items(&e2, &e6, down); order_items(&e3, &e7, down);
    order_items(&e2, &e4, down); order_items(&e3, &e5, down);
    order_items(&e1, &e2, down); order_items(&e3, &e4, down); order_items(&e5, &e6, down);
    bitonic_put(first, e0);
    bitonic_put(first + 1u, e1);
    bitonic_put(first + 2u, e2);
    bitonic_put(first + 3u, e3);
    bitonic_put(first + 4u, e4);
    bitonic_put(first + 5u, e5);
    bitonic_put(first + 6u, e6);
    bitonic_put(first + 7u, e7);
  }
}

/// Steps 4 * apart, 2 * apart and apart of merging blocks.
fn bitonic_three_steps(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 8u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 8u + within;
    let down = (first & block) != 0u;
    var e0 = bitonic_get(first);
    var e1 = bitonic_get(first + apart);
    var e2 = bitonic_get(first + 2u * apart);
    var e3 = bitonic_get(first + 3u * apart);
    var e4 = bitonic_get(first + 4u * apart);
    var e5 = bitonic_get(first + 5u * apart);
    var e6 = bitonic_get(first + 6u * apart);
    var e7 = bitonic_get(first + 7u * apart);
    order_items(&e0, &e4, down); order_items(&e1, &e5, down); order_items(&e2, &e6, down); order_items(&e3, &e7, down);
    order_items(&e0, &e2, down); order_items(&e1, &e3, down); order_items(&e4, &e6, down); order_items(&e5, &e7, down);
    order_items(&e0, &e1, down); order_items(&e2, &e3, down); order_items(&e4, &e5, down); order_items(&e6, &e7, down);
    bitonic_put(first, e0);
    bitonic_put(first + apart, e1);
    bitonic_put(first + 2u * apart, e2);
    bitonic_put(first + 3u * apart, e3);
    bitonic_put(first + 4u * apart, e4);
    bitonic_put(first + 5u * apart, e5);
    bitonic_put(first + 6u * apart, e6);
    bitonic_put(first + 7u * apart, e7);
  }
}

/// Steps 2 * apart and apart.
fn bitonic_two_steps(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 4u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 4u + within;
    let down = (first & block) != 0u;
    var e0 = bitonic_get(first);
    var e1 = bitonic_get(first + apart);
    var e2 = bitonic_get(first + 2u * apart);
    var e3 = bitonic_get(first + 3u * apart);
    order_items(&e0, &e2, down); order_items(&e1, &e3, down);
    order_items(&e0, &e1, down); order_items(&e2, &e3, down);
    bitonic_put(first, e0);
    bitonic_put(first + apart, e1);
    bitonic_put(first + 2u * apart, e2);
    bitonic_put(first + 3u * apart, e3);
  }
}

/// Step `apart`.
fn bitonic_one_step(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 2u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 2u + within;
    let down = (first & block) != 0u;
    var e0 = bitonic_get(first);
    var e1 = bitonic_get(first + apart);
    order_items(&e0, &e1, down);
    bitonic_put(first, e0);
    bitonic_put(first + apart, e1);
  }
}

/// Sorts the first `size` elements of the tile (a power of two from 8 on). Every thread must call it, after a barrier.
fn bitonic_sort(thread: u32, size: u32) {
  bitonic_eights(thread, size);
  workgroupBarrier();
  var steps = 4u;
  for (var block = 16u; block <= size; block <<= 1u) {
    // One or two steps first, so that threes remain.
    var apart = block >> 1u;
    if (steps % 3u == 1u) {
      bitonic_one_step(thread, size, block, apart);
      workgroupBarrier();
    }
    if (steps % 3u == 2u) {
      apart >>= 1u;
      bitonic_two_steps(thread, size, block, apart);
      workgroupBarrier();
    }
    if (steps % 3u == 0u) { apart = block; }
    while (apart > 1u) {
      apart >>= 3u;
      bitonic_three_steps(thread, size, block, apart);
      workgroupBarrier();
    }
    steps++;
  }
}
