//! needs: shared/launch, shared/bytes
// Writes the records of one of several texts to their places in a range of the output.
//   text, whose records have numbers base to base + count; order (from record `first` of the output on), starts (by
//   number); out_starts[n + 1] and first_of_tile[tiles] of the range -> out; one workgroup of 256 threads per tile of
//   8 KiB, 16 bytes per thread and step.
//   A thread adds those of its 16 bytes that are of this text. So `out` is zero at first, and the texts are dispatched
//   one after another.
// Bytes moved: 1 read per byte of text (in whole sectors of 32), 12 read per record, 2 per byte of the range.

struct Immediates { n: u32, bytes: u32, tiles: u32, first: u32, base: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> out_starts: array<u32>;
@group(0) @binding(4) var<storage, read> first_of_tile: array<u32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4u>;

const TILE_BYTES = 8192u;  // as in records/gather/tiles.wgsl
const STEP_BYTES = 4096u;  // 256 threads of 16 bytes

/// The record in [first, end) of the range that holds byte `at`.
fn record_at(at: u32, first: u32, end: u32) -> u32 {
  var low = first;
  var high = end;
  while (high - low > 1u) {
    let middle = low + (high - low) / 2u;
    if (out_starts[middle] <= at) { low = middle; } else { high = middle; }
  }
  return low;
}

/// The bytes of `text` from `source` on, as bytes begin to end of four words, with zeros elsewhere.
fn bytes_of(source: u32, begin: u32, end: u32) -> vec4u {
  var words = vec4u();
  for (var at = begin; at < end; ) {
    let taken = min(4u - (at & 3u), end - at);
    words[at / 4u] = low_bytes(text_little(source + at - begin), taken) << ((at & 3u) * 8u);
    at += taken;
  }
  return words;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  let first = first_of_tile[tile];
  var end = im.n;
  if (tile + 1u < im.tiles) { end = first_of_tile[tile + 1u] + 1u; }
  let tile_end = min((tile + 1u) * TILE_BYTES, im.bytes);
  for (var group = tile * TILE_BYTES + thread * 16u; group < tile_end; group += STEP_BYTES) {
    let group_end = min(group + 16u, tile_end);
    var words = vec4u();
    var record = record_at(group, first, end);
    for (var at = group; at < group_end; ) {
      let to = min(out_starts[record + 1u], group_end);
      let number = order[im.first + record];
      if (number - im.base < im.count) {
        words |= bytes_of(starts[number] + at - out_starts[record], at - group, to - group);
      }
      at = to;
      record++;
    }
    if (any(words != vec4u())) { out[group / 16u] |= words; }
  }
}
