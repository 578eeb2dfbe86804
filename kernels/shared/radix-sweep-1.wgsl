// Where a tile's keys go by digit, in one sweep a pass: as radix-sweep-2.wgsl, which says what a kernel must have, but tiles tell each other how
// many keys they have, in a chain of RADIX words a tile. A word is a number of keys times 4, and below it what it counts: NOTHING yet, the tile's
// own keys (OWN), or all up to the tile's end, those of smaller digits included (ALL). A tile adds up the words before its own, back to the first
// that counts all. A block is one tile.
// Source: Merrill and Garland: Single-pass parallel prefix scan with decoupled look-back, 2016, section 4; by digit: Adinets and Merrill:
// Onesweep, 2022. WebGPU does not promise that a tile which others wait for makes progress, so who has waited for SPINS rounds counts the
// keys of that tile itself (Smith, Levien, Owens: Decoupled fallback, 2025). Word and flag are one atomic, as nothing orders two.
//   begins[256 * digits] (digit-begins.wgsl), chain[256 * tiles] zeros -> next_chain[256 * tiles] zeros for the pass that comes next
// Workgroups take the tile of their number; those of smaller numbers have begun before them on all devices that this is chosen for, else they are late.
// The host prepends LOOKS, words that are looked at together, at most 4; SPINS; and, so that tests meet tiles that are late, STALL: every
// STALLth tile tells nothing (0: none).

@group(0) @binding(2) var<storage, read> begins: array<u32>;
@group(0) @binding(3) var<storage, read_write> chain: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> next_chain: array<u32>;
const VALUES_BINDING = 5u;

const NOTHING = 0u;
const OWN = 1u;
const ALL = 2u;
const DONE = 0xffffffffu;  // in the place of a number of tiles

alias Digits = array<u32, DIGITS>;

var<workgroup> late: atomic<u32>;  // the last tile that a thread waits for, from 1 on; 0: none

/// Digits lie at multiples of 8 bits.
fn digit_of(code: Key) -> u32 { return key_byte(code, im.shift); }

/// Which tile a workgroup takes. All threads call it.
fn block_of(number: u32, thread: u32) -> u32 {
  if (thread == 0u) { atomicStore(&late, 0u); }
  for (var i = thread; i < RADIX; i += THREADS) { next_chain[number * RADIX + i] = 0u; }
  return number;
}

/// They are not known before the tile's keys are counted.
fn block_offsets(block: u32, thread: u32) -> Digits { return Digits(); }

/// The word of a tile that has `count` keys of the digit, as far as they tell.
fn own_word(tile: u32, digit: u32, count: u32) -> u32 {
  if (tile == 0u) { return ((begins[(im.shift >> 3u) * RADIX + digit] + count) << 2u) | ALL; }
  return (count << 2u) | OWN;
}

fn stalls(tile: u32) -> bool { return STALL > 0u && (tile + 1u) % max(STALL, 1u) == 0u; }

/// Tells other workgroups how many keys of a digit the tile has.
fn tell_total(block: u32, digit: u32, total: u32) {
  if (!stalls(block)) { atomicStore(&chain[block * RADIX + digit], own_word(block, digit, total)); }
}

/// What a thread knows of a digit: how many keys go before the tile's, but for those of the first `tiles` tiles (DONE: settled).
struct Look { before: u32, tiles: u32 }

/// The word of the kth tile before the first `tiles`, from 1 on. There is none before the first tile's, which counts all.
fn word_before(tiles: u32, k: u32, digit: u32) -> u32 {
  if (k > LOOKS) { return NOTHING; }
  return atomicLoad(&chain[(max(tiles, k) - k) * RADIX + digit]);
}

/// Adds the word of the tile that `look` is at, which is not `tiles` any more where a word before told nothing.
fn look_at(look: Look, tiles: u32, word: u32) -> Look {
  if (look.tiles != tiles || (word & 3u) == NOTHING) { return look; }
  return Look(look.before + (word >> 2u), select(tiles - 1u, 0u, (word & 3u) == ALL));
}

/// Goes back over the chain until all is added (`tiles` is 0) or a word has told nothing in SPINS rounds.
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

/// Counts the keys of another tile and tells them. It is not the last one, so it is full.
fn count_late(tile: u32, thread: u32) {
  for (var i = thread; i < RADIX; i += THREADS) { set_spare(i, 0u); }
  if (thread == 0u) { atomicStore(&late, 0u); }
  workgroupBarrier();
  for (var i = thread; i < TILE; i += THREADS) { add_spare(digit_of(encode_key(keys[tile * TILE + i])), 1u); }
  workgroupBarrier();
  for (var d = 0u; d < DIGITS; d++) {
    let digit = thread * DIGITS + d;
    // The larger word is the one that tells more, if the tile has told it in the meantime.
    if (digit < RADIX) { atomicMax(&chain[tile * RADIX + digit], own_word(tile, digit, spare(digit))); }
  }
}

/// Sets the targets of the thread's digits, of which the tile has `totals`, beginning at `places` in the tile. All threads call it; none is past
/// it before all targets are set.
fn set_targets(block: u32, thread: u32, totals: Digits, places: Digits, unused: ptr<function, Digits>) {
  var looks: array<Look, DIGITS>;
  for (var d = 0u; d < DIGITS; d++) {
    looks[d] = Look(0u, block);
    if (block == 0u && thread * DIGITS + d < RADIX) { looks[d].before = begins[(im.shift >> 3u) * RADIX + thread * DIGITS + d]; }
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
