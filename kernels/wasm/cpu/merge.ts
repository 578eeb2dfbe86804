/**
 * Merges runs of text. Knows text and the shape, but not where the runs come from.
 *
 * A loser tree (Knuth, The Art of Computer Programming, volume 3, section 5.4.1) over 8-byte keys finds the next
 * record; ties read the text. A record equal to the one before it in its run is taken at once, because the tree could
 * place no record between them. A record that repeats many times is copied as one piece.
 */
import { append, appendRepeats } from './output';
import { comparedBegin, comparedEnd, KEY, unique } from './shape';
import { sharedBytes } from '../shared/text';
import { compareRecords, keyAt } from './compare';
import { hasSegments } from './segments';
import { recordEnd } from './tokenize';

/**
 * The head of a run: the key of its next record (the greatest key after the last record), the record's beginning and
 * end, the end of the run, 12 spare bytes. Its 32 bytes, as a shift.
 */
const HEAD_SHIFT: usize = 5;

let heads: usize = 0;
/**
 * A power of two: then all paths to the root have the same length, which the branch predictor learns. Leaves without a
 * run share an exhausted one.
 */
let leaves: u32 = 0;
/**
 * For each inner node of the tree, the run that lost there: its key, then its head; 16 bytes. A run's path to the root
 * does not depend on keys, so the loads of its nodes overlap instead of waiting for each other. Node 0 holds the head
 * of the winner.
 */
const NODE_SHIFT: usize = 4;
let tree: usize = 0;
/** Bytes that all keys share. */
let depth: u32 = 0;
/**
 * Whether to drop repeats: under `unique`, except in one run with segments, because a segment may begin with the record
 * that ends the one before. One run of a sort has no repeats; the inputs of -m may have some.
 */
let dropsRepeats: bool = false;
/** The last record this merge wrote, if any. */
let hasLast: bool = false;
let lastBegin: u32 = 0;
let lastEnd: u32 = 0;
let lastKey: u64 = 0;
/** Whether this merge found a run that is not in order. */
let disorder: bool = false;

/** Whether the merge found a run that is not in order; its output is then invalid. */
export function foundDisorder(): bool { return disorder; }

function isOver(head: usize): bool { return load<u32>(head, 8) == load<u32>(head, 16); }

/** Makes bytes [from, to), whole records in order, the run number `run` of the heads at `newHeads`. */
export function addRun(newHeads: usize, run: u32, from: u32, to: u32): void {
  const head = newHeads + (<usize>run << HEAD_SHIFT);
  store<u32>(head, from, 8);
  store<u32>(head, to, 16);
}

/**
 * Begins a merge of the `newRuns` runs (at least one) at `newHeads`; equal records of earlier runs come first. All keys
 * share `newDepth` bytes. The tree at `newTree` takes 48 bytes per run: 24 for each leaf, of which there are fewer than
 * twice as many as runs, and a head if a leaf has no run.
 */
export function openMerge(newHeads: usize, newRuns: u32, newTree: usize, newDepth: u32): void {
  heads = newHeads;
  tree = newTree;
  for (leaves = 1; leaves < newRuns; leaves <<= 1);
  depth = newDepth;
  dropsRepeats = unique && (newRuns > 1 || !hasSegments());
  hasLast = false;
  disorder = false;
  // The winner of each node, with the leaves' own runs last; after them the exhausted run.
  const winners = nodeOf(leaves);
  const over = winners + (<usize>leaves << 3);
  if (newRuns < leaves) addRun(over, 0, 0, 0);
  for (let leaf: u32 = 0; leaf < leaves; leaf++) {
    const head = leaf < newRuns ? heads + (<usize>leaf << HEAD_SHIFT) : over;
    advance(head, load<u32>(head, 8));
    store<u32>(winners + (<usize>(leaves + leaf) << 2), <u32>head);
  }
  for (let node = leaves - 1; node > 0; node--) {
    const a = <usize>load<u32>(winners + (<usize>node << 3));
    const b = <usize>load<u32>(winners + (<usize>node << 3), 4);
    const aWins = precedes(a, b);
    store<u32>(winners + (<usize>node << 2), <u32>(aWins ? a : b));
    setLoser(nodeOf(node), aWins ? b : a);
  }
  setWinner(<usize>load<u32>(winners, 4));
}

