/**
 * -c and -C: is the input in order, or each of its segments? Stops at the first record that is not.
 */
import { engineBytes } from './input/keyed-bytes.js';
import { RecordCursor } from './input/record-cursor.js';
import type { InputFile } from './input/files.js';
import { withFieldNumbers, type Headers } from './input/header.js';
import type { Ordering, SortJob } from './job.js';
import { compareRecords } from './keys/compare.js';
import { textOf } from './keys/keyed.js';
import { sameSegment, segmentMark } from './keys/segments.js';
import { rest } from './promises.js';
import { GpusortError } from './report/errors.js';
import { recordFinder } from './records/format.js';
import { bytesToText } from './report/raw-text.js';
import type { Recorder } from './report/stats.js';

/** Records between two looks at the clock. */
const RECORDS_A_LOOK = 1024;

/** Looks at what is behind the header. Throws `disorder` (exit status 1) at the first record out of order: before, or under `unique` not after, the one before it. */
export async function checkOrder(job: SortJob, input: InputFile, headers: Headers | null, recorder: Recorder): Promise<void> {
  const source = await engineBytes(input, job.ordering, headers);
  const ordering = withFieldNumbers(job.ordering, headers, job.csvSeparator);
  const cursor = new RecordCursor(source, recordFinder(ordering.format));
  try {
    if (!(await cursor.refill(0))) return;
    for (let record = 2 + (headers?.lines ?? 0); ; record++) {
      if (record % RECORDS_A_LOOK === 0) await rest();
      let { start, end } = cursor;
      if (!cursor.step()) {
        recorder.advance('checking', start);
        if (!(await cursor.refill(start))) return;
        end -= start;
        start = 0;
      }
      const { window } = cursor;
      if (outOfOrder(ordering, window.subarray(start, end), window.subarray(cursor.start, cursor.end))) {
        throw disorder({ ...job, ordering }, input.label, record, window.subarray(start, end), window.subarray(cursor.start, cursor.end));
      }
    }
  } finally {
    source.close();
  }
}

/** Whether a record must not follow the one before it; of another segment any may. */
function outOfOrder(ordering: Ordering, before: Uint8Array, record: Uint8Array): boolean {
  // Equal records are in order; -u wants none.
  if (compareRecords(ordering, before, record) <= (ordering.unique ? -1 : 0)) return false;
  const { segments } = ordering;
  return segments === undefined || sameSegment(segmentMark(segments, textOf(ordering, before)), segmentMark(segments, textOf(ordering, record)));
}

/** What is said of record number `number`, which must not follow the one before it; GNU sort's words, and more where that is asked for. */
function disorder({ ordering, csvSeparator, explainsCheck }: SortJob, label: string, number: number, before: Uint8Array, record: Uint8Array): GpusortError {
  const { format } = ordering;
  const shown = (bytes: Uint8Array): string => (format.kind === 'lines' ? bytesToText(textOf(ordering, bytes)) : Buffer.from(bytes).toString('hex'));
  const end = format.kind === 'lines' && csvSeparator === null ? String.fromCharCode(format.delimiter) : '\n';
  const why = compareRecords(ordering, before, record) === 0 ? 'has an equal key' : 'comes after it in order';
  return new GpusortError('disorder', `${label}:${number}: disorder: ${shown(record)}`,
    { exitCode: 1, end, ...(explainsCheck ? { hint: `${label}:${number - 1}: ${why}: ${shown(before)}` } : {}) });
}
