/**
 * Splits records in order into the first one of each key, and the others. Keyed lines are written without their keys.
 *
 *     openSplit -> splitEqual for each text -> holdFirst, before its memory is reused -> ...
 */
import { copyRecord } from '../shared/text';
import { hasFirst, isEqual, openFixed, openLines, recordEnd, takeFirst, textOf } from './equal';

/** `size`: bytes of a fixed record, which is compared by the `count` ranges in the table at `ranges`; 0: lines. */
export function openSplit(keyed: bool, size: u32, ranges: u32, count: u32): void {
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
    if (hasFirst() && isEqual(from, next)) {
      copyRecord(text, next, others);
      others += next - text;
    } else {
      takeFirst(from, next);
      copyRecord(text, next, kept);
      kept += next - text;
    }
    from = next;
  }
  store<u32>(ends, kept);
  store<u32>(ends, others, 4);
}
