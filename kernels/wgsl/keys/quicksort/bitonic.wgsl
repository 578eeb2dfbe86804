//! needs: keys/eight-moves
// A bitonic sort of the tile of tile-{VALUES}.wgsl, up to three steps at a time on eight elements in registers. With
// values, the tile's values are positions that serve as the last digit, which makes the sort stable.
// Needs values-{VALUES} or value-sides-{VALUES}; the host prepends `const TILE`, `const THREADS` and `const VALUES`.
// Source: Batcher 1968; Cederman and Tsigas 2008, section 5.2.

/// The slot of element i during the sort: elements 8^k apart are in different banks.
fn bitonic_slot(i: u32) -> u32 {
  return (i ^ ((i >> 5u) & 7u) ^ (((i >> 6u) & 3u) << 3u)) & (TILE - 1u);
}

/// Element i during the sort.
fn tile_get(i: u32) -> Pair {
  let slot = bitonic_slot(i);
  return Pair(tile_keys[slot], tile_value(slot));
}

fn tile_put(i: u32, pair: Pair) {
  let slot = bitonic_slot(i);
  tile_keys[slot] = pair.key;
  put_tile_value(slot, pair.value);
}

/// Puts two pairs in order, or in reverse order if `down`.
fn order_pairs(a: ptr<function, Pair>, b: ptr<function, Pair>, down: bool) {
  let x = *a;
  let y = *b;
  var swap = key_before(y.key, x.key);
  if (VALUES == 1u) { swap = swap || (keys_equal(x.key, y.key) && y.value < x.value); }
  if (swap != down) {
    *a = y;
    *b = x;
  }
}

/// Sorts each eight adjacent elements of `size`, alternately up and down (Batcher's network).
fn bitonic_eights(thread: u32, size: u32) {
  for (var group = thread; group < size / 8u; group += THREADS) {
    let first = group * 8u;
    let down = (group & 1u) == 1u;
    var e0 = tile_get(first);
    var e1 = tile_get(first + 1u);
    var e2 = tile_get(first + 2u);
    var e3 = tile_get(first + 3u);
    var e4 = tile_get(first + 4u);
    var e5 = tile_get(first + 5u);
    var e6 = tile_get(first + 6u);
    var e7 = tile_get(first + 7u);
    order_pairs(&e0, &e1, down); order_pairs(&e2, &e3, down); order_pairs(&e4, &e5, down); order_pairs(&e6, &e7, down);
    order_pairs(&e0, &e2, down); order_pairs(&e1, &e3, down); order_pairs(&e4, &e6, down); order_pairs(&e5, &e7, down);
    order_pairs(&e1, &e2, down); order_pairs(&e5, &e6, down);
    order_pairs(&e0, &e4, down); order_pairs(&e1, &e5, down); order_pairs(&e2, &e6, down); order_pairs(&e3, &e7, down);
    order_pairs(&e2, &e4, down); order_pairs(&e3, &e5, down);
    order_pairs(&e1, &e2, down); order_pairs(&e3, &e4, down); order_pairs(&e5, &e6, down);
    put_eight(first, 1u, Eight(e0, e1, e2, e3, e4, e5, e6, e7));
  }
}

/// Merge steps 4 * apart, 2 * apart and apart.
fn bitonic_three_steps(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 8u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 8u + within;
    let down = (first & block) != 0u;
    var e0 = tile_get(first);
    var e1 = tile_get(first + apart);
    var e2 = tile_get(first + 2u * apart);
    var e3 = tile_get(first + 3u * apart);
    var e4 = tile_get(first + 4u * apart);
    var e5 = tile_get(first + 5u * apart);
    var e6 = tile_get(first + 6u * apart);
    var e7 = tile_get(first + 7u * apart);
    order_pairs(&e0, &e4, down); order_pairs(&e1, &e5, down); order_pairs(&e2, &e6, down); order_pairs(&e3, &e7, down);
    order_pairs(&e0, &e2, down); order_pairs(&e1, &e3, down); order_pairs(&e4, &e6, down); order_pairs(&e5, &e7, down);
    order_pairs(&e0, &e1, down); order_pairs(&e2, &e3, down); order_pairs(&e4, &e5, down); order_pairs(&e6, &e7, down);
    put_eight(first, apart, Eight(e0, e1, e2, e3, e4, e5, e6, e7));
  }
}

/// Merge steps 2 * apart and apart.
fn bitonic_two_steps(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 4u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 4u + within;
    let down = (first & block) != 0u;
    var e0 = tile_get(first);
    var e1 = tile_get(first + apart);
    var e2 = tile_get(first + 2u * apart);
    var e3 = tile_get(first + 3u * apart);
    order_pairs(&e0, &e2, down); order_pairs(&e1, &e3, down);
    order_pairs(&e0, &e1, down); order_pairs(&e2, &e3, down);
    tile_put(first, e0);
    tile_put(first + apart, e1);
    tile_put(first + 2u * apart, e2);
    tile_put(first + 3u * apart, e3);
  }
}

/// Merge step `apart`.
fn bitonic_one_step(thread: u32, size: u32, block: u32, apart: u32) {
  for (var group = thread; group < size / 2u; group += THREADS) {
    let within = group & (apart - 1u);
    let first = (group - within) * 2u + within;
    let down = (first & block) != 0u;
    var e0 = tile_get(first);
    var e1 = tile_get(first + apart);
    order_pairs(&e0, &e1, down);
    tile_put(first, e0);
    tile_put(first + apart, e1);
  }
}

/// Sorts the first `size` elements of the tile, a power of two from 8. Every thread must call it, after a barrier.
fn bitonic_sort(thread: u32, size: u32) {
  bitonic_eights(thread, size);
  workgroupBarrier();
  var steps = 4u;
  for (var block = 16u; block <= size; block <<= 1u) {
    // One or two steps first, so that a multiple of three remains.
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
