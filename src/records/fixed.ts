/** Binary records of a fixed size, without delimiters. */
import { GpusortError } from '../system/errors.js';
import type { RecordFinder } from './record-finder.js';

export function fixedFinder(size: number): RecordFinder {
  return {
    delimiter: null,
    lastEnd: (bytes, offset) => {
      const end = bytes.length - ((offset + bytes.length) % size);
      return end > 0 ? end : -1;
    },
    firstEnd: (bytes, offset) => {
      const end = size - (offset % size);
      return end <= bytes.length ? end : -1;
    },
    checkWhole: (label, bytes) => {
      const remainder = bytes % size;
      if (remainder === 0) return;
      const given = bytes === 1 ? '1 byte is' : `${bytes} bytes are`;
      const left = remainder === 1 ? '1 byte is' : `${remainder} bytes are`;
      throw new GpusortError(
        'bad-records',
        `${label}: ${given} not a whole number of ${size}-byte records: ${left} left over`,
        { hint: 'Give the size that the records have, with --record-size or the type of --array.' },
      );
    },
  };
}
