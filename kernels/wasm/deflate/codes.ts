/**
 * Huffman codes of limited length: from counts to lengths, from lengths to codes. Minimum-redundancy lengths in place:
 * Moffat and Katajainen, In-place calculation of minimum-redundancy codes, 1995. A leaf that would lie too deep splits
 * the deepest leaf that has room, so a code is always complete.
 */
import { bitCounts, nodes } from './layout';

/** A node is value << 9 | symbol: of a leaf its count; of an inner node its count, then its parent, then its depth. */
const SYMBOL_BITS: u32 = 9;
const SYMBOL_MASK: u32 = 511;
/** The most bits of a code of DEFLATE. */
const MOST_BITS: u32 = 15;

/**
 * Sets the bits (u8 each) of the codes of `n` symbols, at most `most`, from their counts (u32 each). If fewer than two
 * symbols are used, two get one bit each.
 */
export function setBits(counts: usize, n: u32, most: u32, bits: usize): void {
  let used: u32 = 0;
  for (let symbol: u32 = 0; symbol < n; symbol++) {
    const count = load<u32>(counts + (symbol << 2));
    store<u8>(bits + symbol, 0);
    if (count != 0) store<u32>(nodes + (used++ << 2), (count << SYMBOL_BITS) | symbol);
  }
  if (used < 2) {
    const symbol = used == 1 ? load<u32>(nodes) & SYMBOL_MASK : 0;
    store<u8>(bits + symbol, 1);
    store<u8>(bits + (symbol == 0 ? 1 : 0), 1);
    return;
  }
  sortNodes(used);
  joinNodes(used);
  countDepths(used, most);
  // The rarest symbols have the longest codes.
  let at = nodes;
  for (let length = most; length > 0; length--)
    for (let left = load<u32>(bitCounts + (length << 2)); left > 0; left--) {
      store<u8>(bits + (load<u32>(at) & SYMBOL_MASK), length);
      at += 4;
    }
}

/** Shell sort, for at most 286 nodes. Its gaps: Ciura, 2001. */
function sortNodes(n: u32): void {
  for (let gap: u32 = 57; gap > 0; gap = gap == 57 ? 23 : gap == 23 ? 10 : gap == 10 ? 4 : gap == 4 ? 1 : 0)
    for (let i = gap; i < n; i++) {
      const node = load<u32>(nodes + (i << 2));
      let place = i;
      for (; place >= gap && load<u32>(nodes + ((place - gap) << 2)) > node; place -= gap)
        store<u32>(nodes + (place << 2), load<u32>(nodes + ((place - gap) << 2)));
      store<u32>(nodes + (place << 2), node);
    }
}

/** Joins the two rarest nodes until one is left. Inner node i takes the place of leaf i; the symbol there stays. */
function joinNodes(n: u32): void {
  let leaf: u32 = 0;
  let inner: u32 = 0;
  for (let parent: u32 = 0; parent < n - 1; parent++) {
    let sum: u32 = 0;
    for (let child = 0; child < 2; child++) {
      const leafCount = leaf < n ? load<u32>(nodes + (leaf << 2)) >> SYMBOL_BITS : u32.MAX_VALUE;
      const at = nodes + (inner << 2);
      if (inner == parent || leafCount <= load<u32>(at) >> SYMBOL_BITS) {
        sum += leafCount;
        leaf++;
      } else {
        sum += load<u32>(at) >> SYMBOL_BITS;
        setValue(at, parent);
        inner++;
      }
    }
    setValue(nodes + (parent << 2), sum);
  }
}

/** Counts the codes of each length: each inner node splits a leaf of its depth into two. */
function countDepths(n: u32, most: u32): void {
  memory.fill(bitCounts, 0, 4 * (MOST_BITS + 2));
  store<u32>(bitCounts + 4, 2);
  const root = nodes + ((n - 2) << 2);
  setValue(root, 0);
  for (let node = root; node > nodes; ) {
    node -= 4;
    let depth = (load<u32>(nodes + (load<u32>(node) >> SYMBOL_BITS << 2)) >> SYMBOL_BITS) + 1;
    setValue(node, depth);
    if (depth >= most) {
      depth = most - 1;
      while (load<u32>(bitCounts + (depth << 2)) == 0) depth--;
    }
    const leaves = bitCounts + (depth << 2);
    store<u32>(leaves, load<u32>(leaves) - 1);
    store<u32>(leaves + 4, load<u32>(leaves + 4) + 2);
  }
}

// @ts-ignore: decorator
@inline
function setValue(node: usize, value: u32): void {
  store<u32>(node, (load<u32>(node) & SYMBOL_MASK) | (value << SYMBOL_BITS));
}

/** Sets the canonical codes of `n` symbols: u32 each, the code, first bit lowest, << 8 | bits. */
export function setCodes(bits: usize, n: u32, codes: usize): void {
  memory.fill(bitCounts, 0, 4 * (MOST_BITS + 2));
  for (let symbol: u32 = 0; symbol < n; symbol++) {
    const counter = bitCounts + (<u32>load<u8>(bits + symbol) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
  store<u32>(bitCounts, 0);
  // Counts become the next code of each length.
  let next: u32 = 0;
  for (let length: u32 = 1; length <= MOST_BITS; length++) {
    const counter = bitCounts + (length << 2);
    const count = load<u32>(counter);
    next <<= 1;
    store<u32>(counter, next);
    next += count;
  }
  for (let symbol: u32 = 0; symbol < n; symbol++) {
    const length = <u32>load<u8>(bits + symbol);
    const counter = bitCounts + (length << 2);
    const code = load<u32>(counter);
    store<u32>(counter, code + 1);
    store<u32>(codes + (symbol << 2), length == 0 ? 0 : ((reversed(code) >> (16 - length)) << 8) | length);
  }
}

/** 16 bits in reverse order. */
// @ts-ignore: decorator
@inline
function reversed(code: u32): u32 {
  code = ((code & 0x5555) << 1) | ((code >> 1) & 0x5555);
  code = ((code & 0x3333) << 2) | ((code >> 2) & 0x3333);
  code = ((code & 0x0f0f) << 4) | ((code >> 4) & 0x0f0f);
  return ((code & 0xff) << 8) | (code >> 8);
}
