//! needs: shared/bytes
// Links each position of a block to the earlier ones that may match it, for longest-matches.wgsl.
//   text, starts (block b is bytes starts[b] to starts[b + 1], 1 to 65,280 of them)
//     -> links (BLOCK_WORDS words for each block of this dispatch):
//        low half   the last earlier position whose LONG_BYTES bytes have the same hash
//        high half  the last earlier position whose SHORT_BYTES bytes have the same hash; NONE: there is none
//   tables: scratch, BLOCK_WORDS words for each block.
// A workgroup has a block; the grid has one dimension.
//   1. Each lane hashes a position, of LANES in a row, and reads the last earlier positions from two tables.
//   2. It looks for its hashes among those of the lanes before it, which are nearer.
//   3. It puts its position into the tables. The last of equal hashes wins, because it is the largest.
// So links do not depend on the order in which lanes run.
// Reads may reach 8 bytes past the last block; what is there has no effect.
// Bytes moved, per byte of text: 4 written; 16 in the tables, which stay in the cache.

struct Immediates { first: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> tables: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> links: array<u32>;

const LANES = 64u;
const BLOCK_WORDS = 65536u;
const NONE = 0xffffu;

// A hash of 4 bytes makes files 1 to 2 % larger, because more candidates are short; of 6, those with varied qualities.
const LONG_BYTES = 5u;
const LONG_BITS = 15u;
const SHORT_BYTES = 3u;
const SHORT_BITS = 13u;
const SHORT_TABLE = 1u << LONG_BITS;  // where the second table begins
const TABLE_WORDS = SHORT_TABLE + (1u << SHORT_BITS);
const HASH_FACTOR = 0x9e3779b1u;      // 2 ** 32 / the golden ratio
const NEXT_FACTOR = 0x85ebca6bu;      // any odd number without a pattern

/// What no hash is: the position has too few bytes after it.
const NO_HASH = 0xffffu;

/// The hashes of the lanes' positions: long | short << 16.
var<workgroup> hashes: array<u32, LANES>;

/// The hashes of the bytes at a position that has `left` bytes.
fn hashes_at(address: u32, left: u32) -> u32 {
  if (left < SHORT_BYTES) { return NO_HASH | (NO_HASH << 16u); }
  let here = text_little(address);
  let short = ((here << 8u) * HASH_FACTOR) >> (32u - SHORT_BITS);
  if (left < LONG_BYTES) { return NO_HASH | (short << 16u); }
  let next = text_little(address + 4u) & 255u;
  return ((here * HASH_FACTOR + next * NEXT_FACTOR) >> (32u - LONG_BITS)) | (short << 16u);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = starts[im.first + id.x];
  let bytes = starts[im.first + id.x + 1u] - start;
  let table = id.x * BLOCK_WORDS;
  // An entry is a position + 1; 0: none.
  for (var i = lane; i < TABLE_WORDS; i += LANES) { atomicStore(&tables[table + i], 0u); }
  storageBarrier();
  for (var begin = 0u; begin < bytes; begin += LANES) {
    let at = begin + lane;
    let both = hashes_at(start + at, max(bytes, at) - at);
    let long = both & 0xffffu;
    let short = both >> 16u;
    hashes[lane] = both;
    var long_link = NONE;
    var short_link = NONE;
    if (long != NO_HASH) { long_link = (atomicLoad(&tables[table + long]) - 1u) & 0xffffu; }
    if (short != NO_HASH) { short_link = (atomicLoad(&tables[table + SHORT_TABLE + short]) - 1u) & 0xffffu; }
    workgroupBarrier();
    storageBarrier();
    var long_wanted = long != NO_HASH;
    var short_wanted = short != NO_HASH;
    for (var back = 1u; back <= lane && (long_wanted || short_wanted); back++) {
      let others = hashes[lane - back];
      if (long_wanted && (others & 0xffffu) == long) {
        long_link = at - back;
        long_wanted = false;
      }
      if (short_wanted && (others >> 16u) == short) {
        short_link = at - back;
        short_wanted = false;
      }
    }
    if (at < bytes) { links[table + at] = long_link | (short_link << 16u); }
    if (long != NO_HASH) { atomicMax(&tables[table + long], at + 1u); }
    if (short != NO_HASH) { atomicMax(&tables[table + SHORT_TABLE + short], at + 1u); }
    workgroupBarrier();
    storageBarrier();
  }
}
