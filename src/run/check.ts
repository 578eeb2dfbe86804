/**
 * -c and -C: checks that the input, or each of its segments, is in order, and stops at the first record that is not.
 * The kernels that check the output for --verify compare the neighbors (src/verify/batch-checker.ts).
 */

import { type Completion, completedJob, completedOrdering } from '../input/complete.js';
import { type InputFile, knownBytes } from '../input/files.js';
import { type Headers, refuseEmpty } from '../input/header.js';
import { type Inputs, readHeaders } from '../input/inputs.js';
import { engineRecords, InputKeys, keyedText, textBytes } from '../input/keyed-bytes.js';
import { RecordWindows } from '../input/record-windows.js';
import type { Genomics, SortJob, ToolName } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { isKeyed, textWithoutKey } from '../keys/keyed.js';
import { partsOf } from '../keys/orders.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { openSink } from '../output/sink.js';
import { FORMATS } from '../records/formats.js';
import { delimiterBytes, recordFinder } from '../records/record-finder.js';
import { recordName, shownRecord } from '../records/shown.js';
import type { Presence, Recorder } from '../report/recorder.js';
import { GpusortError } from '../system/errors.js';
import { rest } from '../system/promises.js';
import { type BatchChecker, beginsSegment, createBatchChecker } from '../verify/batch-checker.js';
import { checkerModules } from '../verify/checkers.js';
import { recordBegin, recordEnd } from '../verify/pieces.js';

/**
 * Windows of at least this size hold a long record. They are compared in steps, which keeps the main thread responsive.
 */
const LONG_BYTES = 16 << 20;

/** The first record of a window that is out of order: its index in the window and its byte offset. */
interface Disorder {
  readonly record: number;
  readonly byte: number;
}

/** The number of records compared, and the first that is out of order. */
export interface Comparison {
  readonly records: number;
  readonly disorder: Disorder | null;
}

/** Does a job in mode `check`. Throws `disorder` (exit status 1) if its input is not in order. */
export async function checkJob(job: SortJob, inputs: Inputs, recorder: Recorder): Promise<void> {
  const [input] = inputs.files as [InputFile];
  await readHeaders(inputs);
  await (job.check.orders
    ? nameOrders(job, input, inputs, recorder)
    : checkOrder(completedJob(job, inputs), input, inputs.headers, recorder));
}

/**
 * Checks the input of a complete job after its header. Throws `disorder` (exit status 1) at the first record that sorts
 * before its predecessor or, under `unique`, equals it.
 */
export async function checkOrder(
  job: SortJob,
  input: InputFile,
  headers: Headers | null,
  recorder: Recorder,
): Promise<void> {
  const windows = await openWindows(job, input, headers);
  const bytes = knownBytes([input]) ?? undefined;
  try {
    const compare = windowComparison(job.ordering, recorder.presence);
    // The number of the next window's first record.
    let first = 1 + (headers?.records ?? 0);
    for (let window = await windows.next(); window !== null; window = await windows.next()) {
      await rest();
      const { records, disorder } = await compare(window);
      if (disorder !== null) throw disorderError(job, input.label, window, first, disorder);
      // The next window begins with the last record of this one.
      first += records - 1;
      recorder.advance('checking', windows.added, bytes);
    }
    refuseEmpty(job.input, headers);
  } finally {
    await windows.close();
  }
}

async function openWindows(
  { ordering: { format } }: SortJob,
  input: InputFile,
  headers: Headers | null,
): Promise<RecordWindows> {
  const text = await textBytes(input, headers, format);
  return new RecordWindows(text, format, { readsAhead: input.extent !== null });
}

/** A function that compares the neighbors in a window of whole records. */
function windowComparison(
  ordering: Ordering,
  presence: Presence | null = null,
): (window: Buffer) => Promise<Comparison> {
  const checker = createBatchChecker(ordering, checkerModules(ordering), 'plain', { presence });
  const keys = new InputKeys(ordering, presence);
  return async (window) => (window.length < LONG_BYTES ? compareShort(checker, window) : compareLong(keys, window));
}

/** The record of a window that begins at `byte`, without its delimiter. */
function recordAt({ format }: Ordering, window: Buffer, byte: number): Buffer {
  return window.subarray(byte, recordEnd(format, window, byte) - delimiterBytes(recordFinder(format)));
}

function compareShort(checker: BatchChecker, window: Buffer): Comparison {
  const {
    digest: { records },
    disorder,
  } = checker.check(window);
  return { records, disorder };
}

/** Compares the records of `window` one by one. A worker thread makes the keys. */
async function compareLong(keys: InputKeys, window: Buffer): Promise<Comparison> {
  const { ordering } = keys;
  const finder = recordFinder(ordering.format);
  const text = isKeyed(ordering) ? await keyedText(window, keys) : encodedText(window, ordering);
  let before: Uint8Array | null = null;
  let [records, byte] = [0, 0];
  for (let at = 0; at < text.length; records++) {
    const end = at + finder.firstEnd(text.subarray(at), 0);
    const record = text.subarray(at, end - delimiterBytes(finder));
    if (before !== null && isOutOfOrder(ordering, before, record))
      return { records, disorder: { record: records, byte } };
    byte += (isKeyed(ordering) ? textWithoutKey(ordering, record) : record).length + delimiterBytes(finder);
    before = record;
    at = end;
    await rest();
  }
  return { records, disorder: null };
}

