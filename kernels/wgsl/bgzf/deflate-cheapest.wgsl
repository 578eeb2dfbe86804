//! needs: shared/bytes, bgzf/deflate-lengths, bgzf/deflate-slots, bgzf/deflate-codes, bgzf/deflate-header
//! needs: bgzf/deflate-prices, bgzf/deflate-bits, bgzf/deflate-frame
// Compresses BGZF blocks as level 6 does, each with one block of DEFLATE (RFC 1951) with dynamic codes, or stored:
// chooses literals and matches so that the block has few bits.
//   text, starts (block b is bytes starts[b] to starts[b + 1], 1 to 65,280 of them), crcs (CRC-32 of each block),
//   matches (longest-matches.wgsl; BLOCK_WORDS words for each block of this dispatch)
//     -> out (64 KiB for each block of this dispatch, from block `slot` on), sizes (bytes of each BGZF block, by b);
//   steps: scratch, BLOCK_WORDS words for each block.
// A workgroup has a block; each of its lanes has a segment. The grid has one dimension.
//   1. Symbols are counted as if each match were taken that is not followed by a longer one, and priced.
//   2. From the end of each segment, the cheapest way to the end is found for each position: a step of one literal, or
//      of the position's match or a slightly shorter one. What lies past a segment has the mean price.
//   3. Steps from the beginning of the block are followed. Each lane begins where the lane before it ends, which is
//      guessed first: steps from most positions soon meet. Symbols are counted.
//   4. One lane makes the codes; the size is known, and the block is stored if that is shorter.
//   5. Each lane writes its symbols, at the bit where those of the lane before it end.
// Measured on an H200, 29 November 2026: 134 MB of BAM in 13.1 ms, of which step 2 takes 4 and step 5 3.
// Reads may reach 12 bytes past the last block; what is there has no effect.
// Bytes moved per byte of text: about 16 read and 4 written, most of them in caches; and 1 per byte of output.

