/**
 * Splits records in order into the first ones of each key, or the last one, and the others. Keyed lines are written
 * without their keys.
 *
 *     openSplit -> splitEqual for each text -> holdFirst, before its memory is reused -> ...
 *     openSplit -> splitLast for each text -> holdFirst, before its memory is reused -> ... -> endLast
 */
import { copyRecord } from '../../shared/text';
import { firstEnd, firstText, hasFirst, isEqual, openFixed, openLines, recordEnd, takeFirst, textOf } from './equal';

/** The number of records of each key that count as its first ones, and how many of the current key there were. */
let most: u32 = 1;
let taken: u32 = 0;

/**
 * `newMost`: see `most`. `size`: bytes of a fixed record, which is compared by the `count` ranges in the table at
 * `ranges`; 0: lines.
 */
export function openSplit(newMost: u32, keyed: bool, size: u32, ranges: u32, count: u32): void {
  most = newMost;
  taken = 0;
  if (size == 0) openLines(keyed);
  else openFixed(size, ranges, count);
}

/**
 * Takes the whole records [from, to). The two numbers at `ends` are where the first records and the others are written,
 * and then where they end. Each has room for all of the text.
 */
export function splitEqual(from: u32, to: u32, ends: u32): void {
  let kept = load<u32>(ends);
  let others = load<u32>(ends, 4);
  while (from < to) {
    const next = recordEnd(from);
    const text = textOf(from);
    if (!hasFirst() || !isEqual(from, next)) {
      takeFirst(from, next);
      taken = 0;
    }
    if (taken < most) {
      taken++;
      copyRecord(text, next, kept);
      kept += next - text;
    } else {
      copyRecord(text, next, others);
      others += next - text;
    }
    from = next;
  }
  store<u32>(ends, kept);
  store<u32>(ends, others, 4);
}

/**
 * The same for the last record of each key. The record before the next one is the one that is held and compared with:
 * whether it is the last of its key shows only then. So each result needs room for one more record.
 */
export function splitLast(from: u32, to: u32, ends: u32): void {
  let kept = load<u32>(ends);
  let others = load<u32>(ends, 4);
  while (from < to) {
    const next = recordEnd(from);
    if (hasFirst()) {
      const size = firstEnd() - firstText();
      if (isEqual(from, next)) {
        copyRecord(firstText(), firstEnd(), others);
        others += size;
      } else {
        copyRecord(firstText(), firstEnd(), kept);
        kept += size;
      }
    }
    takeFirst(from, next);
    from = next;
  }
  store<u32>(ends, kept);
  store<u32>(ends, others, 4);
}

/** Writes the last record of all, after all texts. */
export function endLast(ends: u32): void {
  if (!hasFirst()) return;
  const kept = load<u32>(ends);
  copyRecord(firstText(), firstEnd(), kept);
  store<u32>(ends, kept + firstEnd() - firstText());
}
