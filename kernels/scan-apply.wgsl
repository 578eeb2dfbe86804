//! needs: launch, thread-sums, fours
// Scan, step 3 of 3: the exclusive scan inside each tile, begun at the tile's sum, in place; the grand total at data[n].
//   sums[tiles + 1], data[n + 1]; one workgroup of 256 threads a tile of 2,048 words. Reads and writes 4 B a word.

struct Immediates { n: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read> sums: array<u32>;

const THREADS = 256u;
const WORDS = 8u;  // a thread, neighbours

fn word_at(i: u32) -> u32 {
  if (i < im.n) { return data[i]; }
  return 0u;
}

fn words_at(i: u32) -> vec4u { return vec4u(word_at(i), word_at(i + 1u), word_at(i + 2u), word_at(i + 3u)); }

fn put_word(i: u32, value: u32) {
  if (i < im.n) { data[i] = value; }
}

fn put_words(i: u32, values: vec4u) {
  put_word(i, values.x);
  put_word(i + 1u, values.y);
  put_word(i + 2u, values.z);
  put_word(i + 3u, values.w);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let at = (tile * THREADS + thread) * WORDS;
  let low = words_at(at);
  let high = words_at(at + 4u);
  let low_sum = sum_of(low);
  let before = sums[tile] + thread_sums(thread, low_sum + sum_of(high)).x;
  put_words(at, befores(low, before));
  put_words(at + 4u, befores(high, before + low_sum));
  if (tile == im.tiles - 1u && thread == 0u) { data[im.n] = sums[im.tiles]; }
}