struct Immediates { first: u32, slot: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> crcs: array<u32>;
@group(0) @binding(3) var<storage, read> matches: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> steps: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> sizes: array<u32>;

const LANES = 128u;
const BLOCK_WORDS = 65536u;

/// Counting takes no match of 3 bytes from farther away: their prices would then be too low for all distances.
const NEAR = 1024u;
/// Lengths tried of a match that is not far: its own, and shorter ones. All would make files up to 0.2 % smaller.
const LENGTHS = 5u;

/// A step: the price of the way from there to the end of the segment, and the bytes it takes << STEP_SHIFT.
const STEP_SHIFT = 23u;
const PRICE_MASK = (1u << STEP_SHIFT) - 1u;
/// The price at the end of a segment, from which that of positions past it is subtracted. A segment of one lane would
/// have at most 65,280 * MOST_PRICE, which is more than fits: there are at least 2 lanes.
const END_PRICE = LONGEST_MATCH * MOST_PRICE;

/// The prices from the last positions of each lane's segment: those of the same lane are LANES words apart.
const RECENT = 16u;
var<workgroup> recent: array<u32, RECENT * LANES>;

var<workgroup> table: array<u32, LEAST_TABLE_WORDS>;
/// Where the steps of each lane end; later, the bits of its symbols.
var<workgroup> ends: array<u32, LANES>;
/// How many ends changed; the same for all lanes, and later whether the block has codes.
var<workgroup> changes: atomic<u32>;
var<workgroup> answer: u32;
var<workgroup> header_end: u32;

/// The first byte of the block and of its words in matches and steps; its bytes.
var<private> start: u32;
var<private> base: u32;
var<private> block_bytes: u32;

/// The word of `out` where this lane's symbols begin, and its bits there: other lanes have bits in it, too. NOWHERE: no
/// lane is before it.
const NOWHERE = 0xffffffffu;
var<private> first_word: u32;
var<private> first_bits: u32;

fn table_at(i: u32) -> u32 {
  return table[i];
}

fn set_table(i: u32, word: u32) {
  table[i] = word;
}

fn set_out(i: u32, word: u32) {
  if (i == first_word) {
    first_bits = word;
  } else {
    atomicStore(&out[i], word);
  }
}

fn text_byte(at: u32) -> u32 {
  let address = start + at;
  return (text[address >> 2u] >> ((address & 3u) * 8u)) & 255u;
}

/// The match of a position: length << 16 | distance; 0: none.
fn match_at(at: u32) -> u32 {
  if (at >= block_bytes) { return 0u; }
  return matches[(base + at) >> 2u][at & 3u];
}

fn word_of_step(at: u32) -> u32 {
  return steps[(base + at) >> 2u][at & 3u];
}

fn count_match(length: u32, distance: u32) {
  count_symbol(FIRST_LENGTH_SYMBOL + slot_of_length(length));
  count_symbol(FIRST_DISTANCE + slot_of_distance(distance));
}

/// Counts symbols in a segment for their prices.
fn count_roughly(begin: u32, end: u32) {
  var at = begin;
  var here = match_at(at);
  while (at < end) {
    let next = match_at(at + 1u);
    let length = here >> 16u;
    let distance = here & 0xffffu;
    if (length > SHORTEST_MATCH - 1u || (length == FIRST_LENGTH && distance <= NEAR)) {
      if ((next >> 16u) <= length) {
        count_match(length, distance);
        at += length;
        here = match_at(at);
        continue;
      }
    }
    count_symbol(text_byte(at));
    at++;
    here = next;
  }
}

/// The price of the way from a position; `mean` is the price of a byte, and `far` the position's step if it is far.
fn price_from(at: u32, end: u32, mean: u32, far: u32, is_far: bool, lane: u32) -> u32 {
  if (at >= end) { return END_PRICE - (at - end) * mean; }
  if (is_far) { return far & PRICE_MASK; }
  return recent[(at % RECENT) * LANES + lane];
}

/// The step where a position's match ends, if it is so far that `recent` does not have its price.
fn far_step(at: u32, here: u32, end: u32) -> u32 {
  let length = here >> 16u;
  if (length <= RECENT || at + length >= end) { return 0u; }
  return word_of_step(at + length);
}

/// Sets the steps of a segment, which begins at a multiple of 4 bytes.
fn find_steps(begin: u32, end: u32, mean: u32, lane: u32) {
  var after = END_PRICE;
  for (var four = select(begin, (end + 3u) & ~3u, begin < end); four > begin; ) {
    four -= 4u;
    var bytes = text_little(start + four);
    var here = matches[(base + four) >> 2u];
    // All at once: they are in memory.
    var far = vec4u(
      far_step(four, here.x, end), far_step(four + 1u, here.y, end),
      far_step(four + 2u, here.z, end), far_step(four + 3u, here.w, end));
    var found = vec4u();
    // The last position first; vectors are turned, so that it is in the same place.
    for (var at = four + 4u; at > four; ) {
      at--;
      var step = 1u;
      if (at < end) {
        var best = after + table[bytes >> 24u];
        if (here.w != 0u) {
          let longest = here.w >> 16u;
          let price = table[FIRST_DISTANCE + slot_of_distance(here.w & 0xffffu)];
          let is_far = longest > RECENT;
          var shortest = max(longest, FIRST_LENGTH + LENGTHS - 1u) - (LENGTHS - 1u);
          if (is_far) { shortest = longest; }
          for (var length = longest; length >= shortest; length--) {
            let symbol = FIRST_LENGTH_SYMBOL + slot_of_length(length);
            let whole = price_from(at + length, end, mean, far.w, is_far, lane) + price + table[symbol];
            if (whole < best) {
              best = whole;
              step = length;
            }
          }
        }
        after = best;
        recent[(at % RECENT) * LANES + lane] = best;
      }
      found = vec4u(after | (step << STEP_SHIFT), found.xyz);
      here = vec4u(0u, here.xyz);
      far = vec4u(0u, far.xyz);
      bytes <<= 8u;
    }
    steps[(base + four) >> 2u] = found;
  }
}

/// Follows the steps from a position to the first one that is not before `end`; returns it.
fn follow(first: u32, end: u32) -> u32 {
  var at = first;
  while (at < end) { at += word_of_step(at) >> STEP_SHIFT; }
  return at;
}

/// The same; counts symbols.
fn follow_counting(first: u32, end: u32) -> u32 {
  var at = first;
  while (at < end) {
    // Read before it is known which is needed.
    let step = word_of_step(at) >> STEP_SHIFT;
    let byte = text_byte(at);
    let distance = match_at(at) & 0xffffu;
    if (step == 1u) {
      count_symbol(byte);
    } else {
      count_match(step, distance);
    }
    at += step;
  }
  return at;
}

/// The bits of the symbols of the steps from a position to `end`.
fn measure(first: u32, end: u32) -> u32 {
  var bits = 0u;
  var at = first;
  while (at < end) {
    let step = word_of_step(at) >> STEP_SHIFT;
    let byte = text_byte(at);
    let distance = match_at(at) & 0xffffu;
    if (step == 1u) {
      bits += code_of(byte) & 15u;
    } else {
      let length_slot = slot_of_length(step);
      let distance_slot = slot_of_distance(distance);
      bits += (code_of(FIRST_LENGTH_SYMBOL + length_slot) & 15u) + extra_of_length(length_slot);
      bits += (code_of(FIRST_DISTANCE + distance_slot) & 15u) + extra_of_distance(distance_slot);
    }
    at += step;
  }
  return bits;
}

/// Writes the symbols of the steps from a position to `end`.
fn put_steps(first: u32, end: u32) {
  var at = first;
  while (at < end) {
    let step = word_of_step(at) >> STEP_SHIFT;
    let byte = text_byte(at);
    let distance = match_at(at) & 0xffffu;
    if (step == 1u) {
      put_code(code_of(byte));
    } else {
      let length_slot = slot_of_length(step);
      let distance_slot = slot_of_distance(distance);
      let length_extra = extra_of_length(length_slot);
      let distance_extra = extra_of_distance(distance_slot);
      let more = low_bits(step - FIRST_LENGTH, length_extra);
      // At most 15 + 5 bits and 15 + 13.
      put_extended(code_of(FIRST_LENGTH_SYMBOL + length_slot), more, length_extra);
      put_extended(code_of(FIRST_DISTANCE + distance_slot), low_bits(distance - 1u, distance_extra), distance_extra);
    }
    at += step;
  }
}

/// The extra bits of all lengths and distances counted.
fn extra_bits() -> u32 {
  var bits = 0u;
  for (var slot = 0u; slot <= LAST_LENGTH_SLOT; slot++) {
    bits += atomicLoad(&counts[FIRST_LENGTH_SYMBOL + slot]) * extra_of_length(slot);
  }
  for (var slot = 0u; slot < DISTANCES; slot++) {
    bits += atomicLoad(&counts[FIRST_DISTANCE + slot]) * extra_of_distance(slot);
  }
  return bits;
}

/// Makes codes, and writes the block up to the header of DEFLATE, or all of it if it is stored. For one lane. Returns
/// whether the block has codes.
fn begin_block(block: u32, slot: u32) -> u32 {
  count_symbol(END_SYMBOL);
  for (var code = 0u; code < CODE_COUNT; code++) {
    if (code == HEADER_CODE) { plan_items(); }
    set_bits(code);
  }
  let bits = BLOCK_HEADER_BITS + measure_header() + coded_bits(0u, SYMBOLS + DISTANCES) + extra_bits();
  let dynamic = (bits + 7u) / 8u;
  let stored = STORED_BYTES + block_bytes;
  let size = HEADER_BYTES + min(dynamic, stored) + TRAILER_BYTES;
  sizes[block] = size;
  write_header(size, slot);
  if (dynamic >= stored) {
    write_stored(start, block_bytes);
    write_trailer(crcs[block], block_bytes);
    return 0u;
  }
  for (var code = 0u; code < CODE_COUNT; code++) { set_codes(code); }
  put_bits(LAST_DYNAMIC, BLOCK_HEADER_BITS);
  put_header();
  header_end = out_word * 32u + waiting_bits;
  return 1u;
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let block = im.first + id.x;
  let slot = im.slot + id.x;
  start = starts[block];
  base = id.x * BLOCK_WORDS;
  block_bytes = starts[block + 1u] - start;
  let segment = (block_bytes / LANES + 4u) & ~3u;
  let begin = min(lane * segment, block_bytes);
  let end = min(begin + segment, block_bytes);
  let is_last = lane == LANES - 1u;

  for (var i = lane; i < ALL_SYMBOLS; i += LANES) { atomicStore(&counts[i], 0u); }
  workgroupBarrier();
  count_roughly(begin, end);
  workgroupBarrier();
  set_prices(lane, LANES);
  find_steps(begin, end, min(whole_price() / block_bytes, MOST_PRICE), lane);

  ends[lane] = follow(begin, end);
  var entry = 0u;
  loop {
    for (var i = lane; i < ALL_SYMBOLS; i += LANES) { atomicStore(&counts[i], 0u); }
    if (lane == 0u) { atomicStore(&changes, 0u); }
    workgroupBarrier();
    if (lane > 0u) { entry = ends[lane - 1u]; }
    let last = follow_counting(entry, end);
    workgroupBarrier();
    if (last != ends[lane]) {
      ends[lane] = last;
      atomicAdd(&changes, 1u);
    }
    workgroupBarrier();
    if (lane == 0u) { answer = atomicLoad(&changes); }
    if (workgroupUniformLoad(&answer) == 0u) { break; }
  }

  first_word = NOWHERE;
  if (lane == 0u) { answer = begin_block(block, slot); }
  if (workgroupUniformLoad(&answer) == 0u) { return; }
  ends[lane] = measure(entry, end);
  workgroupBarrier();
  var bit = header_end;
  for (var i = 0u; i < lane; i++) { bit += ends[i]; }
  if (lane > 0u) {
    open_bits(bit >> 5u);
    waiting_bits = bit & 31u;
    first_word = out_word;
    atomicStore(&out[first_word], 0u);
  }
  storageBarrier();
  put_steps(entry, end);
  if (is_last) {
    put_code(code_of(END_SYMBOL));
    end_byte();
    write_trailer(crcs[block], block_bytes);
  } else if (waiting_bits > 0u) {
    atomicOr(&out[out_word], waiting);
  }
  if (lane > 0u) { atomicOr(&out[first_word], first_bits); }
}
