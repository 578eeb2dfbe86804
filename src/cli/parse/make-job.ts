/**
 * Turns the values of compatible options into a job. Knows nothing of how the command line was written, and finds the
 * errors that the option table cannot: those of keys, and of values that contradict each other.
 */
import type { Header, Limit, Ordering, RecordFormat, Segments, SortJob } from '../../job.js';
import { GpusortError } from '../../report/errors.js';
import { toName } from './argv.js';
import { csvSeparatorOf, isCsv, refuseNamesWithoutHeader, separatorOf } from './csv.js';
import { type KeyDefinition, parseFieldSpan } from './key-definition.js';
import type { Values } from './option-values.js';
import { modifiersOf, type OrderingRequest, orderingOfLines } from './ordering.js';
import { type ByteKey, parseByteKey, quoteLikeC } from './values.js';

/**
 * The job without its inputs. `letters` are the ordering letters for the whole command line; `temporaryDirectory` is
 * for temporary files without -T.
 */
export function makeJob(
  values: Values,
  letters: ReadonlySet<string>,
  temporaryDirectory: string,
): Omit<SortJob, 'inputs'> {
  refuseNamesWithoutHeader(values);
  return {
    mode: values.check !== undefined ? 'check' : values.merge ? 'merge' : 'sort',
    quietCheck: values.check?.letter === 'C',
    explainsCheck: values.check?.explains ?? false,
    output: values.output === undefined ? null : toName(values.output),
    sync: values.sync ?? false,
    ordering: makeOrdering(values, letters),
    csvSeparator: csvSeparatorOf(values),
    count: values.count ?? false,
    header: makeHeader(values),
    limit: makeLimit(values),
    verify: values.verify ?? false,
    engine: values.engine ?? 'auto',
    algorithm: values.algorithm ?? 'auto',
    memoryBytes: values.bufferSize ?? null,
    gpuMemoryBytes: values.gpuMemory ?? null,
    temporaryDirectories: (values.temporaryDirectory ?? [temporaryDirectory]).map(toName),
    batchSize: values.batchSize ?? null,
    compressProgram: values.compressProgram === undefined ? null : toName(values.compressProgram),
    randomSource: values.randomSource === undefined ? null : toName(values.randomSource),
    debug: values.debug ?? false,
    parallel: values.parallel ?? null,
    chunkBytes: values.chunkSize ?? null,
    explain: values.explain ?? 'no',
    stats: values.stats ?? 'no',
    progress: values.progress ?? 'auto',
    color: values.color ?? 'auto',
  };
}

function makeOrdering(values: Values, letters: ReadonlySet<string>): Ordering {
  const format: RecordFormat =
    values.recordSize === undefined
      ? { kind: 'lines', delimiter: values.zeroTerminated || isCsv(values) ? 0 : 10 }
      : { kind: 'fixed', size: values.recordSize };
  const ordering =
    format.kind === 'fixed'
      ? orderingOfRecords(values, letters.has('r'), format.size)
      : orderingOfLines(lineOrdering(values, letters));
  // --count needs all equal lines, so none may be dropped before it.
  const kept = values.count ? { ...ordering, unique: false } : ordering;
  const segments = makeSegments(values, format);
  return Object.freeze<Ordering>({ format, ...kept, ...(segments === null ? {} : { segments }) });
}

/** What the options say about the order of lines. */
export function lineOrdering(values: Values, letters: ReadonlySet<string>): OrderingRequest {
  return {
    keys: values.json ?? (values.key as KeyDefinition[] | undefined) ?? [],
    global: modifiersOf(letters),
    separator: separatorOf(values),
    quoted: isCsv(values),
    stable: values.stable ?? false,
    unique: (values.unique || values.count) ?? false,
    debug: values.debug ?? false,
    locale: values.locale ?? null,
  };
}

/** The ordering of binary records: by the whole record, or by one range of bytes. */
function orderingOfRecords(values: Values, reverse: boolean, size: number): Omit<Ordering, 'format' | 'segments'> {
  const key = values.key as ByteKey | undefined;
  if (key !== undefined && key.offset + key.length > size) throw outside(`${key.offset}:${key.length}`, size);
  const isWholeRecord = key === undefined || (key.offset === 0 && key.length === size);
  return {
    key: isWholeRecord ? { kind: 'record' } : { kind: 'bytes', ...key },
    reverse,
    unique: values.unique ?? false,
    lastResort: !values.stable && !values.unique,
  };
}

function makeSegments({ segmentBy, segments, fieldSeparator }: Values, format: RecordFormat): Segments | null {
  if (segments !== undefined) return { kind: 'blank' };
  if (segmentBy === undefined) return null;
  if (format.kind === 'lines') return { kind: 'fields', span: parseFieldSpan(segmentBy, fieldSeparator ?? null) };
  const part = parseByteKey(segmentBy, '--segment-by');
  if (part.offset + part.length > format.size) throw outside(segmentBy, format.size);
  return { kind: 'bytes', ...part };
}

function makeHeader(values: Values): Header | null {
  const { header, headerPrefix, zeroTerminated } = values;
  if (header === undefined && headerPrefix === undefined) return isCsv(values) ? { kind: 'lines', count: 1 } : null;
  if (headerPrefix === undefined) return header === 0 ? null : { kind: 'lines', count: header! };
  if (headerPrefix === '' || headerPrefix.includes(zeroTerminated ? '\0' : '\n')) {
    throw new GpusortError('usage', `invalid --header-prefix argument ${quoteLikeC(headerPrefix)}`, {
      hint: 'Give the first bytes of each header line, for example --header-prefix "#".',
    });
  }
  return { kind: 'prefix', prefix: Buffer.from(headerPrefix, 'latin1') };
}

function makeLimit({ top, bottom }: Values): Limit | null {
  if (top !== undefined) return { count: top, end: 'first' };
  return bottom === undefined ? null : { count: bottom, end: 'last' };
}

function outside(key: string, recordSize: number): GpusortError {
  return new GpusortError('usage', `key ${key} lies outside records of ${recordSize} bytes`);
}
