//! needs: shared/bytes, bgzf/deflate-lengths, bgzf/deflate-slots, bgzf/deflate-codes, bgzf/deflate-header
//! needs: bgzf/deflate-bits, bgzf/deflate-frame
// Compresses BGZF blocks at level 1, each with one block of DEFLATE (RFC 1951) with dynamic codes, or stored.
//   text, starts (block b is bytes starts[b] to starts[b + 1], 1 to 65,280 of them), crcs (CRC-32 of each block)
//     -> out (64 KiB for each block of this dispatch), sizes (bytes of each BGZF block there, by b);
//   sequences, tables: scratch, 128 KiB and 8 KiB for each workgroup.
// Workgroups have one thread; workgroup w compresses blocks w, w + workgroups and so on. The grid has one dimension.
//   1. Matches are found as LZ4 does (kernels/wasm/deflate/matches.ts): a hash of 4 bytes has one candidate, and the
//      first match is taken. Two positions are tried at once, so that one does not wait for the other's memory.
//      A sequence (a run of literals and the match after it) is written, and its symbols are counted.
//   2. Codes are made from the counts, and the size is known: the block is stored if that is shorter.
//   3. The block is written word by word, from the sequences.
// A block's symbols follow one another, so a thread has a block, and thousands of blocks hide the latency of memory.
// Tables are in a storage buffer, which is cached: with tables in workgroup memory a processor would hold few blocks.
// Measured on an H200, 28 November 2026: 4.2 GB/s with tables in workgroup memory, 8.9 with 4,224 workgroups like this.
// Fixed codes are left out: they save bytes only in blocks of a few hundred, such as the last one of a file.
// Reads may reach 12 bytes past the last block; what is there has no effect.
// Bytes moved: about 3 read per byte of text, 16 moved per sequence, 1 written per byte of output.

