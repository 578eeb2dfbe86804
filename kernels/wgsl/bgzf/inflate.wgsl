//! needs: shared/words
// Inflates blocks of BGZF: DEFLATE, RFC 1951. Accepts and refuses what zlib does.
//   compressed, places[blocks] (the first byte of a block's DEFLATE data and the byte after it; the first byte of its
//   text and the byte after it) -> text, edges[blocks], status[blocks] (0: inflated); tables: TABLE_WORDS a workgroup.
//   Workgroups of one thread take blocks in turn: the symbols of a block follow one another. H200, 28 November 2026:
//   15 GB/s of text; 7.4 if the tables are in workgroup memory, which has room for few blocks at once.
// Bytes moved: the compressed bytes once, the text written once and read once by matches.

// A block writes nothing outside its own text. Two blocks may share a word of the text: the earlier one writes it, with
// zeros in the place of the later one, whose part goes to `edges` (see join-edges.wgsl).
// Every loop ends, whatever the data: text is limited by `place.w`, and each DEFLATE block consumes bits before
// `place.y`. Bits after it may be read, but then the block is refused.

struct Immediates { blocks: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> compressed: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> text: array<u32>;
@group(0) @binding(3) var<storage, read_write> edges: array<u32>;
@group(0) @binding(4) var<storage, read_write> status: array<u32>;
@group(0) @binding(5) var<storage, read_write> tables: array<u32>;

// The tables of a workgroup, in words from `base` on.
const TABLE_WORDS = 2048u;
/// Lengths of codes in bits, by symbol: as the header lists them, literals before distances.
const LENGTHS = 1280u;
/// Where the next code of each length goes, while codes are sorted.
const OFFSETS = 1952u;
var<private> base: u32;

/// One of the two codes of a DEFLATE block: where its tables are.
struct Code {
  entries: u32,     // what the next `index_bits` bits mean
  index_bits: u32,
  sorted: u32,      // symbols in the order of their codes
  counts: u32,      // codes per length
}
const SYMBOLS = Code(0u, 10u, 1600u, 1920u);
const DISTANCES = Code(1024u, 8u, 1888u, 1936u);
const MOST_BITS = 15u;

const END_SYMBOL = 256u;
const FIRST_LENGTH = 257u;
/// Symbols of the fixed codes, which include four that are invalid.
const FIXED_SYMBOLS = 288u;
const FIXED_DISTANCES = 32u;

// An entry: the bits of the code, << 4 extra bits, << 8 kind, << 16 value. 0: the code is longer than the index.
const IS_LENGTH = 1u << 8u;
const IS_END = 2u << 8u;
const IS_INVALID = 4u << 8u;

// Bits: the next ones are those of `now` above `shift`, then those of `next`.
var<private> now: u32;
var<private> next: u32;
var<private> shift: u32;
var<private> next_index: u32;

// Text: `at` is the next byte; `pending` holds the bytes of its word before it.
var<private> at: u32;
var<private> pending: u32;
/// The first word that this block writes, and the bytes of the word before that are its own.
var<private> first_word: u32;
var<private> edge: u32;

/// Whether the tables hold the fixed codes. A block of 64 KiB may have 52,000 DEFLATE blocks with these codes.
var<private> has_fixed_codes: bool;

fn open_bits(byte: u32) {
  let index = byte >> 2u;
  shift = (byte & 3u) * 8u;
  now = compressed[index];
  next = compressed[index + 1u];
  next_index = index + 2u;
}

/// The next 32 bits.
fn peek() -> u32 { return (now >> shift) | ((next << 1u) << (31u - shift)); }

/// Skips up to 32 bits.
fn skip(bits: u32) {
  shift += bits;
  if (shift >= 32u) {
    shift -= 32u;
    now = next;
    next = compressed[next_index];
    next_index++;
  }
}

/// Takes up to 16 bits.
fn take(bits: u32) -> u32 {
  let value = peek() & ((1u << bits) - 1u);
  skip(bits);
  return value;
}

/// The byte after the last one of which bits were taken.
fn bits_end() -> u32 { return (next_index - 2u) * 4u + ((shift + 7u) >> 3u); }

fn open_text(begin: u32) {
  at = begin;
  pending = 0u;
  first_word = (begin + 3u) >> 2u;
  edge = 0u;
}

fn put_word(index: u32, word: u32) {
  if (index >= first_word) { text[index] = word; } else { edge = word; }
}

/// Appends `count` bytes (1 to 4) of `value`, which has zeros above them.
fn append(value: u32, count: u32) {
  let filled = (at & 3u) * 8u;
  pending |= value << filled;
  if (filled + count * 8u >= 32u) {
    put_word(at >> 2u, pending);
    pending = (value >> 1u) >> (31u - filled);
  }
  at += count;
}

/// A word of this block's text. Bytes that are not written yet are undefined.
fn word_of_text(index: u32) -> u32 {
  if (index == at >> 2u) { return pending; }
  if (index < first_word) { return edge; }
  return text[index];
}

/// The bytes from `address` to the end of a word or beyond it: at least `count` (at most 4), which are written.
fn bytes_of_text(address: u32, count: u32) -> u32 {
  let index = address >> 2u;
  let bits = (address & 3u) * 8u;
  let low = word_of_text(index) >> bits;
  if (bits + count * 8u <= 32u) { return low; }
  return low | (word_of_text(index + 1u) << (32u - bits));
}

/// Repeats the last `distance` bytes until `length` bytes are written.
fn copy_match(distance: u32, length: u32) {
  var bytes = 0u;
  var step = 4u;
  if (distance < 4u) {
    bytes = low_bytes(bytes_of_text(at - distance, distance), distance);
    if (distance == 1u) { bytes *= 0x01010101u; }
    if (distance == 2u) { bytes *= 0x00010001u; }
    if (distance == 3u) { step = 3u; }
  }
  for (var left = length; left > 0u;) {
    let count = min(step, left);
    if (distance >= 4u) { bytes = bytes_of_text(at - distance, count); }
    append(low_bytes(bytes, count), count);
    left -= count;
  }
}

fn symbol_entry(symbol: u32) -> u32 {
  if (symbol < END_SYMBOL) { return symbol << 16u; }
  if (symbol == END_SYMBOL) { return IS_END; }
  let slot = symbol - FIRST_LENGTH;
  if (slot < 8u) { return ((3u + slot) << 16u) | IS_LENGTH; }
  if (slot == 28u) { return (258u << 16u) | IS_LENGTH; }
  if (slot > 28u) { return IS_INVALID; }
  let extra = (slot >> 2u) - 1u;
  return ((3u + ((4u + (slot & 3u)) << extra)) << 16u) | IS_LENGTH | (extra << 4u);
}

fn distance_entry(slot: u32) -> u32 {
  if (slot < 4u) { return (1u + slot) << 16u; }
  if (slot >= 30u) { return IS_INVALID; }
  let extra = (slot >> 1u) - 1u;
  return ((1u + ((2u + (slot & 1u)) << extra)) << 16u) | (extra << 4u);
}

/// The entry of a symbol whose code has `bits` bits.
fn entry_of(code: Code, symbol: u32, bits: u32) -> u32 {
  if (code.entries == DISTANCES.entries) { return distance_entry(symbol) | bits; }
  return symbol_entry(symbol) | bits;
}

/// Counts and sorts the codes of `n` symbols, whose lengths begin at `lengths`. Returns whether zlib accepts them.
fn sort_codes(code: Code, lengths: u32, n: u32, may_be_incomplete: bool) -> bool {
  let counts = base + code.counts;
  for (var bits = 0u; bits <= MOST_BITS; bits++) { tables[counts + bits] = 0u; }
  for (var i = 0u; i < n; i++) { tables[counts + tables[lengths + i]] += 1u; }
  var left = 1u;   // codes of this length that no shorter one takes
  var used = 0u;
  for (var bits = 1u; bits <= MOST_BITS; bits++) {
    let count = tables[counts + bits];
    left *= 2u;
    if (count > left) { return false; }
    left -= count;
    tables[base + OFFSETS + bits] = used;
    used += count;
  }
  for (var i = 0u; i < n; i++) {
    let bits = tables[lengths + i];
    if (bits > 0u) {
      let offset = tables[base + OFFSETS + bits];
      tables[base + code.sorted + offset] = i;
      tables[base + OFFSETS + bits] = offset + 1u;
    }
  }
  // One code of one bit, or none at all, may leave others unused.
  return left == 0u || (may_be_incomplete && used <= 1u && used == tables[counts + 1u]);
}

/// Fills the entries of the codes that fit the index.
fn fill_entries(code: Code) {
  let entries = base + code.entries;
  let end = entries + (1u << code.index_bits);
  for (var i = entries; i < end; i++) { tables[i] = 0u; }
  var number = 0u;
  var rank = base + code.sorted;
  for (var bits = 1u; bits <= code.index_bits; bits++) {
    for (var left = tables[base + code.counts + bits]; left > 0u; left--) {
      let entry = entry_of(code, tables[rank], bits);
      for (var i = entries + (reverseBits(number) >> (32u - bits)); i < end; i += 1u << bits) { tables[i] = entry; }
      number++;
      rank++;
    }
    number *= 2u;
  }
}

/// Finds the next symbol bit by bit: symbol << 4 | the bits of its code; 0 if there is no such code.
fn find_symbol(code: Code) -> u32 {
  let ahead = peek();
  var number = 0u;
  var first = 0u;   // the first code of this length
  var rank = base + code.sorted;
  for (var bits = 1u; bits <= MOST_BITS; bits++) {
    number |= (ahead >> (bits - 1u)) & 1u;
    let count = tables[base + code.counts + bits];
    if (number < first + count) { return (tables[rank + number - first] << 4u) | bits; }
    rank += count;
    first = (first + count) * 2u;
    number *= 2u;
  }
  return 0u;
}

/// Takes the next code. Its entry; IS_INVALID if there is no such code.
fn take_code(code: Code) -> u32 {
  var entry = tables[base + code.entries + (peek() & ((1u << code.index_bits) - 1u))];
  if (entry == 0u) {
    let found = find_symbol(code);
    if (found == 0u) { return IS_INVALID; }
    entry = entry_of(code, found >> 4u, found & 15u);
  }
  skip(entry & 15u);
  return entry;
}

/// The order of the lengths in the header, RFC 1951, section 3.2.7.
const HEADER_ORDER =
  array(16u, 17u, 18u, 0u, 8u, 7u, 9u, 6u, 10u, 5u, 11u, 4u, 12u, 3u, 13u, 2u, 14u, 1u, 15u);

/// Reads the lengths of a block's own codes. The number of symbols and that of distances; zeros: invalid.
fn read_lengths() -> vec2u {
  let symbols = take(5u) + 257u;
  let distances = take(5u) + 1u;
  let header_symbols = take(4u) + 4u;
  if (symbols > 286u || distances > 30u) { return vec2u(0u); }
  let lengths = base + LENGTHS;
  // The lengths are encoded themselves. Their code takes the place of that of distances.
  for (var i = 0u; i < 19u; i++) { tables[lengths + i] = 0u; }
  for (var i = 0u; i < header_symbols; i++) { tables[lengths + HEADER_ORDER[i]] = take(3u); }
  if (!sort_codes(DISTANCES, lengths, 19u, false)) { return vec2u(0u); }
  // A repetition may reach from the symbols to the distances.
  let end = lengths + symbols + distances;
  var length = 0u;
  for (var i = lengths; i < end;) {
    let found = find_symbol(DISTANCES);
    if (found == 0u) { return vec2u(0u); }
    skip(found & 15u);
    let symbol = found >> 4u;
    var repeat = 1u;
    switch (symbol) {
      case 16u: {
        if (i == lengths) { return vec2u(0u); }
        repeat = 3u + take(2u);
      }
      case 17u: {
        length = 0u;
        repeat = 3u + take(3u);
      }
      case 18u: {
        length = 0u;
        repeat = 11u + take(7u);
      }
      default: { length = symbol; }
    }
    if (repeat > end - i) { return vec2u(0u); }
    for (; repeat > 0u; repeat--) {
      tables[i] = length;
      i++;
    }
  }
  return select(vec2u(0u), vec2u(symbols, distances), tables[lengths + END_SYMBOL] > 0u);
}

/// Sets the lengths of the fixed codes. The number of symbols and that of distances.
fn set_fixed_lengths() -> vec2u {
  let lengths = base + LENGTHS;
  for (var i = 0u; i < FIXED_SYMBOLS; i++) {
    var bits = 8u;
    if (i >= 144u && i < 256u) { bits = 9u; }
    if (i >= 256u && i < 280u) { bits = 7u; }
    tables[lengths + i] = bits;
  }
  for (var i = 0u; i < FIXED_DISTANCES; i++) { tables[lengths + FIXED_SYMBOLS + i] = 5u; }
  return vec2u(FIXED_SYMBOLS, FIXED_DISTANCES);
}

/// Prepares the codes of a DEFLATE block. Returns whether they are valid.
fn open_codes(is_fixed: bool) -> bool {
  if (is_fixed && has_fixed_codes) { return true; }
  has_fixed_codes = is_fixed;
  var number = vec2u(0u);
  if (is_fixed) { number = set_fixed_lengths(); } else { number = read_lengths(); }
  let lengths = base + LENGTHS;
  if (number.x == 0u || !sort_codes(SYMBOLS, lengths, number.x, true) ||
      !sort_codes(DISTANCES, lengths + number.x, number.y, true)) { return false; }
  fill_entries(SYMBOLS);
  fill_entries(DISTANCES);
  return true;
}

/// Writes the text of symbols until the end of the DEFLATE block. Returns whether all are valid.
fn inflate_symbols(begin: u32, end: u32) -> bool {
  loop {
    let symbol = take_code(SYMBOLS);
    if ((symbol & (IS_LENGTH | IS_END | IS_INVALID)) == 0u) {
      if (at >= end) { return false; }
      append(symbol >> 16u, 1u);
      continue;
    }
    if ((symbol & IS_LENGTH) == 0u) { return (symbol & IS_END) != 0u; }
    let length = (symbol >> 16u) + take((symbol >> 4u) & 15u);
    let slot = take_code(DISTANCES);
    let distance = (slot >> 16u) + take((slot >> 4u) & 15u);
    if ((slot & IS_INVALID) != 0u || distance > at - begin || length > end - at) { return false; }
    copy_match(distance, length);
  }
}

/// Copies a stored block. Returns whether it is valid.
fn copy_stored(end: u32) -> bool {
  skip((8u - (shift & 7u)) & 7u);
  let header = peek();
  skip(32u);
  var left = header & 0xffffu;
  if ((header >> 16u) != (left ^ 0xffffu) || left > end - at) { return false; }
  while (left > 0u) {
    let count = min(4u, left);
    append(low_bytes(peek(), count), count);
    skip(count * 8u);
    left -= count;
  }
  return true;
}

/// Returns whether the data is valid, all of it is used, and the text has the length that `place` says.
fn inflate(place: vec4u) -> bool {
  open_bits(place.x);
  loop {
    let is_last = take(1u) != 0u;
    let kind = take(2u);
    switch (kind) {
      case 0u: { if (!copy_stored(place.w)) { return false; } }
      case 3u: { return false; }
      default: { if (!open_codes(kind == 1u) || !inflate_symbols(place.z, place.w)) { return false; } }
    }
    if (is_last) { return at == place.w && bits_end() == place.y; }
    if (bits_end() > place.y) { return false; }
  }
}

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u) {
  base = id.x * TABLE_WORDS;
  for (var block = id.x; block < im.blocks; block += grid.x) {
    let place = places[block];
    // No block writes the word before the first text's first whole one. What it keeps are the bytes before this text.
    if (block == 0u && (place.z & 3u) != 0u) { text[place.z >> 2u] = low_bytes(text[place.z >> 2u], place.z & 3u); }
    open_text(place.z);
    let is_right = inflate(place);
    status[block] = select(1u, 0u, is_right);
    // The next block adds to the last word, even if this one is refused.
    if ((place.w & 3u) != 0u) { put_word(place.w >> 2u, select(0u, pending, is_right)); }
    edges[block] = edge;
  }
}
