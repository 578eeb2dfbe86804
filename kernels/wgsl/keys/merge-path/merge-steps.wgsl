// Merges two sorted sequences of a tile in workgroup memory; equal items of A come first.
// A kernel that includes this file declares
//   Item                              what is compared
//   tile_item(i)                      item i of the tile; any i is allowed, and results past the end are not used
//   item_before(y, j, x, i)           whether item y at j comes before item x at i; any j and i are allowed
// Source: Green, McColl, Bader 2012, section 2; Davidson et al. 2012, section 3: a binary search for a thread's first
// output, linear steps for the rest.

/// How many of the first `diagonal` outputs of merging [a, a + a_count) and [b, b + b_count) come from the former.
fn diagonal_search(a: u32, a_count: u32, b: u32, b_count: u32, diagonal: u32) -> u32 {
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, a_count);
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 32u; round++) {
    if (low >= high) { break; }
    let i = (low + high) >> 1u;
    let j = diagonal - 1u - i;
    if (item_before(tile_item(b + j), b + j, tile_item(a + i), a + i)) { high = i; } else { low = i + 1u; }
  }
  return low;
}

/// The state of a merge: what remains, [a, a_end) and [b, b_end), and the first item of each.
struct Merge { a: u32, a_end: u32, b: u32, b_end: u32, x: Item, y: Item }

fn merge_begin(a: u32, a_end: u32, b: u32, b_end: u32) -> Merge {
  return Merge(a, a_end, b, b_end, tile_item(a), tile_item(b));
}

/// Advances by one output; returns whether it comes from A. Past the end of both the result has no meaning.
fn merge_step(m: ptr<function, Merge>) -> bool {
  // No branches, and one load for both cases, so that threads do not diverge.
  let from_a = ((*m).a < (*m).a_end) & (((*m).b >= (*m).b_end) | !item_before((*m).y, (*m).b, (*m).x, (*m).a));
  let next = select((*m).b, (*m).a, from_a) + 1u;
  let item = tile_item(next);
  (*m).a = select((*m).a, next, from_a);
  (*m).b = select(next, (*m).b, from_a);
  (*m).x = select((*m).x, item, from_a);
  (*m).y = select(item, (*m).y, from_a);
  return from_a;
}