struct Immediates { first: u32, blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> crcs: array<u32>;
@group(0) @binding(3) var<storage, read_write> sequences: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;
@group(0) @binding(5) var<storage, read_write> sizes: array<u32>;
@group(0) @binding(6) var<storage, read_write> tables: array<u32>;

const HASH_BITS = 12u;            // 13 is slower (8.6 GB/s)
const HASH_FACTOR = 0x9e3779b1u;  // 2 ** 32 / the golden ratio
const TABLE_WORDS = 1u << (HASH_BITS - 1u);
const_assert TABLE_WORDS >= LEAST_TABLE_WORDS;

const MISS_SHIFT = 6u;  // after 2 ** MISS_SHIFT bytes without a match every second position is tried, then every third
const MARGIN = 8u;      // no match begins in the last bytes of a block, so 4 bytes can be read at each position tried

const SLOT_SEQUENCES = 16384u;  // at most 65,280 / SHORTEST_MATCH + 1 are used

/// Where the workgroup's table begins. While matches are found, it has the last position with each hash, two in a word;
/// afterwards what deflate-codes has there.
var<private> base: u32;

fn table_at(i: u32) -> u32 {
  return tables[base + i];
}

fn set_table(i: u32, word: u32) {
  tables[base + i] = word;
}

fn set_out(i: u32, word: u32) {
  out[i] = word;
}

/// Puts a position into the table; returns the one that was there, 0 at first, by the hash of its 4 bytes.
fn exchange(bytes: u32, at: u32) -> u32 {
  let hash = (bytes * HASH_FACTOR) >> (32u - HASH_BITS);
  let shift = (hash & 1u) << 4u;
  let pair = table_at(hash >> 1u);
  set_table(hash >> 1u, (pair & ~(0xffffu << shift)) | (at << shift));
  return (pair >> shift) & 0xffffu;
}

/// Counts the bytes of the text in [first, end).
fn count_literals(first: u32, end: u32) {
  var at = first;
  for (; at + 4u <= end; at += 4u) {
    let bytes = text_little(at);
    count_symbol(bytes & 255u);
    count_symbol((bytes >> 8u) & 255u);
    count_symbol((bytes >> 16u) & 255u);
    count_symbol(bytes >> 24u);
  }
  if (at == end) { return; }
  var bytes = text_little(at);
  for (; at < end; at++) {
    count_symbol(bytes & 255u);
    bytes >>= 8u;
  }
}

/// Writes the sequences of the block at `start` from sequences[scratch] on, counts their symbols; returns the bits of
/// all their lengths and distances beside codes. Positions are those in the block. A sequence is
///   x: literals | length << 16      length 0: the block ends
///   y: extra bits of the distance | its slot << 13 | extra bits of the length << 18 | its slot << 23
fn find_matches(start: u32, bytes: u32, scratch: u32) -> u32 {
  for (var i = 0u; i < TABLE_WORDS; i++) { set_table(i, 0u); }
  clear_counts();
  var sequence = scratch;
  var extra_bits = 0u;
  var literals = 0u;  // the first byte that no sequence has
  var at = 0u;
  let end = max(bytes, MARGIN) - MARGIN;
  while (at < end) {
    // Bytes 0 to 4 from `at` on are in two words.
    let address = start + at;
    let shift = (address & 3u) * 8u;
    let low = text[address >> 2u];
    let high = text[(address >> 2u) + 1u];
    let here = funnel(low, high, shift);
    let next = min(at + 1u + ((at - literals) >> MISS_SHIFT), end);
    var there = (here >> 8u) | ((high >> shift) << 24u);
    if (next != at + 1u) { there = text_little(start + next); }
    var earlier = exchange(here, at);
    let earlier_next = exchange(there, next);
    // A position that is no earlier one has a distance of 0 or less, which wraps. Both are read before either is used.
    let found = text_little(start + earlier);
    let found_next = text_little(start + earlier_next);
    if (at - earlier - 1u >= WINDOW || found != here) {
      if (next - earlier_next - 1u >= WINDOW || found_next != there) {
        at = next + 1u + ((next - literals) >> MISS_SHIFT);
        continue;
      }
      at = next;
      earlier = earlier_next;
    }
    let length = match_length(start + at, start + earlier, min(bytes - at, LONGEST_MATCH));
    let length_slot = slot_of_length(length);
    let length_extra = extra_of_length(length_slot);
    let distance_slot = slot_of_distance(at - earlier);
    let distance_extra = extra_of_distance(distance_slot);
    sequences[sequence] = vec2u(
      (at - literals) | (length << 16u),
      low_bits(at - earlier - 1u, distance_extra) | (distance_slot << 13u) |
        (low_bits(length - FIRST_LENGTH, length_extra) << 18u) | (length_slot << 23u));
    sequence++;
    extra_bits += length_extra + distance_extra;
    count_symbol(FIRST_LENGTH_SYMBOL + length_slot);
    count_symbol(FIRST_DISTANCE + distance_slot);
    count_literals(start + literals, start + at);
    literals = at + length;
    // All positions would make blocks slightly smaller and take longer; none, larger.
    if (literals < end) {
      exchange_at(start, at + 1u);
      exchange_at(start, literals - 2u);
      exchange_at(start, literals - 1u);
    }
    at = literals;
  }
  count_literals(start + literals, start + bytes);
  sequences[sequence] = vec2u(bytes - literals, 0u);
  count_symbol(END_SYMBOL);
  return extra_bits;
}

fn exchange_at(start: u32, at: u32) {
  _ = exchange(text_little(start + at), at);
}

/// Writes the codes of the sequences from sequences[scratch] on, whose text is at `start`, and the end of the block.
fn write_sequences(start: u32, scratch: u32) {
  var at = start;
  var sequence = scratch;
  var entry = sequences[sequence];
  loop {
    // The next one is read while this one is written. There is always another in the slot.
    sequence++;
    let next = sequences[sequence];
    let end = at + (entry.x & 0xffffu);
    for (; at + 4u <= end; at += 4u) {
      let bytes = text_little(at);
      put_codes(code_of(bytes & 255u), code_of((bytes >> 8u) & 255u));
      put_codes(code_of((bytes >> 16u) & 255u), code_of(bytes >> 24u));
    }
    if (at < end) {
      var bytes = text_little(at);
      for (; at < end; at++) {
        put_code(code_of(bytes & 255u));
        bytes >>= 8u;
      }
    }
    let length = entry.x >> 16u;
    if (length == 0u) { break; }
    let length_slot = entry.y >> 23u;
    let distance_slot = (entry.y >> 13u) & 31u;
    // At most 15 + 5 bits and 15 + 13.
    put_extended(code_of(FIRST_LENGTH_SYMBOL + length_slot), (entry.y >> 18u) & 31u, extra_of_length(length_slot));
    put_extended(code_of(FIRST_DISTANCE + distance_slot), entry.y & 0x1fffu, extra_of_distance(distance_slot));
    at += length;
    entry = next;
  }
  put_code(code_of(END_SYMBOL));
}

/// Compresses a block to a slot of `out`, with the sequences from sequences[scratch] on.
fn compress(block: u32, slot: u32, scratch: u32) {
  let start = starts[block];
  let bytes = starts[block + 1u] - start;
  let extra_bits = find_matches(start, bytes, scratch);
  for (var code = 0u; code < CODE_COUNT; code++) {
    if (code == HEADER_CODE) { plan_items(); }
    set_bits(code);
  }
  let bits = BLOCK_HEADER_BITS + measure_header() + coded_bits(0u, SYMBOLS + DISTANCES) + extra_bits;
  let dynamic = (bits + 7u) / 8u;
  let stored = STORED_BYTES + bytes;
  let size = HEADER_BYTES + min(dynamic, stored) + TRAILER_BYTES;
  sizes[block] = size;
  write_header(size, slot);
  if (dynamic < stored) {
    for (var code = 0u; code < CODE_COUNT; code++) { set_codes(code); }
    put_bits(LAST_DYNAMIC, BLOCK_HEADER_BITS);
    put_header();
    write_sequences(start, scratch);
    end_byte();
  } else {
    write_stored(start, bytes);
  }
  write_trailer(crcs[block], bytes);
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  base = id.x * TABLE_WORDS;
  for (var slot = id.x; slot < im.blocks; slot += grid.x) {
    compress(im.first + slot, slot, id.x * SLOT_SEQUENCES);
  }
}
