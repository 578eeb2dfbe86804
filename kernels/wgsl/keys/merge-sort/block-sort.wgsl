//! needs: shared/launch, keys/sort-eight-{NETWORK}, keys/tile-merge
// Block sort: sorts each block of THREADS * PER_THREAD fixed keys, and their values, stably.
//   keys[n], values[n] -> sorted_keys[n], sorted_values[n];
//   one workgroup of THREADS per block, from block `first_block`.
//   1. Each thread reads PER_THREAD keys. With values these are adjacent and pass through workgroup memory; each key
//      carries its position. Keys that come last fill up the block.
//   2. It sorts them in registers: eight at a time by a network that is stable if they have values, then both eights.
//   3. Adjacent runs are merged in place in workgroup memory (tile-merge.wgsl), every other one backwards.
//   4. The block is written coalesced, with the values from the keys' positions.
// Bytes moved per key: its size (and the value's) read and written once.
// Source: Davidson et al. 2012, section 3, block sort.

const BLOCK = SLOTS;
const VALUES_BINDING = 2u;

struct Immediates { n: u32, blocks: u32, first_block: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read_write> sorted_keys: array<Key>;

/// Key i of the block, or one that comes last.
fn block_pair(base: u32, last: u32, i: u32) -> Pair {
  return Pair(select(LAST_KEY, encode_key(keys[base + min(i, last)]), i <= last), base + i);
}

fn read_eight(base: u32, last: u32, i: u32) -> Eight {
  return Eight(block_pair(base, last, i), block_pair(base, last, i + THREADS),
    block_pair(base, last, i + 2u * THREADS), block_pair(base, last, i + 3u * THREADS),
    block_pair(base, last, i + 4u * THREADS), block_pair(base, last, i + 5u * THREADS),
    block_pair(base, last, i + 6u * THREADS), block_pair(base, last, i + 7u * THREADS));
}

/// Reads a thread's pairs. Keys without values need no order of their own, so each thread may take any of them.
fn read_pairs(base: u32, last: u32, thread: u32) -> Sixteen {
  var pairs: Sixteen;
  pairs.low = read_eight(base, last, thread);
  if (PER_THREAD == 16u) { pairs.high = read_eight(base, last, thread + 8u * THREADS); }
  if (VALUES == 0u) { return pairs; }
  put_apart(thread, pairs.low);
  if (PER_THREAD == 16u) { put_apart(thread + 8u * THREADS, pairs.high); }
  workgroupBarrier();
  let own = inputs_from(thread * PER_THREAD, PER_THREAD, 0u);
  pairs.low = eight_inputs(own, 0u);
  if (PER_THREAD == 16u) { pairs.high = eight_inputs(own, 8u); }
  // No barrier: only this thread writes its slots next.
  return pairs;
}

fn sorted_pairs(pairs: Sixteen) -> Sixteen {
  let low = sorted_eight(pairs.low, 0u);
  if (PER_THREAD == 8u) { return Sixteen(low, pairs.high); }
  let high = sorted_eight(pairs.high, 0u);
  return bitonic_sixteen(
    Sixteen(low, Eight(high.p7, high.p6, high.p5, high.p4, high.p3, high.p2, high.p1, high.p0)));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let block = im.first_block + workgroup_number(id, grid);
  if (block >= im.blocks) { return; }
  let base = block * BLOCK;
  let last = min(BLOCK, im.n - base) - 1u;
  let first = thread * PER_THREAD;
  put_pairs(thread, sorted_pairs(read_pairs(base, last, thread)), (thread & 1u) == 1u);
  workgroupBarrier();
  for (var width = PER_THREAD; width < BLOCK; width <<= 1u) {
    let begin = first & ~(2u * width - 1u);
    let row = thread & (2u * width / PER_THREAD - 1u);
    merge_region(Region(begin, begin + 2u * width, width), thread, row, true, (first & (2u * width)) != 0u);
  }
  write_tile(base, last + 1u, thread);
}

fn put_output(i: u32, code: Key, value: u32) {
  sorted_keys[i] = decode_key(code);
  store_value(i, value);
}
