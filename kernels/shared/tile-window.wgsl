// The inputs of one output tile of a merge pass, read from the table that run-pairs.wgsl makes. A kernel that needs this declares
//   var<storage, read> parts: array<vec4u>;
//   var<immediate> im with tiles, how many there are

/// A = [a, a + a_count) and B = [b, b + count - a_count), and where the outputs begin.
struct Window { a: u32, a_count: u32, b: u32, count: u32, out: u32 }

fn window_of(tile: u32) -> Window {
  let part = parts[tile];
  var a_end = part.z;
  var b_end = part.w;
  if (tile + 1u < im.tiles) {
    let next = parts[tile + 1u];
    // Pairs of runs end at different places.
    if (next.w == part.w) { a_end = next.x; b_end = next.y; }
  }
  let a_count = a_end - part.x;
  return Window(part.x, a_count, part.y, a_count + b_end - part.y, part.x + part.y - part.z);
}

/// Where item i of the window, A's first and then B's, lies in memory.
fn item_place(w: Window, i: u32) -> u32 {
  return i + select(w.b - w.a_count, w.a, i < w.a_count);
}
