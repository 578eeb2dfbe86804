/**
 * Finds where segments end in inputs that are read as one, so that no share cuts a segment. A segment may go on from
 * one file to the next. Reads records from a place on, and compares neighbours.
 */
import type { Ordering } from '../job/job.js';
import { type SegmentMark, sameSegment, segmentMark } from '../keys/fields.js';
import { segmentsAsRead } from '../keys/record-encoding.js';
import { recordFinder } from '../records/record-finder.js';
import { recordsFrom } from './boundary.js';
import { cutterOf } from './cut-records.js';
import { type InputFile, withOpenFile } from './files.js';

/** A byte of one of the inputs. */
interface Place {
  readonly input: number;
  readonly byte: number;
}

/**
 * The first place after `from` where a segment certainly ends and another begins: the mark of the record there differs
 * from that of the one before, which begins at or after `from`. Null: there is none in the next `most` bytes. All
 * inputs have content and are read by position.
 */
export async function nextSegmentEnd(
  inputs: readonly InputFile[],
  ordering: Ordering,
  from: Place,
  most: number,
): Promise<Place | null> {
  const segments = segmentsAsRead(ordering)!;
  const finder = recordFinder(ordering.format);
  let left = most;
  /** Undefined: not known. */
  let before: SegmentMark | undefined;
  for (let input = from.input; input < inputs.length && left > 0; input++) {
    const found = await withOpenFile(inputs[input], async (file) => {
      const { begin } = inputs[input].extent!;
      const inside = input === from.input && from.byte > begin;
      const cut = cutterOf(inputs[input], ordering.format)!;
      const first = inside ? await cut(file, from.byte, Math.min(from.byte + left, file.end)) : begin;
      if (first === null) {
        left = 0;
        return null;
      }
      for await (const { at, bytes } of recordsFrom(file, finder, first)) {
        const mark = bytes === null ? undefined : segmentMark(segments, bytes);
        if (before !== undefined && mark !== undefined && !sameSegment(before, mark)) return at;
        before = mark;
        if (at - first > left) break;
      }
      left -= file.end - first;
      return null;
    });
    if (found !== null) return { input, byte: found };
  }
  return null;
}