/** Binary records as engines hold them. */
function encodedText(window: Buffer, { encoding }: Ordering): Buffer {
  if (encoding === undefined) return window;
  const copy = Buffer.from(window);
  new RecordEncoder(encoding).encode(copy);
  return copy;
}

/** Whether `record` may not follow `before`. The first record of a segment may follow any record. */
function isOutOfOrder(ordering: Ordering, before: Uint8Array, record: Uint8Array): boolean {
  // Equal records are in order, but not under -u.
  if (compareRecords(ordering, before, record) <= (ordering.unique ? -1 : 0)) return false;
  return !beginsSegment(ordering, textWithoutKey(ordering, before), textWithoutKey(ordering, record));
}

/**
 * The error for a record of `window` that is out of order: GNU sort's words, and under --check=explain a hint. `first`
 * is the number of the window's first record.
 */
function disorderError(
  { ordering, input: { framing }, check }: SortJob,
  label: string,
  window: Buffer,
  first: number,
  { record, byte }: Disorder,
): GpusortError {
  const { format } = ordering;
  const delimiter = delimiterBytes(recordFinder(format));
  const before = window.subarray(recordBegin(format, window, byte), byte - delimiter);
  const after = recordAt(ordering, window, byte);
  const shown = (bytes: Uint8Array): string =>
    format.kind === 'lines' ? shownRecord(framing, bytes) : Buffer.from(bytes).toString('hex');
  const end = format.kind === 'lines' && framing === null ? String.fromCharCode(format.delimiter) : '\n';
  const number = first + record;
  const hint = (): string => {
    const [a, b] = engineRecords([[before, after]], ordering)[0];
    const relation = compareRecords(ordering, a!, b!) === 0 ? 'has an equal key' : 'comes after it in order';
    return `${label}:${number - 1}: ${relation}: ${shown(before)}`;
  };
  return new GpusortError('disorder', `${label}:${number}: disorder: ${shown(after)}`, {
    exitCode: 1,
    end,
    ...(check.explains ? { hint: hint() } : {}),
  });
}

/** An order to try, and the name that it is listed by. */
interface Candidate {
  readonly name: string;
  readonly genomics: Genomics;
}

/**
 * --check=orders: reads an input once. Writes to the job's output which orders of its format the input is in and, for
 * each other order, the first record that violates it. The kernels of --verify compare neighbors, as for -c.
 */
async function nameOrders(job: SortJob, input: InputFile, completion: Completion, recorder: Recorder): Promise<void> {
  const { headers } = completion;
  const windows = await openWindows(job, input, headers);
  const broken = new Map<string, string>();
  try {
    const checks = candidatesOf(job.input.genomics!).map(({ name, genomics }) => ({
      name,
      compare: windowComparison(completedOrdering(orderingOf(job, genomics), job, completion)),
    }));
    for (let window = await windows.next(), first = 1; window !== null; window = await windows.next()) {
      await rest();
      let records = 0;
      for (const { name, compare } of checks) {
        if (broken.has(name)) continue;
        const found = await compare(window);
        records = found.records;
        if (found.disorder === null) continue;
        const { record, byte } = found.disorder;
        const shown = recordName(job.input.genomics!.format, recordAt(job.ordering, window, byte));
        broken.set(name, `record ${first + record} sorts before record ${first + record - 1}: ${shown}`);
      }
      if (broken.size === checks.length) break;
      first += records - 1;
      recorder.advance('checking', windows.added, input.extent === null ? undefined : input.extent.end);
    }
    refuseEmpty(job.input, headers);
    const lines = checks.map(({ name }) => {
      const why = broken.get(name);
      return why === undefined ? `${name}: in order\n` : `${name}: not in order: ${why}\n`;
    });
    const sink = await openSink(
      { ...job, output: { ...job.output, convertsTo: null, compression: null, mates: [], duplicates: null } },
      recorder,
    );
    await sink.write(Buffer.from(lines.join(''), 'latin1'));
    await sink.finish();
  } finally {
    await windows.close();
  }
}

/** Orders of alignments: the name in the list, `--by` and `--as`. */
const ALIGNMENT_ORDERS: readonly (readonly [name: string, by: string, as: ToolName | null])[] = [
  ['coordinate', 'coordinate', null],
  ['queryname (natural)', 'queryname', null],
  ['queryname-ascii', 'queryname-ascii', null],
  ['coordinate (picard)', 'coordinate', 'picard'],
  ['queryname (picard)', 'queryname', 'picard'],
];

function candidatesOf(genomics: Genomics): Candidate[] {
  const { format, by: asked } = genomics;
  const { orders } = FORMATS[format];
  const whole =
    format === 'sam' || format === 'bam'
      ? ALIGNMENT_ORDERS.map(([name, by, as]) => ({ name, genomics: { ...genomics, by, as } }))
      : orders.map((by) => ({ name: by, genomics: { ...genomics, by, as: null } }));
  return orders.includes(asked) ? whole : [...whole, { name: asked, genomics }];
}

/** The job's ordering by another order of its format, without -r. */
function orderingOf({ ordering, input: { contigs } }: SortJob, genomics: Genomics): Ordering {
  const listed = contigs === null || contigs === 'natural' ? contigs : 'list';
  return { ...ordering, key: { kind: 'normalized', parts: partsOf(genomics, listed), seed: null } };
}
