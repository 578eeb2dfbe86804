// The packing of symbols: what all packed keys of a sort share (symbol-table.wgsl). A kernel that includes this file
// declares
//   var<storage, read> packing: array<u32>;

const SYMBOL_BITS = 0u;        // 1 to 9
const BASE = 1u;               // the ordered byte at which the first keys begin; all records share those before it
const LENGTH = 2u;             // the ordered bytes of every record, or LENGTHS_DIFFER
// For splits of the first keys (strings/msd-radix/items.wgsl): bits of the first digit; a key contains the end of its
// record if the masked bits of its low word have this value.
const FIRST_DIGIT_BITS = 3u;
const END_MASK_WORD = 4u;
const END_VALUE_WORD = 5u;
const CODES = 8u;              // the code of each of 256 bytes

const LENGTHS_DIFFER = 0xffffffffu;

/// The symbols of a key that has `group_bits` bits of another use.
fn key_symbols(group_bits: u32) -> u32 { return (64u - group_bits) / packing[SYMBOL_BITS]; }

/// The lowest bits of a key, which no symbol takes.
fn unused_bits(group_bits: u32) -> u32 { return (64u - group_bits) % packing[SYMBOL_BITS]; }

/// The bits of the last symbol in the low word of a key.
fn last_symbol_mask(group_bits: u32) -> u32 {
  return ((1u << packing[SYMBOL_BITS]) - 1u) << unused_bits(group_bits);
}

/// Whether a key with this low word (complemented, if it was), whose symbols begin at ordered byte `depth`, contains
/// the end of its record.
fn contains_end(low: u32, depth: u32, group_bits: u32) -> bool {
  if (packing[LENGTH] == LENGTHS_DIFFER) { return (low & last_symbol_mask(group_bits)) == 0u; }
  return packing[LENGTH] <= depth + key_symbols(group_bits);
}
