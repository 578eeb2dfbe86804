/**
 * Locates a record whose key cannot be made, or which cannot be converted. The threads that do this work do not know
 * inputs or line numbers, so after such an error the inputs are read once more, in order, up to the first such record.
 * Pipes cannot be read again.
 */
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { KeyMaker } from '../keys/key-maker.js';
import { atPlace, isProblem } from '../keys/problem.js';
import { BamFramer } from '../records/bam.js';
import { unconvertedRecord } from '../records/convert-problem.js';
import type { GpusortError } from '../system/errors.js';
import { asBuffer } from '../system/memory.js';
import { quiet } from '../system/promises.js';
import { recordEnd } from '../verify/pieces.js';
import { type Completion, completedOrdering } from './complete.js';
import { FastaSections } from './fasta-section.js';
import type { InputFile } from './files.js';
import type { Headers } from './header.js';
import { headersOf, type Inputs, readHeaders } from './inputs.js';
import { textBytes } from './keyed-bytes.js';
import { RecordWindows } from './record-windows.js';

const NEWLINE = 10;

/** The part of a job that says where records and keys are. */
type ReadJob = Pick<SortJob, 'input' | 'ordering'>;

/**
 * Adds the place of the record to the error: the input and the line, or the number of the record in a binary format. In
 * a part of a file, only the byte is known. Other errors are returned unchanged. `files`: the inputs that were read.
 * `named`: see Completion; not needed for a complete job.
 */
export async function located(
  error: unknown,
  { files: inputs, named }: Pick<Inputs, 'files' | 'named'>,
  job: ReadJob,
): Promise<unknown> {
  if (!isProblem(error)) return error;
  const headers = headersOf(job);
  if (headers) headers.sections = new FastaSections(inputs, null);
  const files = inputs.filter(({ extent }) => extent !== null);
  if (headers?.unites === true)
    // The original error came first.
    await quiet(readHeaders({ files, headers }));
  // A pipe cannot be read again.
  for (const input of files) {
    const found = await problemIn(input, { headers, named }, job, error).catch(() => null);
    if (found !== null) return found;
  }
  return inputs.length === 1 ? atPlace(error, inputs[0].label) : error;
}

/** The error for the first record of an input that has the problem, with its place; null: there is none. */
async function problemIn(
  input: InputFile,
  completion: Completion,
  job: ReadJob,
  reported: GpusortError,
): Promise<GpusortError | null> {
  const { headers } = completion;
  const { format } = job.ordering;
  // Lines that are left out are counted in places.
  const text = await textBytes({ ...input, leavesOutResolved: false }, headers, format);
  const windows = new RecordWindows(text, format, { readsAhead: false });
  try {
    const ordering = keyed(completedOrdering(job.ordering, job, completion));
    const unconverted = unconvertedRecord(reported);
    const keys = new KeyMaker(ordering);
    const findIn =
      unconverted === undefined
        ? (records: Uint8Array) => problemOf(keys, records)
        : finderOf(lineOf(unconverted, input, headers), reported);
    let [records, bytes] = [0, 0];
    for (let window = await windows.next(); window !== null; window = await windows.next()) {
      const added = window.subarray(window.length - windows.added);
      const isBad = findIn(added) !== null;
      for (let at = 0; at < added.length; records++) {
        const end = recordEnd(format, added, at);
        const record = added.subarray(at, end);
        const error = isBad ? findIn(record) : null;
        if (error !== null)
          return atPlace(error, `${placeOf(input, headers, records, bytes + at)}${columnOf(ordering, record)}`);
        at = end;
      }
      bytes += added.length;
    }
    return null;
  } finally {
    await windows.close();
  }
}

/** The ordering whose keys have the problem. Only lines of JSON have one in the order of a language. */
function keyed(ordering: Ordering): Ordering {
  const { key } = ordering;
  if (key.kind !== 'collated') return ordering;
  return { ...ordering, key: { kind: 'normalized', parts: key.parts.slice(0, 1), seed: key.seed } };
}

/** A record that cannot be converted, in the form of the engines. */
function lineOf(record: Uint8Array, { framing, label }: InputFile, headers: Headers | null): Buffer {
  return framing?.kind === 'bam'
    ? Buffer.from(new BamFramer(label, { references: headers!.unitedBam!.references, bytes: null }).next(record))
    : Buffer.concat([record, Buffer.of(NEWLINE)]);
}

/** Returns `error` for whole lines that have this one among them. */
function finderOf(line: Buffer, error: GpusortError): (lines: Uint8Array) => GpusortError | null {
  const later = Buffer.concat([Buffer.of(NEWLINE), line]);
  return (lines) => (line.equals(lines.subarray(0, line.length)) || asBuffer(lines).includes(later) ? error : null);
}

/** The reason why keys cannot be made for whole records; null: they can. */
function problemOf(keys: KeyMaker, records: Uint8Array): GpusortError | null {
  try {
    keys.make(records, () => {});
    return null;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** The place of a record that this many records and bytes of the input's text precede. */
function placeOf(input: InputFile, headers: Headers | null, records: number, bytes: number): string {
  const { label, extent, framing, headerStripped } = input;
  const begin = extent!.begin;
  if (headerStripped && begin > 0) return `${label}: byte ${begin + bytes + 1}`;
  return framing === null
    ? `${label}: line ${(headers?.recordsOf(input) ?? 0) + records + 1}`
    : `${label}: record ${records + 1}`;
}

/** The column whose key cannot be made, if it is one. */
function columnOf(ordering: Ordering, record: Uint8Array): string {
  const { key } = ordering;
  if (key.kind !== 'normalized') return '';
  const part = key.parts.find(
    (one) => problemOf(new KeyMaker({ ...ordering, key: { ...key, parts: [one] } }), record) !== null,
  );
  return part === undefined || part.bam !== undefined || part.tag !== undefined || part.path !== undefined
    ? ''
    : `, column ${part.span.begin.field + 1}`;
}
