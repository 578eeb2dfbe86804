// Codes of keys: unsigned integers that compare as the keys do. These constants say what the keys are; by default they
// are unsigned and ascend, and a code is its key (of several words, with the high word first).
//   Signed keys: the sign bit is complemented. IEEE 754 numbers: if the sign bit is set, all other bits are
//   complemented too, which gives the standard's total order. Descending: then all bits are complemented.

override SIGNED: bool = false;      // also for IEEE 754 numbers
override FLOAT: bool = false;
override DESCENDING: bool = false;

const SIGN = 0x80000000u;

/// What encoding and decoding complement of the highest word, and of others.
fn high_mask() -> u32 { return select(0u, SIGN, SIGNED) ^ low_mask(); }
fn low_mask() -> u32 { return select(0u, 0xffffffffu, DESCENDING); }

/// All ones if a number's other bits are to be complemented. `high` is its highest word.
fn number_mask(high: u32) -> u32 { return select(0u, 0u - (high >> 31u), FLOAT); }
