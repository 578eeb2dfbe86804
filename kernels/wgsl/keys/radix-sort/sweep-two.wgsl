// Where a block's keys go by digit, in two sweeps per pass (reduce-then-scan): radix-sort/count.wgsl counts all digits
// first, and the counts are scanned. sweep-one.wgsl needs one sweep. A kernel that includes either declares
//   im                        with n, blocks, block_tiles, shift;
//                             a workgroup takes the `block_tiles` tiles of a block in turn
//   THREADS, RADIX, TILE      and DIGITS, the digits per thread; a thread's first digit is `thread * DIGITS`
//   keys                      at its binding
//   spare(i), set_spare(i, value), add_spare(i, value)    RADIX words of workgroup memory,
//                                                         free when set_targets is called
//   targets                   output of set_targets, in workgroup memory: where a tile's keys of a digit go, minus
//                             where they begin in the tile
// and binds the values from VALUES_BINDING.

@group(0) @binding(2) var<storage, read> offsets: array<u32>;
const VALUES_BINDING = 3u;

alias Digits = array<u32, DIGITS>;

fn digit_of(code: Key) -> u32 { return key_bits(code, im.shift) & (RADIX - 1u); }

/// The block of a workgroup. All threads call it.
fn block_of(number: u32, thread: u32) -> u32 { return number; }

/// Where the block's keys of each of the thread's digits begin.
fn block_offsets(block: u32, thread: u32) -> Digits {
  var begins: Digits;
  for (var d = 0u; d < DIGITS; d++) {
    let digit = thread * DIGITS + d;
    begins[d] = 0u;
    if (digit < RADIX) { begins[d] = offsets[digit * im.blocks + block]; }
  }
  return begins;
}

/// Nothing to publish: the counts are scanned already.
fn publish_total(block: u32, digit: u32, total: u32) {}

/// Sets the targets of the thread's digits. The tile has `totals` keys of each, which begin at `begins` in the tile.
/// `offset` is where they go, and advances to the next tile's. All threads call it;
/// none returns before all targets are set.
fn set_targets(block: u32, thread: u32, totals: Digits, begins: Digits, offset: ptr<function, Digits>) {
  for (var d = 0u; d < DIGITS; d++) {
    let digit = thread * DIGITS + d;
    if (digit < RADIX) { targets[digit] = (*offset)[d] - begins[d]; }
    (*offset)[d] += totals[d];
  }
  workgroupBarrier();
}
