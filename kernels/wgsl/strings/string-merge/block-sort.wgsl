//! needs: shared/launch, strings/string-merge/tile
// Block sort: sorts each tile of entries in place.
//   keys[n] (high, low), tags[n], with text, starts and depths for ties -> keys[n], tags[n], sorted in each tile; one
//   workgroup of TILE / 8 threads per tile, from tile `first_tile`.
//   1. The workgroup reads the tile into workgroup memory, padded with entries that come last.
//   2. Each thread sorts eight adjacent entries in registers by key and tag, with Batcher's network.
//   3. It writes them to workgroup memory and settles ties from the text by insertion: one comparison per entry if
//      there are no ties.
//   4. Adjacent runs are merged, 8 and 8, 16 and 16, ...; each thread makes eight entries of the result.
//   5. The workgroup writes the tile back.
// Bytes moved per entry: 12 read, 12 written, plus the text of ties.
// Source: Davidson et al. 2012, section 3, block sort. Their network reads the text in every comparator. Here step 3
// does, so that the comparison, a loop that compilers inline, is not repeated 19 times.

struct Immediates { depth: u32, key_bytes: u32, tie_bytes: u32, grouped: u32, n: u32, tiles: u32, first_tile: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tags: array<u32>;

/// Puts two entries in order by key and tag alone.
fn order_two(a: ptr<function, Entry>, b: ptr<function, Entry>) {
  let x = *a;
  let y = *b;
  let swap = y.high < x.high || (y.high == x.high && (y.low < x.low || (y.low == x.low && y.tag < x.tag)));
  *a = Entry(select(x.high, y.high, swap), select(x.low, y.low, swap), select(x.tag, y.tag, swap));
  *b = Entry(select(y.high, x.high, swap), select(y.low, x.low, swap), select(y.tag, x.tag, swap));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = im.first_tile + workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let base = tile * TILE;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    var entry = PADDING;
    if (base + i < im.n) {
      let key = keys[base + i];
      entry = Entry(key.x, key.y, tags[base + i]);
    }
    tile_put(i, entry);
  }
  workgroupBarrier();

  let first = thread * PER_THREAD;
  var e0 = tile_get(first);
  var e1 = tile_get(first + 1u);
  var e2 = tile_get(first + 2u);
  var e3 = tile_get(first + 3u);
  var e4 = tile_get(first + 4u);
  var e5 = tile_get(first + 5u);
  var e6 = tile_get(first + 6u);
  var e7 = tile_get(first + 7u);
  order_two(&e0, &e1); order_two(&e2, &e3); order_two(&e4, &e5); order_two(&e6, &e7);
  order_two(&e0, &e2); order_two(&e1, &e3); order_two(&e4, &e6); order_two(&e5, &e7);
  order_two(&e1, &e2); order_two(&e5, &e6);
  order_two(&e0, &e4); order_two(&e1, &e5); order_two(&e2, &e6); order_two(&e3, &e7);
  order_two(&e2, &e4); order_two(&e3, &e5);
  order_two(&e1, &e2); order_two(&e3, &e4); order_two(&e5, &e6);
  // No barrier: only this thread reads these entries.
  tile_put(first, e0);
  tile_put(first + 1u, e1);
  tile_put(first + 2u, e2);
  tile_put(first + 3u, e3);
  tile_put(first + 4u, e4);
  tile_put(first + 5u, e5);
  tile_put(first + 6u, e6);
  tile_put(first + 7u, e7);
  if (im.tie_bytes > im.key_bytes) {
    for (var k = 1u; k < PER_THREAD; k++) {
      let entry = tile_get(first + k);
      var at = first + k;
      while (at > first) {
        let before = tile_get(at - 1u);
        if (!entry_before(entry, before)) { break; }
        tile_put(at, before);
        at--;
      }
      if (at != first + k) { tile_put(at, entry); }
    }
  }
  workgroupBarrier();

  for (var width = PER_THREAD; width < TILE; width <<= 1u) {
    let a = first & ~(2u * width - 1u);
    let b = a + width;
    let diagonal = first - a;
    let from_a = tile_search(a, width, b, width, diagonal);
    tile_merge(a + from_a, b, b + diagonal - from_a, b + width, first, PER_THREAD);
    var merged: array<Entry, PER_THREAD>;
    for (var k = 0u; k < PER_THREAD; k++) { merged[k] = tile_output(first + k); }
    workgroupBarrier();
    for (var k = 0u; k < PER_THREAD; k++) { tile_put(first + k, merged[k]); }
    workgroupBarrier();
  }

  for (var k = 0u; k < PER_THREAD; k++) {
    let i = thread + k * THREADS;
    if (base + i < im.n) {
      let entry = tile_get(i);
      keys[base + i] = vec2u(entry.high, entry.low);
      tags[base + i] = entry.tag;
    }
  }
  let reads = tile_text_reads(thread);
  if (thread == 0u) { set_text_reads(tile, reads); }
}
