// The inputs of one output tile of a merge pass, from the table that run-pairs.wgsl makes.
// A kernel that includes this file declares
//   var<storage, read> parts: array<vec4u>;
//   var<immediate> im with tiles, the number of tiles

/// A = [a, a + a_count) and B = [b, b + count - a_count), and where the outputs begin.
struct Window { a: u32, a_count: u32, b: u32, count: u32, out: u32 }

fn window_of(tile: u32) -> Window {
  let part = parts[tile];
  var a_end = part.z;
  var b_end = part.w;
  if (tile + 1u < im.tiles) {
    let next = parts[tile + 1u];
    // The next tile may belong to another pair; pairs end at different positions.
    if (next.w == part.w) { a_end = next.x; b_end = next.y; }
  }
  let a_count = a_end - part.x;
  return Window(part.x, a_count, part.y, a_count + b_end - part.y, part.x + part.y - part.z);
}

/// The address of item i of the window, A's items before B's.
fn item_place(w: Window, i: u32) -> u32 {
  return i + select(w.b - w.a_count, w.a, i < w.a_count);
}
