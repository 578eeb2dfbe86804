// Merging two sorted stretches of a tile in workgroup memory, A before B where items are equal. A kernel that needs this declares
//   Item                              what is compared
//   tile_item(i)                      the tile's i-th; any i may be asked for, beyond the end it is not looked at
//   item_before(y, j, x, i)           whether item y, the tile's j-th, comes before x, its i-th; asked for any as well
// Source: Green, McColl, Bader 2012, section 2; Davidson et al. 2012, section 3: a binary search for a thread's first output, linear
// steps for the rest.

/// How many of the first `diagonal` outputs of merging [a, a + a_count) and [b, b + b_count) come from the former.
fn diagonal_search(a: u32, a_count: u32, b: u32, b_count: u32, diagonal: u32) -> u32 {
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, a_count);
  // A bound that the compiler sees spares a counter against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (low >= high) { break; }
    let i = (low + high) >> 1u;
    let j = diagonal - 1u - i;
    if (item_before(tile_item(b + j), b + j, tile_item(a + i), a + i)) { high = i; } else { low = i + 1u; }
  }
  return low;
}

/// A merge under way: what is left, [a, a_end) and [b, b_end), and the first items of both.
struct Merge { a: u32, a_end: u32, b: u32, b_end: u32, x: Item, y: Item }

fn merge_begin(a: u32, a_end: u32, b: u32, b_end: u32) -> Merge {
  return Merge(a, a_end, b, b_end, tile_item(a), tile_item(b));
}

/// Moves on by one output; whether it comes from A. Beyond the end of both nothing happens that matters.
fn merge_step(m: ptr<function, Merge>) -> bool {
  // Without branches, and with one read for both cases, so that threads of different ones stay together.
  let from_a = ((*m).a < (*m).a_end) & (((*m).b >= (*m).b_end) | !item_before((*m).y, (*m).b, (*m).x, (*m).a));
  let next = select((*m).b, (*m).a, from_a) + 1u;
  let item = tile_item(next);
  (*m).a = select((*m).a, next, from_a);
  (*m).b = select(next, (*m).b, from_a);
  (*m).x = select((*m).x, item, from_a);
  (*m).y = select(item, (*m).y, from_a);
  return from_a;
}
