//! needs: shared/launch, shared/thread-sums, keys/key-{KEY_WORDS}, keys/radix-sort/tile-{KEY_WORDS}
//! needs: keys/radix-sort/carry-{VALUES}, keys/radix-sort/sweep-{SWEEPS}
// Radix sort, scatter step of a pass, as scatter-subgroups.wgsl but without subgroups: workgroups of 256 threads match
// equal digits through a table of bits in workgroup memory.
//   keys[n], the inputs of sweep-{SWEEPS}.wgsl -> sorted_keys[n], and values likewise; one workgroup per block of
//   `block_tiles` tiles, which it takes in turn.
//   1. For each row of 256 adjacent keys, each thread sets its bit in its digit's row of the table. Its rank is the
//      number of lower bits plus the digit's count so far.
//      The first thread of each digit adds to the count and clears the bits.
//   2. Prefix sums of the counts over digits give the positions in the tile sorted by digit.
//   3. The keys go to these positions in workgroup memory, and from there to memory, coalesced; then the values.
// Bytes moved per key: the key read twice and its value once, both written once; 1 KiB per block of offsets, or 4 KiB
// per tile of the chain.
// Source: Merrill and Grimshaw 2010, section 3; matching by a table of bits: Adinets and Merrill: Onesweep, 2022,
// section 4.3. The host prepends ITEMS, keys per thread.

struct Immediates { n: u32, blocks: u32, block_tiles: u32, shift: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<Key>;

const RADIX = 256u;
const THREADS = 256u;
const TILE = THREADS * ITEMS;
const DIGITS = RADIX / THREADS;  // per thread
const WORDS = THREADS / 32u;  // of bits per digit

var<workgroup> matches: array<atomic<u32>, RADIX * WORDS>;
var<workgroup> counts: array<u32, RADIX>;
var<workgroup> targets: array<u32, RADIX>;  // where the tile's keys of a digit go, minus where they begin in the tile

fn spare(i: u32) -> u32 { return atomicLoad(&matches[i]); }
fn set_spare(i: u32, value: u32) { atomicStore(&matches[i], value); }
fn add_spare(i: u32, value: u32) { atomicAdd(&matches[i], value); }

fn code_at(i: u32) -> Key {
  if (i < im.n) { return encode_key(keys[i]); }
  return LAST_KEY;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let number = workgroup_number(id, grid);
  if (number >= im.blocks) { return; }
  let block = block_of(number, thread);
  var offset = block_offsets(block, thread);
  for (var w = 0u; w < WORDS; w++) { atomicStore(&matches[w * THREADS + thread], 0u); }

  for (var t = 0u; t < im.block_tiles; t++) {
    let base = (block * im.block_tiles + t) * TILE;
    if (base >= im.n) { break; }
    let count = min(im.n - base, TILE);
    counts[thread] = 0u;
    workgroupBarrier();

    var places: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
      let digit = digit_of(code_at(base + k * THREADS + thread));
      atomicOr(&matches[digit * WORDS + (thread >> 5u)], 1u << (thread & 31u));
      workgroupBarrier();
      var before = 0u;
      var all = 0u;
      for (var w = 0u; w < WORDS; w++) {
        let bits = atomicLoad(&matches[digit * WORDS + w]);
        all += countOneBits(bits);
        if (w < (thread >> 5u)) { before += countOneBits(bits); }
        if (w == (thread >> 5u)) { before += countOneBits(bits & ((1u << (thread & 31u)) - 1u)); }
      }
      places[k] = counts[digit] + before;
      workgroupBarrier();
      if (before == 0u) {
        counts[digit] += all;
        for (var w = 0u; w < WORDS; w++) { atomicStore(&matches[digit * WORDS + w], 0u); }
      }
      workgroupBarrier();
    }

    let total = counts[thread];
    publish_total(block, thread, total);
    let begin = thread_sums(thread, total).x;
    counts[thread] = begin;
    workgroupBarrier();

    for (var k = 0u; k < ITEMS; k++) {
      let code = code_at(base + k * THREADS + thread);
      places[k] += counts[digit_of(code)];
      put_code(places[k], code);
    }
    set_targets(block, thread, Digits(total), Digits(begin), &offset);
    var goals: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
      let i = k * THREADS + thread;
      let code = tile_code(i);
      goals[k] = targets[digit_of(code)] + i;
      if (i < count) { sorted_keys[goals[k]] = decode_key(code); }
    }
    workgroupBarrier();
    if (VALUES == 1u) {
      for (var k = 0u; k < ITEMS; k++) { tile_words[places[k]] = value_at(base + k * THREADS + thread); }
      workgroupBarrier();
      for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if (i < count) { write_value(goals[k], tile_words[i]); }
      }
      workgroupBarrier();
    }
  }
}
