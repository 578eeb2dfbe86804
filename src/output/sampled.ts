/**
 * --sample: the records of the sample in input order. They come in random order, so all of them are held until the
 * last one has come.
 */
import type { BlockWriter } from '../contract/engine.js';
import { recordFinder } from '../records/record-finder.js';
import { numberOf, PLACE_BYTES } from '../records/shuffled.js';
import { linesIn, WholeRecords } from '../records/whole-records.js';
import { formatBytes } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { type Filter, oneByOne } from './filter.js';

/** The maximum bytes of a sample, unless -S is given. */
const MOST_BYTES = 1 << 30;
/** Bytes of memory for each record besides its text. */
const RECORD_BYTES = 200;
const WRITTEN_BYTES = 1 << 20;

/** How a sample is put in order. */
interface SampleOrder {
  readonly delimiter: number;
  readonly seed: Uint8Array;
  /** -S in bytes; null: it is not given. */
  readonly memoryBytes: number | null;
}

/** Passes on the lines, which have places before them, in input order and without their places. Throws `out-of-memory`. */
export function inInputOrder({ delimiter, seed, memoryBytes }: SampleOrder, write: BlockWriter): Filter {
  const records = new WholeRecords(recordFinder({ kind: 'lines', delimiter }));
  const most = memoryBytes ?? MOST_BYTES;
  const sample: { readonly number: bigint; readonly line: Buffer }[] = [];
  let bytes = 0;
  return oneByOne({
    take: async (block) => {
      for (const text of records.texts(block))
        for (const line of linesIn(text, delimiter)) {
          bytes += line.length + RECORD_BYTES;
          if (bytes > most)
            throw new GpusortError('out-of-memory', `memory exhausted: the sample takes over ${formatBytes(most)}`, {
              hint: 'Raise -S, or use --shuffle --top N, which holds no records back.',
            });
          sample.push({ number: numberOf(line.subarray(0, PLACE_BYTES), seed), line: Buffer.from(line) });
        }
    },
    finish: async () => {
      sample.sort((a, b) => (a.number < b.number ? -1 : 1));
      let pieces: Buffer[] = [];
      let size = 0;
      for (const [i, { line }] of sample.entries()) {
        pieces.push(line.subarray(PLACE_BYTES));
        size += line.length;
        if (size < WRITTEN_BYTES && i + 1 < sample.length) continue;
        await write(Buffer.concat(pieces));
        [pieces, size] = [[], 0];
      }
    },
  });
}
