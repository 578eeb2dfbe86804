// The inputs of one output tile of a merge pass, from the table that run-pairs.wgsl makes.
// A kernel that includes this file declares
//   var<storage, read> partitions: array<vec4u>;
//   var<immediate> im with tiles, the number of tiles

/// A = [a, a + a_count) and B = [b, b + count - a_count), and where the outputs begin.
struct Window { a: u32, a_count: u32, b: u32, count: u32, out: u32 }

fn window_of(tile: u32) -> Window {
  let here = partitions[tile];
  var a_end = here.z;
  var b_end = here.w;
  if (tile + 1u < im.tiles) {
    let next = partitions[tile + 1u];
    // The next tile may belong to another pair; pairs end at different positions.
    if (next.w == here.w) { a_end = next.x; b_end = next.y; }
  }
  let a_count = a_end - here.x;
  return Window(here.x, a_count, here.y, a_count + b_end - here.y, here.x + here.y - here.z);
}

/// The address of item i of the window, A's items before B's.
fn item_place(w: Window, i: u32) -> u32 {
  return i + select(w.b - w.a_count, w.a, i < w.a_count);
}
