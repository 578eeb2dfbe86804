// Huffman codes of limited length for one thread: from counts to lengths, from lengths to codes. Minimum-redundancy
// lengths in place: Moffat and Katajainen, In-place calculation of minimum-redundancy codes, 1995. A leaf that would
// lie too deep splits the deepest leaf that has room, so a code is always complete (kernels/wasm/deflate/codes.ts).
// Symbols of all three codes have numbers in one row: literals and lengths, then distances, then those of the header.
// Drivers inline functions, so long ones are called in one place: in three, lavapipe compiles deflate.wgsl for 60 s
// instead of 6.
// A kernel that includes this file has a table of at least LEAST_TABLE_WORDS words and declares
//   fn table_at(i: u32) -> u32                a word of it
//   fn set_table(i: u32, word: u32)

const SYMBOLS = 286u;  // literals, the end of a block, lengths
const END_SYMBOL = 256u;
const FIRST_LENGTH_SYMBOL = 257u;
const FIRST_DISTANCE = 286u;
const DISTANCES = 30u;
const FIRST_HEADER_SYMBOL = 316u;
const HEADER_SYMBOLS = 19u;
const ALL_SYMBOLS = 335u;
const MOST_BITS = 15u;  // of a code of DEFLATE

// The three codes: their first symbol in the row, their symbols, and the bits of their longest one at most.
const CODE_COUNT = 3u;
const HEADER_CODE = 2u;
const FIRSTS = array(0u, FIRST_DISTANCE, FIRST_HEADER_SYMBOL);
const SIZES = array(SYMBOLS, DISTANCES, HEADER_SYMBOLS);
const LIMITS = array(MOST_BITS, MOST_BITS, 7u);

// The layout of the table.
const CODES = 0u;         // of each symbol in the row: bits; after set_codes: code, first bit lowest, << 4 | bits
const NODES = 336u;       // of each symbol of a code while it is made
const ITEMS = 624u;       // of the header: one for each length of a code, at most 316
const BIT_COUNTS = 944u;  // of each number of bits, to 16
const LEAST_TABLE_WORDS = 1024u;

/// A node is value << 9 | symbol: of a leaf its count; of an inner node its count, then its parent, then its depth.
const NODE_BITS = 9u;
const NODE_MASK = 511u;

/// How often the block has each symbol in the row. Atomic, because such an addition does not wait for memory.
var<workgroup> counts: array<atomic<u32>, ALL_SYMBOLS>;

fn clear_counts() {
  for (var i = 0u; i < ALL_SYMBOLS; i++) { atomicStore(&counts[i], 0u); }
}

fn count_symbol(symbol: u32) {
  atomicAdd(&counts[symbol], 1u);
}

/// The entry of a symbol's code: bits; after set_codes: code << 4 | bits. The bits are the lowest 4 bits of both.
fn code_of(symbol: u32) -> u32 {
  return table_at(CODES + symbol);
}

/// The bits of the codes of all symbols counted, of `n` from `first` on, before set_codes.
fn coded_bits(first: u32, n: u32) -> u32 {
  var bits = 0u;
  for (var i = first; i < first + n; i++) { bits += atomicLoad(&counts[i]) * code_of(i); }
  return bits;
}

/// Sets the bits of a code. If fewer than two symbols are used, two get one bit each.
fn set_bits(code: u32) {
  let first = FIRSTS[code];
  let n = SIZES[code];
  let most = LIMITS[code];
  var used = 0u;
  for (var symbol = 0u; symbol < n; symbol++) {
    let count = atomicLoad(&counts[first + symbol]);
    set_table(CODES + first + symbol, 0u);
    if (count != 0u) {
      set_table(NODES + used, (count << NODE_BITS) | symbol);
      used++;
    }
  }
  if (used < 2u) {
    var symbol = 0u;
    if (used == 1u) { symbol = table_at(NODES) & NODE_MASK; }
    set_table(CODES + first + symbol, 1u);
    set_table(CODES + first + select(0u, 1u, symbol == 0u), 1u);
    return;
  }
  sort_nodes(used);
  join_nodes(used);
  count_depths(used, most);
  // The rarest symbols have the longest codes.
  var at = NODES;
  for (var length = most; length > 0u; length--) {
    for (var left = table_at(BIT_COUNTS + length); left > 0u; left--) {
      set_table(CODES + first + (table_at(at) & NODE_MASK), length);
      at++;
    }
  }
}

