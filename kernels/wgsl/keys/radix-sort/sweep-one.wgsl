// Where a tile's keys go by digit, in one sweep per pass (onesweep). sweep-two.wgsl lists what a kernel must
// declare. Tiles publish their digit counts in a chain of RADIX words per tile; a block is one tile. A word is a key
// count times 4 plus a flag: NOTHING yet, the tile's own keys (OWN), or all keys up to the tile's end, smaller digits
// included (ALL). A tile adds the words before its own, back to the first ALL.
//   begins[256 * digits] (radix-sort/digit-begins.wgsl), chain[256 * tiles] zeros
//   -> next_chain[256 * tiles] zeros for the next pass
// WebGPU does not promise that a tile others wait for makes progress. So a workgroup that has waited SPINS rounds
// counts that tile's keys itself. Count and flag share one atomic word because nothing orders two.
// Workgroup i takes tile i. On all devices this file is chosen for, workgroups start in order;
// a tile out of order is late.
// The host prepends LOOKS, words examined at once, at most 4; SPINS; and STALL, for tests of late tiles: every STALLth
// tile publishes nothing (0: none).
// Source: Merrill and Garland: Single-pass parallel prefix scan with decoupled look-back, 2016, section 4; by digit:
// Adinets and Merrill: Onesweep, 2022; late tiles: Smith, Levien, Owens: Decoupled fallback, 2025.

@group(0) @binding(2) var<storage, read> begins: array<u32>;
@group(0) @binding(3) var<storage, read_write> chain: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> next_chain: array<u32>;
const VALUES_BINDING = 5u;

const NOTHING = 0u;
const OWN = 1u;
const ALL = 2u;
const DONE = 0xffffffffu;  // in place of a number of tiles

alias Digits = array<u32, DIGITS>;

var<workgroup> late: atomic<u32>;  // the last tile a thread waits for, from 1; 0: none

/// Digits begin at multiples of 8 bits.
fn digit_of(code: Key) -> u32 { return key_byte(code, im.shift); }

/// The tile of a workgroup. All threads call it.
fn block_of(number: u32, thread: u32) -> u32 {
  if (thread == 0u) { atomicStore(&late, 0u); }
  for (var i = thread; i < RADIX; i += THREADS) { next_chain[number * RADIX + i] = 0u; }
  return number;
}

/// Unknown until the tile's keys are counted.
fn block_offsets(block: u32, thread: u32) -> Digits { return Digits(); }

/// The chain word of a tile with `count` keys of the digit, before any look-back.
fn own_word(tile: u32, digit: u32, count: u32) -> u32 {
  if (tile == 0u) { return ((begins[(im.shift >> 3u) * RADIX + digit] + count) << 2u) | ALL; }
  return (count << 2u) | OWN;
}

fn stalls(tile: u32) -> bool { return STALL > 0u && (tile + 1u) % max(STALL, 1u) == 0u; }

/// Publishes a tile's key count of a digit.
fn publish_total(block: u32, digit: u32, total: u32) {
  if (!stalls(block)) { atomicStore(&chain[block * RADIX + digit], own_word(block, digit, total)); }
}

/// A look-back in progress: the keys of a digit before the tile's, but for the first `tiles` tiles (DONE: settled).
struct Look { before: u32, tiles: u32 }

/// The word of the kth tile before tile `tiles`, k from 1. There is none before the first tile's, which is ALL.
fn word_before(tiles: u32, k: u32, digit: u32) -> u32 {
  if (k > LOOKS) { return NOTHING; }
  return atomicLoad(&chain[(max(tiles, k) - k) * RADIX + digit]);
}

/// Adds the word of tile `tiles` - 1. Does nothing if the look-back stopped at a later tile, whose word was NOTHING.
fn look_at(look: Look, tiles: u32, word: u32) -> Look {
  if (look.tiles != tiles || (word & 3u) == NOTHING) { return look; }
  return Look(look.before + (word >> 2u), select(tiles - 1u, 0u, (word & 3u) == ALL));
}

/// Walks back along the chain until all is added (`tiles` is 0) or a word was NOTHING for SPINS rounds.
fn look_back(begin: Look, digit: u32) -> Look {
  var look = begin;
  var spins = 0u;
  while (look.tiles > 0u && spins <= SPINS) {
    let tiles = look.tiles;
    let first = word_before(tiles, 1u, digit);
    let second = word_before(tiles, 2u, digit);
    let third = word_before(tiles, 3u, digit);
    let fourth = word_before(tiles, 4u, digit);
    look = look_at(look, tiles, first);
    if (look.tiles > 0u) { look = look_at(look, tiles - 1u, second); }
    if (look.tiles > 0u) { look = look_at(look, tiles - 2u, third); }
    if (look.tiles > 0u) { look = look_at(look, tiles - 3u, fourth); }
    spins = select(0u, spins + 1u, look.tiles == tiles);
  }
  return look;
}

/// Counts and publishes the keys of a late tile. It is not the last tile, so it is full.
fn count_late(tile: u32, thread: u32) {
  for (var i = thread; i < RADIX; i += THREADS) { set_spare(i, 0u); }
  if (thread == 0u) { atomicStore(&late, 0u); }
  workgroupBarrier();
  for (var i = thread; i < TILE; i += THREADS) { add_spare(digit_of(encode_key(keys[tile * TILE + i])), 1u); }
  workgroupBarrier();
  for (var d = 0u; d < DIGITS; d++) {
    let digit = thread * DIGITS + d;
    // If the tile has published in the meantime, the larger word is the one with more information.
    if (digit < RADIX) { atomicMax(&chain[tile * RADIX + digit], own_word(tile, digit, spare(digit))); }
  }
}

/// Sets the targets of the thread's digits. The tile has `totals` keys of each, which begin at `places` in the tile.
/// All threads call it; none returns before all targets are set.
fn set_targets(block: u32, thread: u32, totals: Digits, places: Digits, unused: ptr<function, Digits>) {
  var looks: array<Look, DIGITS>;
  for (var d = 0u; d < DIGITS; d++) {
    looks[d] = Look(0u, block);
    if (block == 0u && thread * DIGITS + d < RADIX) {
      looks[d].before = begins[(im.shift >> 3u) * RADIX + thread * DIGITS + d];
    }
  }
  loop {
    for (var d = 0u; d < DIGITS; d++) {
      let digit = thread * DIGITS + d;
      if (digit >= RADIX || looks[d].tiles == DONE) { continue; }
      let look = look_back(looks[d], digit);
      looks[d] = look;
      if (look.tiles > 0u) {
        atomicMax(&late, look.tiles);
        continue;
      }
      looks[d].tiles = DONE;
      targets[digit] = look.before - places[d];
      if (!stalls(block)) { atomicStore(&chain[block * RADIX + digit], ((look.before + totals[d]) << 2u) | ALL); }
    }
    let waited_for = workgroupUniformLoad(&late);
    if (waited_for == 0u) { break; }
    count_late(waited_for - 1u, thread);
  }
}
