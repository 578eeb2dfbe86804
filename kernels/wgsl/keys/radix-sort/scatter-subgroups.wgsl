//! needs: shared/launch, keys/key-{KEY_WORDS}, keys/radix-sort/code-{KEY_WORDS}, keys/radix-sort/carry-{VALUES}
//! needs: keys/radix-sort/match-{MATCH_WORDS}, keys/radix-sort/sweep-{SWEEPS}
// Radix sort, scatter step of a pass, with subgroups: moves every key (and value) to its place
// by one 8-bit digit; stable.
//   keys[n], the inputs of sweep-{SWEEPS}.wgsl -> sorted_keys[n], and values likewise; one workgroup per block of
//   `block_tiles` tiles, which it takes in turn.
//   1. A subgroup reads rows of adjacent keys; past the end, keys that come last. It counts their digits.
//   2. Prefix sums of the counts over digits and subgroups say where each subgroup's keys of a digit begin in the tile
//      sorted by digit. A tile's totals are known, and published, before its keys are ranked.
//   3. Row by row, the lanes with the same digit find each other; the first of them adds their number to the
//      subgroup's next position of the digit. So each lane knows the position of its key.
//   4. The keys go to these positions in workgroup memory word by word, then the values; so TILE words are enough for
//      keys of any size. They are written coalesced. sweep-{SWEEPS}.wgsl gives the target addresses.
// Bytes moved per key: the key and its value, read and written once each;
// 1 KiB per block of offsets, or 4 KiB per tile of the chain.
// The host prepends THREADS (of whole subgroups), FOURS (a thread has 4 * FOURS keys, at most 20) and SUBGROUPS, at
// least the number in a workgroup. Loops over keys are unrolled by hand to keep the keys in registers: compilers move
// an array that is indexed by a variable to memory, which halves the speed on an H200.
// Source: Merrill and Grimshaw 2010, section 3; ranking by matching lanes: Adinets and Merrill:
// Onesweep, 2022, section 4.3; counting before ranking: CUB's onesweep (radix rank with early counts).