/// Shell sort, for at most 286 nodes. Its gaps, 57, 23, 10, 4 and 1: Ciura, 2001.
fn sort_nodes(n: u32) {
  var gap = 57u;
  loop {
    for (var i = gap; i < n; i++) {
      let node = table_at(NODES + i);
      var place = i;
      while (place >= gap) {
        let other = table_at(NODES + place - gap);
        if (other <= node) { break; }
        set_table(NODES + place, other);
        place -= gap;
      }
      set_table(NODES + place, node);
    }
    if (gap == 1u) { break; }
    gap = select(select(select(1u, 4u, gap == 10u), 10u, gap == 23u), 23u, gap == 57u);
  }
}

/// Joins the two rarest nodes until one is left. Inner node i takes the place of leaf i; the symbol there stays.
fn join_nodes(n: u32) {
  var leaf = 0u;
  var inner = 0u;
  // The counts of the next leaf and inner node; of none, more than any.
  var leaf_count = value_of_node(0u);
  var inner_count = 0xffffffffu;
  for (var parent = 0u; parent < n - 1u; parent++) {
    var sum = 0u;
    for (var child = 0u; child < 2u; child++) {
      if (leaf_count <= inner_count) {
        sum += leaf_count;
        leaf++;
        leaf_count = 0xffffffffu;
        if (leaf < n) { leaf_count = value_of_node(leaf); }
      } else {
        sum += inner_count;
        set_node(inner, parent);
        inner++;
        inner_count = 0xffffffffu;
        if (inner < parent) { inner_count = value_of_node(inner); }
      }
    }
    set_node(parent, sum);
    if (inner == parent) { inner_count = sum; }
  }
}

/// Counts the codes of each length: each inner node splits a leaf of its depth into two.
fn count_depths(n: u32, most: u32) {
  clear_bit_counts();
  set_table(BIT_COUNTS + 1u, 2u);
  set_node(n - 2u, 0u);  // the root
  for (var node = n - 2u; node > 0u; ) {
    node--;
    var depth = value_of_node(value_of_node(node)) + 1u;
    set_node(node, depth);
    if (depth >= most) {
      depth = most - 1u;
      while (table_at(BIT_COUNTS + depth) == 0u) { depth--; }
    }
    set_table(BIT_COUNTS + depth, table_at(BIT_COUNTS + depth) - 1u);
    set_table(BIT_COUNTS + depth + 1u, table_at(BIT_COUNTS + depth + 1u) + 2u);
  }
}

fn value_of_node(node: u32) -> u32 {
  return table_at(NODES + node) >> NODE_BITS;
}

fn set_node(node: u32, value: u32) {
  set_table(NODES + node, (table_at(NODES + node) & NODE_MASK) | (value << NODE_BITS));
}

fn clear_bit_counts() {
  for (var i = 0u; i < MOST_BITS + 2u; i++) { set_table(BIT_COUNTS + i, 0u); }
}

/// Adds 1 to the word of a number of bits; returns what was there.
fn next_of_bits(bits: u32) -> u32 {
  let word = table_at(BIT_COUNTS + bits);
  set_table(BIT_COUNTS + bits, word + 1u);
  return word;
}

/// Turns the bits of a code into a canonical code.
fn set_codes(code: u32) {
  let first = FIRSTS[code];
  let end = first + SIZES[code];
  clear_bit_counts();
  for (var i = first; i < end; i++) { _ = next_of_bits(code_of(i)); }
  // Counts become the next code of each length.
  var next = 0u;
  for (var length = 1u; length <= MOST_BITS; length++) {
    let count = table_at(BIT_COUNTS + length);
    next <<= 1u;
    set_table(BIT_COUNTS + length, next);
    next += count;
  }
  for (var i = first; i < end; i++) {
    let length = code_of(i);
    if (length == 0u) { continue; }
    set_table(CODES + i, ((reverseBits(next_of_bits(length)) >> (32u - length)) << 4u) | length);
  }
}