function nodeOf(node: u32): usize { return tree + (<usize>node << NODE_SHIFT); }

function setLoser(node: usize, head: usize): void {
  store<u64>(node, load<u64>(head));
  store<u32>(node, <u32>head, 8);
}

function winnerHead(): usize { return <usize>load<u32>(tree, 8); }
function setWinner(head: usize): void { store<u32>(tree, <u32>head, 8); }

/** Appends up to `most` records from the runs to the output; returns whether there are more. */
export function merge(most: u32): bool {
  let winner = winnerHead();
  for (; most > 0 && !isOver(winner); most--) {
    const key = load<u64>(winner);
    const begin = load<u32>(winner, 8);
    const end = load<u32>(winner, 12);
    if (!dropsRepeats || !isRepeat(key, begin, end)) {
      if (dropsRepeats) {
        lastBegin = begin;
        lastEnd = end;
        lastKey = key;
        hasLast = true;
      }
      append(begin, end);
    }
    advance(winner, end);
    if (load<u64>(winner) == key && !isOver(winner)) most -= takeRepeats(winner, begin, end, most - 1);
    const nextKey = load<u64>(winner);
    if (nextKey <= key && !isOver(winner)) {
      const sign = nextKey < key
        ? 1
        : compareRecords(begin, end, load<u32>(winner, 8), load<u32>(winner, 12), depth, KEY);
      if (sign == 0) continue;
      if (sign > 0) disorder = true;
    }
    winner = replay(winner);
  }
  setWinner(winner);
  return !isOver(winner);
}

/**
 * Takes the records of a run that equal, byte for byte, the record [begin, end) just before them, at most `most`;
 * returns their number. The run from `begin` and the run from `end` are the same bytes as long as the record repeats.
 */
function takeRepeats(head: usize, begin: u32, end: u32, most: u32): u32 {
  const bytes = end - begin;
  const repeats = min(most, sharedBytes(begin, end, load<u32>(head, 16) - end) / bytes);
  if (repeats == 0) return 0;
  if (!dropsRepeats) appendRepeats(begin, end, repeats);
  advance(head, end + repeats * bytes);
  return repeats;
}

/** Whether the record equals the last one written. */
function isRepeat(key: u64, begin: u32, end: u32): bool {
  return hasLast && key == lastKey && compareRecords(lastBegin, lastEnd, begin, end, depth, KEY) == 0;
}

/** Advances a run to its record that begins at `begin`. */
function advance(head: usize, begin: u32): void {
  store<u32>(head, begin, 8);
  if (begin == load<u32>(head, 16)) {
    store<u64>(head, u64.MAX_VALUE);
    return;
  }
  const end = recordEnd(begin);
  store<u32>(head, end, 12);
  store<u64>(head, keyAt(comparedBegin(begin, KEY) + depth, comparedEnd(begin, end, KEY)));
}

/** Whether the next record of run `a` comes before that of run `b`. */
// @ts-ignore: decorator
@inline
function precedes(a: usize, b: usize): bool {
  const keyA = load<u64>(a);
  const keyB = load<u64>(b);
  return keyA < keyB || (keyA == keyB && precedesByText(a, b));
}

function precedesByText(a: usize, b: usize): bool {
  if (isOver(a)) return false;
  if (isOver(b)) return true;
  const sign = compareRecords(load<u32>(a, 8), load<u32>(a, 12), load<u32>(b, 8), load<u32>(b, 12), depth, KEY);
  return sign != 0 ? sign < 0 : a < b;
}

/**
 * Plays a run with a new next record up the tree; returns the winner. No branch depends on which key is less:
 * it would be mispredicted.
 */
function replay(head: usize): usize {
  let winner = head;
  let key = load<u64>(head);
  for (let number = (<u32>((head - heads) >> HEAD_SHIFT) + leaves) >> 1; number > 0; number >>= 1) {
    const node = nodeOf(number);
    const otherKey = load<u64>(node);
    const other = <usize>load<u32>(node, 8);
    const otherWins = otherKey == key ? precedesByText(other, winner) : otherKey < key;
    store<u64>(node, select<u64>(key, otherKey, otherWins));
    store<u32>(node, <u32>select<usize>(winner, other, otherWins), 8);
    winner = select<usize>(other, winner, otherWins);
    key = select<u64>(otherKey, key, otherWins);
  }
  return winner;
}
