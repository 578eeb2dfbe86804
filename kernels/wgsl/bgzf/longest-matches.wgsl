//! needs: shared/launch, shared/bytes, bgzf/deflate-lengths, bgzf/deflate-slots
// Finds the longest earlier match of every position of a block, for deflate-cheapest.wgsl.
//   text, starts (block b is bytes starts[b] to starts[b + 1], 1 to 65,280 of them), links (link-positions.wgsl)
//     -> matches (BLOCK_WORDS words for each block): length << 16 | distance; 0: no match.
// A thread has a position, and BLOCK_WORKGROUPS workgroups have a block. `slot` is the first block's place in links and
// matches; `first` its number.
//   1. The last position with the same 3 bytes may give a match of 3 bytes or more.
//   2. Positions with the same hash of 5 bytes are tried, nearest first, up to TRIES of them. Of a candidate, the 4
//      bytes at the end of a longer match are compared first.
// Positions do not depend on each other, so any number of threads hides the latency of memory. Measured on an H200, 29
// November 2026: 134 MB of BAM in 12.7 ms; with 8 candidates in 9.6, for files 1.1 % larger; with 16 in 15.8, for files
// 0.7 % smaller.
// Reads may reach 12 bytes past the last block; what is there has no effect.
// Bytes moved: 4 written per byte of text; up to 16 read per candidate, most of them from a cache.

struct Immediates { first: u32, slot: u32, blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> links: array<u32>;
@group(0) @binding(3) var<storage, read_write> matches: array<u32>;

const LANES = 256u;
const BLOCK_WORKGROUPS = 255u;  // for 65,280 bytes
const BLOCK_WORDS = 65536u;
const NONE = 0xffffu;
const TRIES = 12u;

fn longest(start: u32, at: u32, most: u32, slot: u32) -> u32 {
  let address = start + at;
  let here = text_little(address);
  let link = links[slot + at];
  var length = FIRST_LENGTH;
  var distance = 0u;
  let short = link >> 16u;
  if (short != NONE && at - short <= WINDOW) {
    let differing = text_little(start + short) ^ here;
    if ((differing << 8u) == 0u) {
      distance = at - short;
      if (differing == 0u) { length = match_length(address, start + short, most); }
    }
  }
  var candidate = link & 0xffffu;
  // A longer match ends with these bytes.
  var tail = text_little(address + length - 3u);
  for (var tries = TRIES; tries > 0u && length < most; tries--) {
    if (candidate == NONE || at - candidate > WINDOW) { break; }
    let next = links[slot + candidate] & 0xffffu;
    let earlier = start + candidate;
    if (text_little(earlier + length - 3u) == tail && text_little(earlier) == here) {
      let found = match_length(address, earlier, most);
      if (found > length) {
        length = found;
        distance = at - candidate;
        tail = text_little(address + length - 3u);
      }
    }
    candidate = next;
  }
  return select((length << 16u) | distance, 0u, distance == 0u);
}

@compute @workgroup_size(LANES)
fn main(
  @builtin(workgroup_id) id: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let number = workgroup_number(id, grid);
  let block = number / BLOCK_WORKGROUPS;
  if (block >= im.blocks) { return; }
  let at = (number % BLOCK_WORKGROUPS) * LANES + lane;
  let start = starts[im.first + block];
  let bytes = starts[im.first + block + 1u] - start;
  if (at >= bytes) { return; }
  let slot = (im.slot + block) * BLOCK_WORDS;
  var match_word = 0u;
  if (bytes - at >= FIRST_LENGTH) { match_word = longest(start, at, min(bytes - at, LONGEST_MATCH), slot); }
  matches[slot + at] = match_word;
}
