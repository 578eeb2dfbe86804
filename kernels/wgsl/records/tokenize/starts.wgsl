//! needs: shared/launch, shared/thread-sums, records/tokenize/delimiters
// Tokenize, step 2: where each record begins, for the records first .. first + records of the text.
//   text[bytes], counts[tiles + 1] (scanned) -> starts[records + 1]; one workgroup of 256 threads per tile of 16 KiB.
//   1. Each thread finds the delimiters in 64 adjacent bytes.
//   2. A prefix sum over the workgroup, from the tile's count, numbers them.
//   3. Record k + 1 begins after delimiter k, record 0 at byte 0. The last word is the end of the last record.
// Tiles without a start of these records return at once. Bytes moved: 1 read per byte of text, 4 written per record.

struct Immediates { bytes: u32, tiles: u32, first: u32, records: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid);
  if (tile >= im.tiles) { return; }
  if (tile == 0u && thread == 0u && im.first == 0u) { starts[0] = 0u; }
  // Delimiter k ends record k, so record k + 1 begins after it.
  if (counts[tile] + 1u > im.first + im.records || counts[tile + 1u] < im.first) { return; }
  let vector = tile * TILE_VECTORS + thread * THREAD_VECTORS;
  var found: array<vec4u, THREAD_VECTORS>;
  var count = 0u;
  for (var i = 0u; i < THREAD_VECTORS; i++) {
    found[i] = delimiters_at(vector + i, im.bytes);
    count += delimiter_count(found[i]);
  }
  var record = counts[tile] + thread_sums(thread, count).x + 1u;
  for (var i = 0u; i < THREAD_VECTORS; i++) {
    for (var j = 0u; j < 4u; j++) {
      var bits = found[i][j];
      while (bits != 0u) {
        if (record >= im.first && record - im.first <= im.records) {
          starts[record - im.first] = (vector + i) * 16u + j * 4u + (countTrailingZeros(bits) >> 3u) + 1u;
        }
        record++;
        bits &= bits - 1u;
      }
    }
  }
}
