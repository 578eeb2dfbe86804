/**
 * Finds matches for levels 6 to 9: follows chains of candidates (links.ts), takes the match that saves most
 * (prices.ts), unless one at the next position saves more. For matches of 3 bytes, only the last earlier place is
 * tried.
 */
import { SHORT_HASH_BITS, SHORT_POSITION_BYTES, shortPositions } from './layout';
import { hashBytes, linked, linkedEnd, linkMore, openLinks } from './links';
import { matchLength, WINDOW } from './matches';
import { priceBlock, saving } from './prices';
import { addSequence, endSequences, openSequences } from './sequences';
import { FIRST_LENGTH, LONGEST_MATCH } from './slots';

/** Candidates that are tried; fewer, `depth >> nextShift`, at the position after a match. */
let depth: u32 = 0;
let nextShift: u32 = 0;
/** A search ends with a match of this length. */
let enough: u32 = 0;
/** After a match of this length the next position is not searched. */
let certain: u32 = 0;
let textBegin: usize = 0;
/** The match that `search` has found last. */
let found: usize = 0;
let foundLength: u32 = 0;

/** Call it before each text. */
export function openBestMatches(from: usize, to: usize, level: u32): void {
  textBegin = from;
  openLinks(from, to);
  memory.fill(shortPositions, 0, SHORT_POSITION_BYTES);
  if (level <= 6) setEffort(32, 2, 65, 24);
  else if (level == 7) setEffort(56, 1, 130, 64);
  else if (level == 8) setEffort(112, 1, LONGEST_MATCH, 130);
  else setEffort(224, 0, LONGEST_MATCH, LONGEST_MATCH);
}

function setEffort(candidates: u32, shift: u32, enoughLength: u32, certainLength: u32): void {
  depth = candidates;
  nextShift = shift;
  enough = enoughLength;
  certain = certainLength;
}

/** Writes the sequences of the block in [from, to), and counts symbols. */
export function findBestMatches(from: usize, to: usize): void {
  hashBytes(priceBlock(from, to));
  openSequences();
  let at = from;
  let literals = from;
  while (at < to) {
    let saved = search(at, to, 0, 0, depth);
    if (saved == 0) {
      at++;
      continue;
    }
    let match = found;
    let length = foundLength;
    while (length < certain && at + 1 < to) {
      const more = search(at + 1, to, saved, length - 1, depth >> nextShift);
      if (more == saved) break;
      at++;
      saved = more;
      match = found;
      length = foundLength;
    }
    addSequence(literals, at, length, <u32>(at - match));
    at += length;
    literals = at;
  }
  endSequences(literals, to);
}

/**
 * Sets found and foundLength if there is a match at `at` longer than `longest` that saves more than `saved`. Returns
 * the most that is saved.
 */
// @ts-ignore: decorator
@inline
function search(at: usize, to: usize, saved: i32, longest: u32, tries: u32): i32 {
  if (at >= linkedEnd) linkMore();
  const most = <u32>min<usize>(to - at, LONGEST_MATCH);
  const first = max(textBegin, at - WINDOW);
  const word = load<u32>(at);
  if (longest < FIRST_LENGTH && most >= FIRST_LENGTH) {
    const entry = shortPositions + (<usize>(((word << 8) * 0x9e3779b1) >> (32 - SHORT_HASH_BITS)) << 1);
    const earlier = at - ((at - <usize>load<u16>(entry)) & 0xffff);
    store<u16>(entry, <u16>at);
    if (earlier >= first && earlier < at && ((load<u32>(earlier) ^ word) << 8) == 0)
      saved = better(at, earlier, FIRST_LENGTH, saved);
  }
  longest = max(longest, FIRST_LENGTH);
  if (longest >= most) return saved;
  let earlier = at;
  // A longer match ends with these bytes.
  let tail = load<u32>(at + longest - 3);
  for (; tries > 0; tries--) {
    earlier = linked(earlier);
    if (earlier < first) break;
    if (load<u32>(earlier + longest - 3) != tail || load<u32>(earlier) != word) continue;
    const length = matchLength(at, earlier, to);
    if (length <= longest) continue;
    longest = length;
    saved = better(at, earlier, length, saved);
    if (length >= enough || length == most) break;
    tail = load<u32>(at + longest - 3);
  }
  return saved;
}

/** Notes a match that saves more than `saved`. Returns the most that is saved. */
// @ts-ignore: decorator
@inline
function better(at: usize, earlier: usize, length: u32, saved: i32): i32 {
  const saves = saving(at, length, <u32>(at - earlier));
  if (saves <= saved) return saved;
  found = earlier;
  foundLength = length;
  return saves;
}
