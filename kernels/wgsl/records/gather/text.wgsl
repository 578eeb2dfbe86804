//! needs: shared/launch, shared/bytes
// Gather, step 3: the records' text in output order, each output word written once.
//   text, sources[n] (the address of each output record in the text), out_starts[n + 1], first[tiles] -> out[bytes],
//   zeros up to the next multiple of 16; one workgroup of 256 threads per tile of 8 KiB of output,
//   16 bytes per thread and step.
//   1. The workgroup loads the tile's records into workgroup memory. Those beyond CACHED, if records have less than 6
//      bytes on average, are read from `sources` and `out_starts` as needed.
//   2. Each thread finds the record of its first byte there by binary search and fills four words. A word inside a
//      record is one unaligned read; a word that spans records is one read for each.
//      The last byte of a record is XORed with `last_change`, which changes its delimiter; 0 leaves it.
//   3. It writes the four at once, so that the workgroup's writes are coalesced.
// So a long record is copied by many threads, and many short ones by one. Bytes moved: 1 read per byte of text (in
// whole sectors of 32), 8 read per record, 1 written per byte. Source: output-driven load balancing, Baxter, moderngpu,
// "interval move", 2013.

struct Immediates { n: u32, bytes: u32, tiles: u32, last_change: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> sources: array<u32>;
@group(0) @binding(2) var<storage, read> out_starts: array<u32>;
@group(0) @binding(3) var<storage, read> first: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4u>;

const TILE_BYTES = 8192u;
const STEP_BYTES = 4096u;  // 256 threads of 16 bytes
const CACHED = 1536u;      // records: 12 KiB of the 16 KiB that every device has

var<workgroup> cached_start: array<u32, CACHED>;
var<workgroup> cached_source: array<u32, CACHED>;

fn out_start(base: u32, i: u32) -> u32 {
  if (i < CACHED) { return cached_start[i]; }
  return out_starts[base + i];
}

fn source_of(base: u32, i: u32) -> u32 {
  if (i < CACHED) { return cached_source[i]; }
  return sources[base + i];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }

  let base = first[tile];
  // The tile's records have local numbers 0 to count - 1; entry `count` holds the start after them.
  var last = im.n - 1u;
  if (tile + 1u < im.tiles) { last = first[tile + 1u]; }
  let count = last - base + 1u;
  for (var i = thread; i < min(count + 1u, CACHED); i += 256u) {
    cached_start[i] = out_starts[base + i];
    if (i < count) { cached_source[i] = sources[base + i]; }
  }
  workgroupBarrier();

  let tile_end = min((tile + 1u) * TILE_BYTES, im.bytes);
  for (var at = tile * TILE_BYTES + thread * 16u; at < tile_end; at += STEP_BYTES) {
    var low = 0u;
    var high = count;
    while (high - low > 1u) {
      let middle = (low + high) / 2u;
      if (out_start(base, middle) <= at) { low = middle; } else { high = middle; }
    }
    var record = low;
    var start = out_start(base, record);
    var end = out_start(base, record + 1u);
    var source = source_of(base, record);
    var words = vec4u();
    for (var i = 0u; i < 4u; i++) {
      let word_at = at + i * 4u;
      var word = 0u;
      var filled = 0u;
      while (filled < 4u && word_at + filled < im.bytes) {
        let byte = word_at + filled;
        if (byte >= end) {
          record++;
          start = end;
          end = out_start(base, record + 1u);
          source = source_of(base, record);
        }
        let take = min(4u - filled, end - byte);
        word |= low_bytes(text_little(source + (byte - start)), take) << (filled * 8u);
        filled += take;
        if (byte + take == end) { word ^= im.last_change << ((filled - 1u) * 8u); }
      }
      words[i] = word;
    }
    out[at / 16u] = words;
  }
}
