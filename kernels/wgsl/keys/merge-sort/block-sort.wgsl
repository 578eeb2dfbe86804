//! needs: shared/launch, keys/sort-eight-{NETWORK}, keys/values-{VALUES}, keys/merge-steps
// Block sort: sorts each block of THREADS * PER_THREAD fixed keys, and their values, stably.
//   keys[n], values[n] -> sorted_keys[n], sorted_values[n];
//   one workgroup of THREADS per block, from block `first_block`.
//   1. The workgroup reads the block into workgroup memory, with four loads of a thread in flight, padded with keys
//      that come last.
//   2. Each thread sorts eight adjacent keys at a time in registers, by a network that is stable if they have values.
//   3. Adjacent runs are merged, 8 and 8, 16 and 16, ..., from one half of the workgroup memory to the other, stably.
//      Each thread finds where its PER_THREAD outputs begin by binary search and makes them one by one. With values,
//      each key carries its original position in the block, two in a word.
//   4. The block is written coalesced, with the values from those positions.
// Bytes moved per key: its size (and the value's) read and written once.
// The host prepends `const THREADS`, a power of two, and `const PER_THREAD`, 8 or 16: at most what the first merges
// make of a pair.
// Source: Davidson et al. 2012, section 3, block sort.

const BLOCK = THREADS * PER_THREAD;
const VALUES_BINDING = 2u;
const TILE_VALUES = BLOCK;  // words of two positions, for both halves
const RUN = 8u;             // keys a thread sorts in registers

struct Immediates { n: u32, blocks: u32, first_block: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<Key>;

alias Item = Key;

var<workgroup> block_keys: array<Key, 2u * BLOCK>;

/// XORed with a key's position: spreads the keys that threads access at once over different banks.
fn key_turn(i: u32) -> u32 {
  return (i >> (5u - (KEY_WORDS >> 1u))) & (PER_THREAD - 1u);
}

// The masks are in the array accesses, so that the compiler sees that no index needs clamping.
fn tile_item(i: u32) -> Item { return block_keys[(i ^ key_turn(i)) & (2u * BLOCK - 1u)]; }
fn put_key(i: u32, key: Key) { block_keys[(i ^ key_turn(i)) & (2u * BLOCK - 1u)] = key; }
fn item_before(y: Item, j: u32, x: Item, i: u32) -> bool { return key_before(y, x); }

/// The slot of a word of two positions, spread in the same way.
fn place_slot(word: u32) -> u32 {
  return word ^ ((word >> 5u) & (PER_THREAD / 2u - 1u));
}

/// The original position in the block of key i.
fn place_of(i: u32) -> u32 {
  return (tile_value(place_slot(i >> 1u)) >> ((i & 1u) << 4u)) & 0xffffu;
}

/// Key i of the input block, with its position as value.
fn pair_at(i: u32) -> Pair {
  return Pair(tile_item(i), i);
}

/// Writes two adjacent pairs, the first at an even position.
fn put_two(i: u32, x: Pair, y: Pair) {
  put_key(i, x.key);
  put_key(i + 1u, y.key);
  put_tile_value(place_slot(i >> 1u), x.value | (y.value << 16u));
}

fn sort_run(first: u32) {
  let run = sorted_eight(Eight(pair_at(first), pair_at(first + 1u), pair_at(first + 2u), pair_at(first + 3u),
    pair_at(first + 4u), pair_at(first + 5u), pair_at(first + 6u), pair_at(first + 7u)), 0u);
  put_two(first, run.p0, run.p1);
  put_two(first + 2u, run.p2, run.p3);
  put_two(first + 4u, run.p4, run.p5);
  put_two(first + 6u, run.p6, run.p7);
}

/// The next output of a merge.
fn take(m: ptr<function, Merge>) -> Pair {
  let before = *m;
  let from_a = merge_step(m);
  return Pair(select(before.y, before.x, from_a), place_of(select(before.b, before.a, from_a)));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = im.first_block + workgroup_number(id, grid);
  if (block >= im.blocks) { return; }
  let base = block * BLOCK;
  let last = min(BLOCK, im.n - base) - 1u;
  for (var k = 0u; k < PER_THREAD / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let key0 = keys[base + min(i, last)];
    let key1 = keys[base + min(i + THREADS, last)];
    let key2 = keys[base + min(i + 2u * THREADS, last)];
    let key3 = keys[base + min(i + 3u * THREADS, last)];
    put_input(i, last, key0);
    put_input(i + THREADS, last, key1);
    put_input(i + 2u * THREADS, last, key2);
    put_input(i + 3u * THREADS, last, key3);
  }
  workgroupBarrier();

  let first = thread * PER_THREAD;
  // No barrier: only this thread reads the keys it sorts.
  for (var k = 0u; k < PER_THREAD / RUN; k++) { sort_run(first + k * RUN); }

  var half = 0u;
  for (var width = RUN; width < BLOCK; width <<= 1u) {
    workgroupBarrier();
    let a = first & ~(2u * width - 1u);
    let b = a + width;
    let diagonal = first - a;
    let from_a = diagonal_search(half + a, width, half + b, width, diagonal);
    var m = merge_begin(half + a + from_a, half + b, half + b + diagonal - from_a, half + b + width);
    let to = BLOCK - half;
    for (var k = 0u; k < PER_THREAD / 2u; k++) {
      let x = take(&m);
      let y = take(&m);
      put_two(to + first + 2u * k, x, y);
    }
    half = to;
  }
  workgroupBarrier();

  for (var k = 0u; k < PER_THREAD / 4u; k++) {
    let i = thread + k * (4u * THREADS);
    let value0 = load_value(base + min(place_of(half + i), last));
    let value1 = load_value(base + min(place_of(half + i + THREADS), last));
    let value2 = load_value(base + min(place_of(half + i + 2u * THREADS), last));
    let value3 = load_value(base + min(place_of(half + i + 3u * THREADS), last));
    put_output(base, i, last, half, value0);
    put_output(base, i + THREADS, last, half, value1);
    put_output(base, i + 2u * THREADS, last, half, value2);
    put_output(base, i + 3u * THREADS, last, half, value3);
  }
}

fn put_input(i: u32, last: u32, key: Key) {
  put_key(i, select(LAST_KEY, encode_key(key), i <= last));
}

fn put_output(base: u32, i: u32, last: u32, half: u32, value: u32) {
  if (i <= last) {
    sorted_keys[base + i] = decode_key(tile_item(half + i));
    store_value(base + i, value);
  }
}
