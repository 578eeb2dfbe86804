/**
 * Merges runs of text into one. Knows text, the shape of the order and where each run lies; no memory, threads or files.
 *
 * Records are read in small batches from each run (tokenize and prefix, the stages an order begins with), so that a merge needs
 * no memory for each record. The next record is found by a tree of losers (Knuth, The Art of Computer Programming, volume 3,
 * section 5.4.1) over the leading 53 bits of the prefixes, which one comparison of doubles settles; ties read the text.
 * A record equal to the one before it in its run follows at once: whatever the tree would have put between them is not less.
 */
import type { Shape } from './shape.js';
import type { Text } from './gather.js';
import { copyRecord, INDEX_STEP } from './gather.js';
import { compareWindows } from './prefix.js';
import { checkWhole, tokenizeFixed, tokenizeLines } from './tokenize.js';

/** Whole records in order: bytes [from, to) of a text. */
export interface Part {
  readonly text: Text;
  readonly from: number;
  readonly to: number;
}

/** Records read ahead from each run: enough to run the stages' loops, few enough to stay in the cache for hundreds of runs. */
const BATCH = 128;

/** The state of a merge: for run r the slots [r * BATCH, r * BATCH + filled[r]) of `key`, and one more of `ends` before each. */
interface Heads {
  readonly parts: readonly Part[];
  readonly shape: Shape;
  readonly depth: number;
  /** Where each batch's records end; slot r * (BATCH + 1) is where the first begins. */
  readonly ends: Uint32Array;
  /** The prefix's leading 53 bits. */
  readonly key: Float64Array;
  readonly head: Uint32Array;
  readonly filled: Uint32Array;
  /** The key of each run's next record; Infinity after its last. */
  readonly front: Float64Array;
}

/**
 * Merges `parts`, each sorted by `shape`, to byte `at` of `target`; of equal records those of earlier parts come first. All
 * keys share their first `depth` bytes. The places of every INDEX_STEP-th record are appended to `index` as in gatherRecords.
 */
export function mergeParts(
  parts: readonly Part[], shape: Shape, depth: number, target: Text, at: number, index: number[],
): { records: number; end: number } {
  for (const { text, from, to } of parts) checkWhole(text.bytes, from, to, shape.delimiter, shape.size);
  if (parts.length === 0) return { records: 0, end: at };
  if (parts.length === 1) return copyPart(parts[0], shape, target, at, index);
  const runs = parts.length;
  const heads: Heads = {
    parts, shape, depth,
    ends: new Uint32Array(runs * (BATCH + 1)),
    key: new Float64Array(runs * BATCH),
    head: new Uint32Array(runs), filled: new Uint32Array(runs), front: new Float64Array(runs),
  };
  for (let r = 0; r < runs; r++) {
    heads.ends[r * (BATCH + 1)] = parts[r].from;
    fillBatch(heads, r, parts[r].from);
  }
  const tree = new Uint32Array(runs);
  const winner = buildTree(heads, tree);
  return drain(heads, tree, winner, target, at, index);
}

/** Takes record after record from the tree, whose first is that of run `winner`, to byte `at` of `target`. */
function drain(
  heads: Heads, tree: Uint32Array, winner: number, target: Text, at: number, index: number[],
): { records: number; end: number } {
  const { parts, shape, depth, ends, front } = heads;
  let place = at;
  let records = 0;
  let lastText = parts[0].text;
  let lastKey = -1;
  let lastBegin = 0;
  let lastEnd = 0;
  while (front[winner] !== Infinity) {
    const text = parts[winner].text;
    const slot = winner * (BATCH + 1) + heads.head[winner];
    const begin = ends[slot];
    const end = ends[slot + 1];
    const k = front[winner];
    const dropped = shape.unique && k === lastKey
      && compareAt(shape, depth, text.view, begin, end, lastText.view, lastBegin, lastEnd) === 0;
    if (!dropped) {
      if ((records & (INDEX_STEP - 1)) === 0) index.push(place - at);
      records++;
      copyRecord(text, begin, end, target, place);
      place += end - begin;
      lastText = text;
      lastKey = k;
      lastBegin = begin;
      lastEnd = end;
    }
    advance(heads, winner, end);
    if (front[winner] === k && isAgain(heads, winner, begin, end)) continue;
    winner = replay(heads, tree, winner);
  }
  return { records, end: place };
}

/** Steps run `r` past its first record, which ends at `end`. */
function advance(heads: Heads, r: number, end: number): void {
  const following = ++heads.head[r];
  if (following < heads.filled[r]) heads.front[r] = heads.key[r * BATCH + following];
  else fillBatch(heads, r, end);
}

/** Whether the first record of run `r` equals [begin, end), the one before it in the run. */
function isAgain(heads: Heads, r: number, begin: number, end: number): boolean {
  const { shape, depth, ends } = heads;
  const slot = r * (BATCH + 1) + heads.head[r];
  const view = heads.parts[r].text.view;
  return compareAt(shape, depth, view, begin, end, view, ends[slot], ends[slot + 1]) === 0;
}

