//! needs: bgzf/deflate-codes, bgzf/deflate-bits
// The header of a block of DEFLATE with dynamic codes (RFC 1951, section 3.2.7): the bits of both codes, coded
// themselves. A kernel sets the bits of both, plans the items, sets the bits of the header's code (set_bits), and
// measures the header; it makes the codes (set_codes), and writes the header.
// An item is symbol | extra bits << 5, and has a word of the table of deflate-codes.

// Symbols of the header: repeat the last number of bits 3 to 6 times; no code, 3 to 10 or 11 to 138 times.
const REPEAT = 16u;
const FEW_ABSENT = 17u;
const MANY_ABSENT = 18u;
const NO_BITS = 16u;          // after the last code: more bits than any has
const FEWEST_SYMBOLS = 257u;  // literals and the end of a block always have places

/// Symbols, distances and header symbols that a header describes; its items.
struct Header { symbols: u32, distances: u32, described: u32, items: u32 }

var<private> header: Header;

/// Makes the items of the header.
fn plan_items() {
  header = Header(SYMBOLS, DISTANCES, HEADER_SYMBOLS, 0u);
  while (header.symbols > FEWEST_SYMBOLS && code_of(header.symbols - 1u) == 0u) { header.symbols--; }
  while (header.distances > 1u && code_of(FIRST_DISTANCE + header.distances - 1u) == 0u) { header.distances--; }
  // Both codes are one row, so a run may span them.
  let end = header.symbols + header.distances;
  var run = code_of(0u);
  var times = 1u;
  for (var i = 1u; i <= end; i++) {
    var bits = NO_BITS;
    if (i < end) { bits = code_of(select(FIRST_DISTANCE + i - header.symbols, i, i < header.symbols)); }
    if (bits == run) {
      times++;
    } else {
      add_items(run, times);
      run = bits;
      times = 1u;
    }
  }
}

/// The bits of the header.
fn measure_header() -> u32 {
  while (header.described > 4u && code_of(FIRST_HEADER_SYMBOL + in_order(header.described - 1u)) == 0u) {
    header.described--;
  }
  var bits = 5u + 5u + 4u + 3u * header.described + coded_bits(FIRST_HEADER_SYMBOL, HEADER_SYMBOLS);
  for (var symbol = REPEAT; symbol <= MANY_ABSENT; symbol++) {
    bits += atomicLoad(&counts[FIRST_HEADER_SYMBOL + symbol]) * extra_of_item(symbol);
  }
  return bits;
}

/// Adds the items for `count` codes of `bits` bits.
fn add_items(bits: u32, count: u32) {
  var times = count;
  if (bits == 0u) {
    while (times >= 11u) {
      let most = min(times, 138u);
      add_item(MANY_ABSENT, most - 11u);
      times -= most;
    }
    if (times >= 3u) {
      add_item(FEW_ABSENT, times - 3u);
      return;
    }
  } else if (times >= 4u) {
    add_item(bits, 0u);
    times--;
    while (times >= 3u) {
      let most = min(times, 6u);
      add_item(REPEAT, most - 3u);
      times -= most;
    }
  }
  for (; times > 0u; times--) { add_item(bits, 0u); }
}

fn add_item(symbol: u32, extra: u32) {
  set_table(ITEMS + header.items, symbol | (extra << 5u));
  header.items++;
  count_symbol(FIRST_HEADER_SYMBOL + symbol);
}

fn put_header() {
  put_bits((header.symbols - 257u) | ((header.distances - 1u) << 5u) | ((header.described - 4u) << 10u), 14u);
  for (var i = 0u; i < header.described; i++) { put_bits(code_of(FIRST_HEADER_SYMBOL + in_order(i)) & 15u, 3u); }
  for (var i = 0u; i < header.items; i++) {
    let item = table_at(ITEMS + i);
    let symbol = item & 31u;
    put_extended(code_of(FIRST_HEADER_SYMBOL + symbol), item >> 5u, extra_of_item(symbol));
  }
}

fn extra_of_item(symbol: u32) -> u32 {
  if (symbol < REPEAT) { return 0u; }
  return select(select(7u, 3u, symbol == FEW_ABSENT), 2u, symbol == REPEAT);
}

/// The order in which the header describes its own code: 16 17 18 0, then 8 7 9 6 10 5 and so on to 1 15.
fn in_order(i: u32) -> u32 {
  if (i < 4u) { return (i + 16u) % 19u; }
  let step = (i - 4u) >> 1u;
  return select(7u - step, 8u + step, (i & 1u) == 0u);
}
