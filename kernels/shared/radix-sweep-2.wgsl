// Where a block's keys go by digit, in two sweeps a pass (reduce-then-scan): all digits were counted before (radix-sort/count.wgsl), and the
// counts scanned. radix-sweep-1.wgsl does the same in one sweep. A kernel that needs one of them has
//   im                        of n, blocks, block_tiles, shift; a block is of `block_tiles` tiles, which a workgroup takes one after another
//   THREADS, RADIX, TILE      and DIGITS, how many digits are a thread's; its first is `thread * DIGITS`
//   keys                      as bound
//   spare(i), set_spare(i, value), add_spare(i, value)    of RADIX words in workgroup memory that nobody needs any more when set_targets is called
//   targets                   what set_targets gives, in workgroup memory: where a tile's keys of a digit go, less where they begin in the tile
// and binds the values from VALUES_BINDING on.

@group(0) @binding(2) var<storage, read> offsets: array<u32>;
const VALUES_BINDING = 3u;

alias Digits = array<u32, DIGITS>;

fn digit_of(code: Key) -> u32 { return key_bits(code, im.shift) & (RADIX - 1u); }

/// Which block a workgroup takes. All threads call it.
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

/// Tells other workgroups how many keys of a digit the tile has.
fn tell_total(block: u32, digit: u32, total: u32) {}

/// Sets the targets of the thread's digits, of which the tile has `totals`, beginning at `begins` in the tile; `offset` is where they go, and
/// moves on to where those of the next tile do. All threads call it; none is past it before all targets are set.
fn set_targets(block: u32, thread: u32, totals: Digits, begins: Digits, offset: ptr<function, Digits>) {
  for (var d = 0u; d < DIGITS; d++) {
    let digit = thread * DIGITS + d;
    if (digit < RADIX) { targets[digit] = (*offset)[d] - begins[d]; }
    (*offset)[d] += totals[d];
  }
  workgroupBarrier();
}