/** Plays run `r`, which has a new first record, up the tree; returns the winner. */
function replay(heads: Heads, tree: Uint32Array, r: number): number {
  const { front } = heads;
  let winner = r;
  let best = front[winner];
  for (let node = (r + tree.length) >>> 1; node > 0; node >>>= 1) {
    const other = tree[node];
    const f = front[other];
    if (f < best || (f === best && precedes(heads, other, winner))) {
      tree[node] = winner;
      winner = other;
      best = f;
    }
  }
  return winner;
}

/** Reads the next records of run `r`, which begin at byte `from` of its text. */
function fillBatch(heads: Heads, r: number, from: number): void {
  const { shape, ends, key } = heads;
  const part = heads.parts[r];
  const first = r * (BATCH + 1) + 1;
  ends[first - 1] = from;
  const count = shape.size > 0
    ? tokenizeFixed(from, part.to, shape.size, ends, first, BATCH)
    : tokenizeLines(part.text.words, from, part.to, shape.delimiter, ends, first, BATCH);
  heads.head[r] = 0;
  heads.filled[r] = count;
  if (count === 0) {
    heads.front[r] = Infinity;
    return;
  }
  takeKeys(part.text.view, ends, first, count, shape, heads.depth, key, r * BATCH);
  heads.front[r] = key[r * BATCH];
}

/** The leading 53 bits of the prefixes of `count` records, the i-th from ends[first + i - 1] to ends[first + i], into key[at...]. */
function takeKeys(
  view: DataView, ends: Uint32Array, first: number, count: number, shape: Shape, depth: number, key: Float64Array, at: number,
): void {
  const { keyOffset, keyLength, flip } = shape;
  for (let i = 0; i < count; i++) {
    const begin = ends[first + i - 1] + keyOffset;
    const from = begin + depth;
    const left = (keyLength < 0 ? ends[first + i] - 1 : begin + keyLength) - from;
    let high = 0;
    let low = 0;
    if (left > 0) {
      high = view.getUint32(from);
      low = view.getUint32(from + 4);
      if (left < 4) high &= -1 << ((4 - left) << 3);
      if (left <= 4) low = 0;
      else if (left < 8) low &= -1 << ((8 - left) << 3);
    }
    key[at + i] = ((high ^ flip) >>> 0) * 0x200000 + ((low ^ flip) >>> 11);
  }
}

/** Plays all runs against each other: losers into `tree`, returns the winner. */
function buildTree(heads: Heads, tree: Uint32Array): number {
  const runs = tree.length;
  const winners = new Uint32Array(2 * runs);
  for (let r = 0; r < runs; r++) winners[runs + r] = r;
  for (let node = runs - 1; node > 0; node--) {
    const a = winners[2 * node];
    const b = winners[2 * node + 1];
    const aFirst = heads.front[a] < heads.front[b] || (heads.front[a] === heads.front[b] && precedes(heads, a, b));
    winners[node] = aFirst ? a : b;
    tree[node] = aFirst ? b : a;
  }
  return winners[1];
}

/** Whether the next record of run `a` comes before that of run `b`, where their keys are the same. */
function precedes(heads: Heads, a: number, b: number): boolean {
  if (heads.front[a] === Infinity) return false;
  const slotA = a * (BATCH + 1) + heads.head[a];
  const slotB = b * (BATCH + 1) + heads.head[b];
  const { ends } = heads;
  const sign = compareAt(heads.shape, heads.depth, heads.parts[a].text.view, ends[slotA], ends[slotA + 1],
    heads.parts[b].text.view, ends[slotB], ends[slotB + 1]);
  return sign !== 0 ? sign < 0 : a < b;
}

/** Compares the records [beginA, endA) and [beginB, endB), delimiters included, whose keys share `depth` bytes. */
function compareAt(
  shape: Shape, depth: number, a: DataView, beginA: number, endA: number, b: DataView, beginB: number, endB: number,
): number {
  const skip = shape.keyOffset;
  const length = shape.keyLength;
  let sign = compareWindows(a, beginA + skip + depth, length < 0 ? endA - 1 : beginA + skip + length,
    b, beginB + skip + depth, length < 0 ? endB - 1 : beginB + skip + length);
  if (sign === 0 && shape.lastResort) sign = compareWindows(a, beginA, endA, b, beginB, endB);
  return shape.flip === 0 ? sign : -sign;
}

/** A single run is copied as it is. */
function copyPart(part: Part, shape: Shape, target: Text, at: number, index: number[]): { records: number; end: number } {
  target.bytes.set(part.text.bytes.subarray(part.from, part.to), at);
  const ends = new Uint32Array(INDEX_STEP);
  let records = 0;
  for (let from = part.from; from < part.to;) {
    index.push(from - part.from);
    const count = shape.size > 0
      ? tokenizeFixed(from, part.to, shape.size, ends, 0, INDEX_STEP)
      : tokenizeLines(part.text.words, from, part.to, shape.delimiter, ends, 0, INDEX_STEP);
    records += count;
    from = ends[count - 1];
  }
  return { records, end: at + part.to - part.from };
}
