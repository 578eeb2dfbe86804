//! needs: shared/launch, keys/key-{KEY_WORDS}, keys/radix-sort/tile-{KEY_WORDS}, keys/radix-sort/carry-{VALUES}
//! needs: keys/radix-sort/match-{MATCH_WORDS}, keys/radix-sort/sweep-{SWEEPS}
// Radix sort, scatter step of a pass, with subgroups: moves every key (and value) to its place
// by one 8-bit digit; stable.
//   keys[n], the inputs of sweep-{SWEEPS}.wgsl -> sorted_keys[n], and values likewise; one workgroup per block of
//   `block_tiles` tiles, which it takes in turn.
//   1. A subgroup reads rows of adjacent keys; past the end, keys that come last.
//   2. Row by row, the lanes with the same digit find each other; the first of them adds their number to the subgroup's
//      count of the digit. So each lane knows how many keys of its digit precede its own in the subgroup.
//   3. Prefix sums of the counts over digits and subgroups give the positions in the tile sorted by digit.
//   4. The keys go to these positions in workgroup memory, and from there to memory, coalesced; then the values,
//      through the same workgroup memory. sweep-{SWEEPS}.wgsl gives the target addresses.
// Bytes moved per key: the key and its value, read and written once each;
// 1 KiB per block of offsets, or 4 KiB per tile of the chain.
// The host prepends THREADS (of whole subgroups), FOURS (a thread has 4 * FOURS keys, at most 16) and SUBGROUPS, at
// least the number in a workgroup. Loops over keys are unrolled by hand to keep the keys in registers: compilers move
// an array that is indexed by a variable to memory, which halves the speed on an H200.
// Source: Merrill and Grimshaw 2010, section 3; ranking by matching lanes: Adinets and Merrill:
// Onesweep, 2022, section 4.3.

