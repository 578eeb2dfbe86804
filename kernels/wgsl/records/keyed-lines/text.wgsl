//! needs: shared/launch, shared/bytes, records/keyed-lines/key-places
// Keyed lines, step 3: headers and keys, each followed by its line; each output word written once.
//   text, keys (keys.wgsl), starts[n + 1], out_starts[n + 1], first[tiles] (records/gather/tiles.wgsl) -> out[bytes],
//   zeros up to the next multiple of 16; one workgroup of 256 threads per tile of 8 KiB of output, 16 bytes per thread
//   and step.
//   1. The workgroup loads the starts of the tile's lines, as read and as keyed, into workgroup memory.
//   2. Each thread finds the line of its first byte there by binary search and fills four words. A word inside a key or
//      a line is one unaligned read; a word that spans several is one read for each.
//   3. It writes the four at once, so that the workgroup's writes are coalesced.
// Like records/gather/text.wgsl, but from two sources. Bytes moved:
// 1 read per byte of text and of keys, 8 read per line, 1 written per byte.

struct Immediates { n: u32, bytes: u32, tiles: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> out_starts: array<u32>;
@group(0) @binding(4) var<storage, read> first: array<u32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4u>;

const TILE_BYTES = 8192u;
const STEP_BYTES = 4096u;  // 256 threads of 16 bytes
// A keyed line has at least 6 bytes, so a tile holds parts of fewer lines than this, with the start after them: 12 KiB
// of the 16 KiB that every device has.
const CACHED = 1536u;

var<workgroup> cached_start: array<u32, CACHED>;
var<workgroup> cached_out: array<u32, CACHED>;

/// Four bytes of the keys from any address, the first in the lowest byte.
fn key_bytes(address: u32) -> u32 {
  let word = address >> 2u;
  let shift = (address & 3u) * 8u;
  var little = keys[word];
  if (shift != 0u) { little = (little >> shift) | (keys[word + 1u] << (32u - shift)); }
  return little;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }

  let base = first[tile];
  // The tile's lines have local numbers 0 to count - 1; entry `count` holds the starts after them.
  var last = im.n - 1u;
  if (tile + 1u < im.tiles) { last = first[tile + 1u]; }
  let count = last - base + 1u;
  for (var i = thread; i <= count; i += 256u) {
    cached_start[i] = starts[base + i];
    cached_out[i] = out_starts[base + i];
  }
  let text_start = starts[0];
  workgroupBarrier();

  let tile_end = min((tile + 1u) * TILE_BYTES, im.bytes);
  for (var at = tile * TILE_BYTES + thread * 16u; at < tile_end; at += STEP_BYTES) {
    var low = 0u;
    var high = count;
    while (high - low > 1u) {
      let middle = (low + high) / 2u;
      if (cached_out[middle] <= at) { low = middle; } else { high = middle; }
    }
    var line = low;
    var out_start = cached_out[line];
    var out_end = cached_out[line + 1u];
    var source = cached_start[line];
    // Where the line's own text begins in the output.
    var out_text = out_end - (cached_start[line + 1u] - source);
    var key = key_word(base + line, source - text_start, out_start) * 4u;
    var words = vec4u();
    for (var i = 0u; i < 4u; i++) {
      let word_at = at + i * 4u;
      var word = 0u;
      var filled = 0u;
      while (filled < 4u && word_at + filled < im.bytes) {
        let byte = word_at + filled;
        if (byte >= out_end) {
          line++;
          out_start = out_end;
          out_end = cached_out[line + 1u];
          source = cached_start[line];
          out_text = out_end - (cached_start[line + 1u] - source);
          key = key_word(base + line, source - text_start, out_start) * 4u;
        }
        var take = 4u - filled;
        var bytes = 0u;
        if (byte < out_text) {
          take = min(take, out_text - byte);
          bytes = key_bytes(key + (byte - out_start));
        } else {
          take = min(take, out_end - byte);
          bytes = text_little(source + (byte - out_text));
        }
        word |= low_bytes(bytes, take) << (filled * 8u);
        filled += take;
      }
      words[i] = word;
    }
    out[at / 16u] = words;
  }
}
