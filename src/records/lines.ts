/** Lines: records that end in a delimiter byte. */
import type { RecordFinder } from './record-finder.js';

export function linesFinder(delimiter: number): RecordFinder {
  return {
    delimiter,
    lastEnd: (bytes) => bytes.lastIndexOf(delimiter) + 1 || -1,
    firstEnd: (bytes) => bytes.indexOf(delimiter) + 1 || -1,
    checkWhole: () => undefined,
  };
}