struct Immediates { n: u32, blocks: u32, block_tiles: u32, shift: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<Key>;

const RADIX = 256u;
const ITEMS = 4u * FOURS;
const TILE = THREADS * ITEMS;
const DIGITS = (RADIX + THREADS - 1u) / THREADS;  // per thread, in sums

var<workgroup> counts: array<atomic<u32>, SUBGROUPS * RADIX>;
var<workgroup> sums: array<u32, SUBGROUPS>;
var<workgroup> targets: array<u32, RADIX>;  // where the tile's keys of a digit go, minus where they begin in the tile

alias Codes = array<Key, 4>;

fn spare(i: u32) -> u32 { return atomicLoad(&counts[i]); }
fn set_spare(i: u32, value: u32) { atomicStore(&counts[i], value); }
fn add_spare(i: u32, value: u32) { atomicAdd(&counts[i], value); }

fn code_at(i: u32) -> Key {
  // No branch, so that loads overlap.
  return select(LAST_KEY, encode_key(keys[min(i, im.n - 1u)]), i < im.n);
}

fn codes_at(i: u32, step: u32) -> Codes {
  return Codes(code_at(i), code_at(i + step), code_at(i + 2u * step), code_at(i + 3u * step));
}

/// How many keys of the digit precede this one in the subgroup, earlier rows included; every lane must call it.
fn rank_of(code: Key, row: u32, lane: u32, size: u32) -> u32 {
  let digit = digit_of(code);
  let peers = matching_lanes(digit);
  let rank = lanes_before(peers, lane);
  var before = 0u;
  if (rank == 0u) { before = atomicAdd(&counts[row + digit], lane_count(peers, size)); }
  return subgroupShuffle(before, first_lane(peers)) + rank;
}

fn ranks_of(codes: Codes, row: u32, lane: u32, size: u32) -> vec4u {
  let first = rank_of(codes[0], row, lane, size);
  let second = rank_of(codes[1], row, lane, size);
  let third = rank_of(codes[2], row, lane, size);
  return vec4u(first, second, third, rank_of(codes[3], row, lane, size));
}

fn begin_of(code: Key, row: u32) -> u32 { return atomicLoad(&counts[row + digit_of(code)]); }

/// Puts four keys in their positions in the tile; returns those.
fn place_codes(codes: Codes, ranks: vec4u, row: u32) -> vec4u {
  let places = ranks +
    vec4u(begin_of(codes[0], row), begin_of(codes[1], row), begin_of(codes[2], row), begin_of(codes[3], row));
  put_code(places.x, codes[0]);
  put_code(places.y, codes[1]);
  put_code(places.z, codes[2]);
  put_code(places.w, codes[3]);
  return places;
}

/// Where key `code`, the tile's ith, goes.
fn goal_of(i: u32, code: Key) -> u32 { return targets[digit_of(code)] + i; }

/// Writes four keys of the tile, THREADS apart; returns where to.
fn write_codes(i: u32, count: u32) -> vec4u {
  let codes = Codes(tile_code(i), tile_code(i + THREADS), tile_code(i + 2u * THREADS), tile_code(i + 3u * THREADS));
  let goals = vec4u(goal_of(i, codes[0]), goal_of(i + THREADS, codes[1]),
    goal_of(i + 2u * THREADS, codes[2]), goal_of(i + 3u * THREADS, codes[3]));
  if (i < count) { sorted_keys[goals.x] = decode_key(codes[0]); }
  if (i + THREADS < count) { sorted_keys[goals.y] = decode_key(codes[1]); }
  if (i + 2u * THREADS < count) { sorted_keys[goals.z] = decode_key(codes[2]); }
  if (i + 3u * THREADS < count) { sorted_keys[goals.w] = decode_key(codes[3]); }
  return goals;
}

fn values_at(i: u32, step: u32) -> vec4u {
  return vec4u(value_at(i), value_at(i + step), value_at(i + 2u * step), value_at(i + 3u * step));
}

fn place_values(places: vec4u, values: vec4u) {
  place_value(places.x, values.x);
  place_value(places.y, values.y);
  place_value(places.z, values.z);
  place_value(places.w, values.w);
}

fn write_values(i: u32, count: u32, goals: vec4u) {
  let values = vec4u(placed_value(i), placed_value(i + THREADS),
    placed_value(i + 2u * THREADS), placed_value(i + 3u * THREADS));
  if (i < count) { write_value(goals.x, values.x); }
  if (i + THREADS < count) { write_value(goals.y, values.y); }
  if (i + 2u * THREADS < count) { write_value(goals.z, values.z); }
  if (i + 3u * THREADS < count) { write_value(goals.w, values.w); }
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
    let begin_row = base + first;
    let codes0 = codes_at(begin_row, size);
    var codes1 = codes0;
    var codes2 = codes0;
    var codes3 = codes0;
    if (FOURS > 1u) { codes1 = codes_at(begin_row + 4u * size, size); }
    if (FOURS > 2u) { codes2 = codes_at(begin_row + 8u * size, size); }
    if (FOURS > 3u) { codes3 = codes_at(begin_row + 12u * size, size); }
    for (var i = thread; i < SUBGROUPS * RADIX; i += THREADS) { atomicStore(&counts[i], 0u); }
    workgroupBarrier();

    var places0 = ranks_of(codes0, row, lane, size);
    var places1 = places0;
    var places2 = places0;
    var places3 = places0;
    if (FOURS > 1u) { places1 = ranks_of(codes1, row, lane, size); }
    if (FOURS > 2u) { places2 = ranks_of(codes2, row, lane, size); }
    if (FOURS > 3u) { places3 = ranks_of(codes3, row, lane, size); }
    var values0 = vec4u();
    var values1 = values0;
    var values2 = values0;
    var values3 = values0;
    if (VALUES == 1u) {
      // Early, so that the loads overlap with the wait for other tiles.
      values0 = values_at(begin_row, size);
      if (FOURS > 1u) { values1 = values_at(begin_row + 4u * size, size); }
      if (FOURS > 2u) { values2 = values_at(begin_row + 8u * size, size); }
      if (FOURS > 3u) { values3 = values_at(begin_row + 12u * size, size); }
    }
    workgroupBarrier();

    // For each digit: its total, then how many keys precede its keys, by digit and then by subgroup.
    var totals: Digits;
    var total = 0u;
    for (var d = 0u; d < DIGITS; d++) {
      let digit = thread * DIGITS + d;
      totals[d] = 0u;
      if (digit < RADIX) {
        for (var s = 0u; s < SUBGROUPS; s++) { totals[d] += atomicLoad(&counts[s * RADIX + digit]); }
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
          let here = atomicLoad(&counts[s * RADIX + digit]);
          atomicStore(&counts[s * RADIX + digit], begin);
          begin += here;
        }
      }
    }
    workgroupBarrier();

    places0 = place_codes(codes0, places0, row);
    if (FOURS > 1u) { places1 = place_codes(codes1, places1, row); }
    if (FOURS > 2u) { places2 = place_codes(codes2, places2, row); }
    if (FOURS > 3u) { places3 = place_codes(codes3, places3, row); }
    set_targets(block, thread, totals, begins_here, &offset);
    let goals0 = write_codes(thread, count);
    var goals1 = goals0;
    var goals2 = goals0;
    var goals3 = goals0;
    if (FOURS > 1u) { goals1 = write_codes(thread + 4u * THREADS, count); }
    if (FOURS > 2u) { goals2 = write_codes(thread + 8u * THREADS, count); }
    if (FOURS > 3u) { goals3 = write_codes(thread + 12u * THREADS, count); }
    workgroupBarrier();

    if (VALUES == 1u) {
      place_values(places0, values0);
      if (FOURS > 1u) { place_values(places1, values1); }
      if (FOURS > 2u) { place_values(places2, values2); }
      if (FOURS > 3u) { place_values(places3, values3); }
      workgroupBarrier();
      write_values(thread, count, goals0);
      if (FOURS > 1u) { write_values(thread + 4u * THREADS, count, goals1); }
      if (FOURS > 2u) { write_values(thread + 8u * THREADS, count, goals2); }
      if (FOURS > 3u) { write_values(thread + 12u * THREADS, count, goals3); }
      workgroupBarrier();
    }
  }
}
