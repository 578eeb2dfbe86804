//! needs: shared/bytes, bgzf/deflate-slots
// Links each position of a block to the earlier ones that may match it, for longest-matches.wgsl.
//   text, starts (block b is bytes starts[b] to starts[b + 1], 1 to 65,280 of them)
//     -> links (BLOCK_WORDS words for each block of this dispatch):
//        low half   the last earlier position whose LONG_BYTES bytes have the same hash, or NONE
//        high half  the same for a hash of SHORT_BYTES bytes.
// A workgroup has a block; the grid has one dimension. `first` is the number of the first block.
//   1. Each lane hashes a position, of LANES in a row, and reads the last earlier positions from two tables.
//   2. It looks for its hashes among those of the other lanes. Of those before it, the last one is nearer.
//   3. The last lane with a hash puts its position into the table.
// So links do not depend on the order in which lanes run.
// Tables are in workgroup memory: those of many blocks in device memory would not stay in its cache (H200, 29 November
// 2026: 6.6 GB/s with 160 KiB a block). Small tables make files larger by at most 1 %, since candidates are compared.
// Reads may reach 12 bytes past the last block; what is there has no effect.
// Bytes moved: 1 read and 4 written per byte of text.

struct Immediates { first: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> links: array<u32>;

const LANES = 64u;
const BLOCK_WORDS = 65536u;
const NONE = 0xffffu;

// With a hash of 4 bytes more candidates have short matches; with 6, too few matches are found of varied qualities.
const LONG_BYTES = 5u;
const LONG_BITS = 12u;
const SHORT_BYTES = FIRST_LENGTH;
const SHORT_BITS = 11u;
const HASH_FACTOR = 0x9e3779b1u;  // 2 ** 32 / the golden ratio
const NEXT_FACTOR = 0x85ebca6bu;  // another odd number without a pattern
/// No hash: too few bytes follow the position.
const NO_HASH = 0xffffu;

const LONG_WORDS = 1u << (LONG_BITS - 1u);
const SHORT_WORDS = 1u << (SHORT_BITS - 1u);
/// The last position with each hash, + 1, two in a word; 0: no position has it yet.
var<workgroup> long_table: array<atomic<u32>, LONG_WORDS>;
var<workgroup> short_table: array<atomic<u32>, SHORT_WORDS>;
/// The hashes of the lanes' positions: long | short << 16.
var<workgroup> hashes: array<u32, LANES>;

/// The hashes of the bytes at a position of a block of `bytes` bytes at `start`.
fn hashes_at(start: u32, at: u32, bytes: u32) -> u32 {
  if (at + SHORT_BYTES > bytes) { return NO_HASH | (NO_HASH << 16u); }
  let here = text_little(start + at);
  let short = ((here << 8u) * HASH_FACTOR) >> (32u - SHORT_BITS);
  if (at + LONG_BYTES > bytes) { return NO_HASH | (short << 16u); }
  let next = text_little(start + at + 4u) & 255u;
  return ((here * HASH_FACTOR + next * NEXT_FACTOR) >> (32u - LONG_BITS)) | (short << 16u);
}

/// The half of a word that has the entry of a hash.
fn half(word: u32, hash: u32) -> u32 {
  return (word >> ((hash & 1u) << 4u)) & 0xffffu;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = starts[im.first + id.x];
  let bytes = starts[im.first + id.x + 1u] - start;
  for (var i = lane; i < LONG_WORDS; i += LANES) { atomicStore(&long_table[i], 0u); }
  for (var i = lane; i < SHORT_WORDS; i += LANES) { atomicStore(&short_table[i], 0u); }
  workgroupBarrier();
  var both = hashes_at(start, lane, bytes);
  for (var begin = 0u; begin < bytes; begin += LANES) {
    let at = begin + lane;
    let long = both & 0xffffu;
    let short = both >> 16u;
    hashes[lane] = both;
    // Read early, because it takes long.
    let next = hashes_at(start, at + LANES, bytes);
    var long_entry = 0u;
    var short_entry = 0u;
    if (long != NO_HASH) { long_entry = half(atomicLoad(&long_table[long >> 1u]), long); }
    if (short != NO_HASH) { short_entry = half(atomicLoad(&short_table[short >> 1u]), short); }
    workgroupBarrier();
    // The last lane before this one with the same hash, and the last of all.
    var long_before = NONE;
    var long_last = lane;
    var short_before = NONE;
    var short_last = lane;
    for (var i = 0u; i < LANES; i++) {
      let differing = hashes[i] ^ both;
      if ((differing & 0xffffu) == 0u) {
        long_last = i;
        long_before = select(long_before, i, i < lane);
      }
      if ((differing >> 16u) == 0u) {
        short_last = i;
        short_before = select(short_before, i, i < lane);
      }
    }
    // No other lane changes this half of the word, so the difference replaces it.
    if (long != NO_HASH && long_last == lane) {
      atomicXor(&long_table[long >> 1u], (long_entry ^ (at + 1u)) << ((long & 1u) << 4u));
    }
    if (short != NO_HASH && short_last == lane) {
      atomicXor(&short_table[short >> 1u], (short_entry ^ (at + 1u)) << ((short & 1u) << 4u));
    }
    if (at < bytes) {
      let long_link = select(begin + long_before, long_entry - 1u, long_before == NONE);
      let short_link = select(begin + short_before, short_entry - 1u, short_before == NONE);
      links[id.x * BLOCK_WORDS + at] =
        (select(long_link, NONE, long == NO_HASH) & 0xffffu) | (select(short_link, NONE, short == NO_HASH) << 16u);
    }
    both = next;
    workgroupBarrier();
  }
}