struct Immediates { n: u32, blocks: u32, block_tiles: u32, shift: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<Key>;

const RADIX = 256u;
const ITEMS = 4u * FOURS;
const TILE = THREADS * ITEMS;
const DIGITS = (RADIX + THREADS - 1u) / THREADS;  // per thread, in sums

/// First the counts of each subgroup by digit, which become positions; then a word of each key of the tile.
var<workgroup> words: array<atomic<u32>, max(TILE, SUBGROUPS * RADIX)>;
var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> targets: array<u32, RADIX>;  // where the tile's keys of a digit go, minus where they begin in the tile

fn spare(i: u32) -> u32 { return atomicLoad(&words[i]); }
fn set_spare(i: u32, value: u32) { atomicStore(&words[i], value); }
fn add_spare(i: u32, value: u32) { atomicAdd(&words[i], value); }

/// The keys of a thread, and a word for each.
alias Four = array<Key, 4>;
struct Codes { a: Four, b: Four, c: Four, d: Four, e: Four }
struct Words { a: vec4u, b: vec4u, c: vec4u, d: vec4u, e: vec4u }

fn code_at(i: u32) -> Key {
  // No branch, so that loads overlap.
  return select(LAST_KEY, encode_key(keys[min(i, im.n - 1u)]), i < im.n);
}

fn four_at(i: u32, step: u32) -> Four {
  return Four(code_at(i), code_at(i + step), code_at(i + 2u * step), code_at(i + 3u * step));
}

/// The codes from key i on, a row of `size` keys apart.
fn codes_at(i: u32, size: u32) -> Codes {
  var codes: Codes;
  codes.a = four_at(i, size);
  if (FOURS > 1u) { codes.b = four_at(i + 4u * size, size); }
  if (FOURS > 2u) { codes.c = four_at(i + 8u * size, size); }
  if (FOURS > 3u) { codes.d = four_at(i + 12u * size, size); }
  if (FOURS > 4u) { codes.e = four_at(i + 16u * size, size); }
  return codes;
}

fn four_values_at(i: u32, step: u32) -> vec4u {
  return vec4u(value_at(i), value_at(i + step), value_at(i + 2u * step), value_at(i + 3u * step));
}

fn values_at(i: u32, size: u32) -> Words {
  var values: Words;
  values.a = four_values_at(i, size);
  if (FOURS > 1u) { values.b = four_values_at(i + 4u * size, size); }
  if (FOURS > 2u) { values.c = four_values_at(i + 8u * size, size); }
  if (FOURS > 3u) { values.d = four_values_at(i + 12u * size, size); }
  if (FOURS > 4u) { values.e = four_values_at(i + 16u * size, size); }
  return values;
}

fn count_four(codes: Four, row: u32) {
  atomicAdd(&words[row + digit_of(codes[0])], 1u);
  atomicAdd(&words[row + digit_of(codes[1])], 1u);
  atomicAdd(&words[row + digit_of(codes[2])], 1u);
  atomicAdd(&words[row + digit_of(codes[3])], 1u);
}

fn count_codes(codes: Codes, row: u32) {
  count_four(codes.a, row);
  if (FOURS > 1u) { count_four(codes.b, row); }
  if (FOURS > 2u) { count_four(codes.c, row); }
  if (FOURS > 3u) { count_four(codes.d, row); }
  if (FOURS > 4u) { count_four(codes.e, row); }
}

/// The position of this key in the tile; every lane must call it, and rows must be taken in order.
fn place_of(code: Key, row: u32, lane: u32, size: u32) -> u32 {
  let digit = digit_of(code);
  let peers = matching_lanes(digit);
  let rank = lanes_before(peers, lane);
  var begin = 0u;
  if (rank == 0u) { begin = atomicAdd(&words[row + digit], lane_count(peers, size)); }
  return subgroupShuffle(begin, first_lane(peers)) + rank;
}

fn four_places(codes: Four, row: u32, lane: u32, size: u32) -> vec4u {
  let first = place_of(codes[0], row, lane, size);
  let second = place_of(codes[1], row, lane, size);
  let third = place_of(codes[2], row, lane, size);
  return vec4u(first, second, third, place_of(codes[3], row, lane, size));
}

fn places_of(codes: Codes, row: u32, lane: u32, size: u32) -> Words {
  var places: Words;
  places.a = four_places(codes.a, row, lane, size);
  if (FOURS > 1u) { places.b = four_places(codes.b, row, lane, size); }
  if (FOURS > 2u) { places.c = four_places(codes.c, row, lane, size); }
  if (FOURS > 3u) { places.d = four_places(codes.d, row, lane, size); }
  if (FOURS > 4u) { places.e = four_places(codes.e, row, lane, size); }
  return places;
}

fn four_words(codes: Four, shift: u32) -> vec4u {
  return vec4u(key_bits(codes[0], shift), key_bits(codes[1], shift),
    key_bits(codes[2], shift), key_bits(codes[3], shift));
}

/// The word of each code that begins at bit `shift`.
fn words_of(codes: Codes, shift: u32) -> Words {
  return Words(four_words(codes.a, shift), four_words(codes.b, shift), four_words(codes.c, shift),
    four_words(codes.d, shift), four_words(codes.e, shift));
}

fn put_four(places: vec4u, four: vec4u) {
  atomicStore(&words[places.x], four.x);
  atomicStore(&words[places.y], four.y);
  atomicStore(&words[places.z], four.z);
  atomicStore(&words[places.w], four.w);
}

fn get_four(i: u32) -> vec4u {
  return vec4u(atomicLoad(&words[i]), atomicLoad(&words[i + THREADS]),
    atomicLoad(&words[i + 2u * THREADS]), atomicLoad(&words[i + 3u * THREADS]));
}

/// Brings a word of each key from the order of the input into that of the positions: thread t gets those of positions
/// t, t + THREADS, ... All threads call it.
fn moved(word: Words, places: Words, thread: u32) -> Words {
  put_four(places.a, word.a);
  if (FOURS > 1u) { put_four(places.b, word.b); }
  if (FOURS > 2u) { put_four(places.c, word.c); }
  if (FOURS > 3u) { put_four(places.d, word.d); }
  if (FOURS > 4u) { put_four(places.e, word.e); }
  workgroupBarrier();
  var got: Words;
  got.a = get_four(thread);
  if (FOURS > 1u) { got.b = get_four(thread + 4u * THREADS); }
  if (FOURS > 2u) { got.c = get_four(thread + 8u * THREADS); }
  if (FOURS > 3u) { got.d = get_four(thread + 12u * THREADS); }
  if (FOURS > 4u) { got.e = get_four(thread + 16u * THREADS); }
  workgroupBarrier();
  return got;
}

/// Where key `code`, the tile's ith, goes.
fn goal_of(i: u32, code: Key) -> u32 { return targets[digit_of(code)] + i; }

/// Writes the four keys of positions i, i + THREADS, ..., given by their words; returns where to.
fn write_four(i: u32, count: u32, w0: vec4u, w1: vec4u, w2: vec4u, w3: vec4u) -> vec4u {
  let codes = Four(code_of(w0.x, w1.x, w2.x, w3.x), code_of(w0.y, w1.y, w2.y, w3.y),
    code_of(w0.z, w1.z, w2.z, w3.z), code_of(w0.w, w1.w, w2.w, w3.w));
  let goals = vec4u(goal_of(i, codes[0]), goal_of(i + THREADS, codes[1]),
    goal_of(i + 2u * THREADS, codes[2]), goal_of(i + 3u * THREADS, codes[3]));
  if (i < count) { sorted_keys[goals.x] = decode_key(codes[0]); }
  if (i + THREADS < count) { sorted_keys[goals.y] = decode_key(codes[1]); }
  if (i + 2u * THREADS < count) { sorted_keys[goals.z] = decode_key(codes[2]); }
  if (i + 3u * THREADS < count) { sorted_keys[goals.w] = decode_key(codes[3]); }
  return goals;
}

fn write_keys(thread: u32, count: u32, w0: Words, w1: Words, w2: Words, w3: Words) -> Words {
  var goals: Words;
  goals.a = write_four(thread, count, w0.a, w1.a, w2.a, w3.a);
  if (FOURS > 1u) { goals.b = write_four(thread + 4u * THREADS, count, w0.b, w1.b, w2.b, w3.b); }
  if (FOURS > 2u) { goals.c = write_four(thread + 8u * THREADS, count, w0.c, w1.c, w2.c, w3.c); }
  if (FOURS > 3u) { goals.d = write_four(thread + 12u * THREADS, count, w0.d, w1.d, w2.d, w3.d); }
  if (FOURS > 4u) { goals.e = write_four(thread + 16u * THREADS, count, w0.e, w1.e, w2.e, w3.e); }
  return goals;
}

fn write_four_values(i: u32, count: u32, goals: vec4u, values: vec4u) {
  if (i < count) { write_value(goals.x, values.x); }
  if (i + THREADS < count) { write_value(goals.y, values.y); }
  if (i + 2u * THREADS < count) { write_value(goals.z, values.z); }
  if (i + 3u * THREADS < count) { write_value(goals.w, values.w); }
}

fn write_values(thread: u32, count: u32, goals: Words, values: Words) {
  write_four_values(thread, count, goals.a, values.a);
  if (FOURS > 1u) { write_four_values(thread + 4u * THREADS, count, goals.b, values.b); }
  if (FOURS > 2u) { write_four_values(thread + 8u * THREADS, count, goals.c, values.c); }
  if (FOURS > 3u) { write_four_values(thread + 12u * THREADS, count, goals.d, values.d); }
  if (FOURS > 4u) { write_four_values(thread + 16u * THREADS, count, goals.e, values.e); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(subgroup_id) subgroup: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_size) size: u32) {
  let number = workgroup_number(id, grid);
  if (number >= im.blocks) { return; }
  // Sums use this order of threads; WGSL does not promise that local_invocation_index has the same.
  let thread = subgroup * size + lane;
  let row = subgroup * RADIX;
  let first = subgroup * size * ITEMS + lane;
  let block = block_of(number, thread);
  var offset = block_offsets(block, thread);

  for (var t = 0u; t < im.block_tiles; t++) {
    let base = (block * im.block_tiles + t) * TILE;
    if (base >= im.n) { break; }
    let count = min(im.n - base, TILE);
    let codes = codes_at(base + first, size);
    for (var i = thread; i < SUBGROUPS * RADIX; i += THREADS) { atomicStore(&words[i], 0u); }
    workgroupBarrier();
    count_codes(codes, row);
    var values: Words;
    // Early, so that the loads overlap with the wait for other tiles.
    if (VALUES == 1u) { values = values_at(base + first, size); }
    workgroupBarrier();

    // For each digit: its total, then how many keys precede its keys, by digit and then by subgroup.
    var totals: Digits;
    var total = 0u;
    for (var d = 0u; d < DIGITS; d++) {
      let digit = thread * DIGITS + d;
      totals[d] = 0u;
      if (digit < RADIX) {
        for (var s = 0u; s < SUBGROUPS; s++) { totals[d] += atomicLoad(&words[s * RADIX + digit]); }
        publish_total(block, digit, totals[d]);
      }
      total += totals[d];
    }
    var begin = subgroupExclusiveAdd(total);
    if (lane == size - 1u) { sums[subgroup] = begin + total; }
    workgroupBarrier();
    for (var s = 0u; s < SUBGROUPS; s++) { if (s < subgroup) { begin += sums[s]; } }
    var begins_here: Digits;
    for (var d = 0u; d < DIGITS; d++) {
      let digit = thread * DIGITS + d;
      begins_here[d] = begin;
      if (digit < RADIX) {
        for (var s = 0u; s < SUBGROUPS; s++) {
          let here = atomicLoad(&words[s * RADIX + digit]);
          atomicStore(&words[s * RADIX + digit], begin);
          begin += here;
        }
      }
    }
    workgroupBarrier();

    let places = places_of(codes, row, lane, size);
    // After this no subgroup needs its positions any more: the memory is free for words.
    set_targets(block, thread, totals, begins_here, &offset);
    let w0 = moved(words_of(codes, 0u), places, thread);
    var w1 = w0;
    var w2 = w0;
    var w3 = w0;
    if (KEY_WORDS > 1u) { w1 = moved(words_of(codes, 32u), places, thread); }
    if (KEY_WORDS > 2u) {
      w2 = moved(words_of(codes, 64u), places, thread);
      w3 = moved(words_of(codes, 96u), places, thread);
    }
    let goals = write_keys(thread, count, w0, w1, w2, w3);
    if (VALUES == 1u) { write_values(thread, count, goals, moved(values, places, thread)); }
  }
}
