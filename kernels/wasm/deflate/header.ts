/** The header of a block with dynamic codes (RFC 1951, section 3.2.7): the bits of both codes, coded themselves. */
import { putBits } from './bits';
import { setBits, setCodes } from './codes';
import { distanceBits, DISTANCES, HEADER_SYMBOLS, headerBits, headerCodes, headerCounts, headerItems } from './layout';
import { headerRow, symbolBits, SYMBOLS } from './layout';

/** Symbols of the header: repeat the last number of bits 3 to 6 times; no code, 3 to 10 or 11 to 138 times. */
const REPEAT: u32 = 16;
const FEW_ABSENT: u32 = 17;
const MANY_ABSENT: u32 = 18;
/** Extra bits of these. */
const REPEAT_EXTRA: u32 = 2;
const FEW_EXTRA: u32 = 3;
const MANY_EXTRA: u32 = 7;
const MOST_HEADER_BITS: u32 = 7;
/** Literals and the end of a block always have places in the header. */
const FEWEST_SYMBOLS: u32 = 257;

let items: u32 = 0;
let symbols: u32 = 0;
let distances: u32 = 0;
let described: u32 = 0;

/** Makes the items of the header of the codes in symbolBits and distanceBits. Returns the bits that it will have. */
export function planHeader(): u64 {
  symbols = SYMBOLS;
  while (symbols > FEWEST_SYMBOLS && load<u8>(symbolBits + symbols - 1) == 0) symbols--;
  distances = DISTANCES;
  while (distances > 1 && load<u8>(distanceBits + distances - 1) == 0) distances--;
  memory.copy(headerRow, symbolBits, symbols);
  memory.copy(headerRow + symbols, distanceBits, distances);
  items = 0;
  memory.fill(headerCounts, 0, 4 * HEADER_SYMBOLS);
  const end = headerRow + symbols + distances;
  for (let at = headerRow; at < end; ) {
    let after = at + 1;
    while (after < end && load<u8>(after) == load<u8>(at)) after++;
    addItems(load<u8>(at), <u32>(after - at));
    at = after;
  }
  setBits(headerCounts, HEADER_SYMBOLS, MOST_HEADER_BITS, headerBits);
  described = HEADER_SYMBOLS;
  while (described > 4 && load<u8>(headerBits + inOrder(described - 1)) == 0) described--;
  let bits: u64 = 5 + 5 + 4 + 3 * described;
  for (let symbol: u32 = 0; symbol < HEADER_SYMBOLS; symbol++)
    bits += <u64>load<u32>(headerCounts + (symbol << 2)) * (<u64>load<u8>(headerBits + symbol) + extraOf(symbol));
  return bits;
}

/** Adds the items for `times` codes of `bits` bits. */
function addItems(bits: u32, times: u32): void {
  if (bits == 0) {
    for (; times >= 11; times -= min(times, 138)) addItem(MANY_ABSENT, min(times, 138) - 11);
    if (times >= 3) {
      addItem(FEW_ABSENT, times - 3);
      return;
    }
  } else if (times >= 4) {
    addItem(bits, 0);
    times--;
    for (; times >= 3; times -= min(times, 6)) addItem(REPEAT, min(times, 6) - 3);
  }
  for (; times > 0; times--) addItem(bits, 0);
}

function addItem(symbol: u32, extra: u32): void {
  store<u16>(headerItems + (items++ << 1), symbol | (extra << 5));
  const counter = headerCounts + (symbol << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}

/** Writes the header that planHeader has made. */
export function writeHeader(): void {
  putBits(symbols - FEWEST_SYMBOLS, 5);
  putBits(distances - 1, 5);
  putBits(described - 4, 4);
  for (let i: u32 = 0; i < described; i++) putBits(load<u8>(headerBits + inOrder(i)), 3);
  setCodes(headerBits, HEADER_SYMBOLS, headerCodes);
  for (let i: u32 = 0; i < items; i++) {
    const item = <u32>load<u16>(headerItems + (i << 1));
    const symbol = item & 31;
    const code = load<u32>(headerCodes + (symbol << 2));
    putBits(code >> 8, code & 255);
    putBits(item >> 5, extraOf(symbol));
  }
}

function extraOf(symbol: u32): u32 {
  if (symbol < REPEAT) return 0;
  return symbol == REPEAT ? REPEAT_EXTRA : symbol == FEW_ABSENT ? FEW_EXTRA : MANY_EXTRA;
}

/** The order in which the header describes its own code: 16 17 18 0, then 8 7 9 6 10 5 and so on to 1 15. */
function inOrder(i: u32): u32 {
  if (i < 4) return (i + 16) % 19;
  const step = (i - 4) >> 1;
  return (i & 1) == 0 ? 8 + step : 7 - step;
}
