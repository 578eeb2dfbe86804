/**
 * Turns the values of compatible options into a job. Does not know how the command line was written. Finds the errors
 * that the option table cannot find: errors in keys, and values that contradict each other.
 */
import type {
  FormatName,
  Framing,
  Genomics,
  GroupLimit,
  Header,
  InputRequest,
  Limit,
  OutputCompression,
  OutputRequest,
  ProgramRun,
  Resources,
  SortJob,
} from '../../job/job.js';
import type { Ordering, RecordFormat, SegmentRule } from '../../job/ordering.js';
import { planEncoding } from '../../keys/record-encoding.js';
import { FORMATS } from '../../records/formats.js';
import { GpusortError } from '../../system/errors.js';
import { toName } from './argv.js';
import { clusterOf } from './cluster.js';
import type { Surroundings } from './environment.js';
import {
  combinedOf,
  compressionOf,
  conversionOf,
  duplicatesOf,
  framingOf,
  genomicsOf,
  matesOf,
  orderingOfFormat,
  refuseIndex,
} from './genomics.js';
import { type KeyDefinition, parseFieldSpan } from './key-definition.js';
import { keepsLast, needsEqual, type Values } from './option-values.js';
import { modifiersOf, type OrderingRequest, orderingOfLines } from './ordering.js';
import { parseSegmentKey, type RecordKey } from './record-key.js';
import { csvSeparatorOf, isCsv, refuseNamesWithoutHeader, separatorOf } from './tables.js';
import { quoteLikeC } from './values.js';

/**
 * The job without its input files. `letters` are the ordering letters for the whole command line; `guessed` is the
 * format of the input if it was guessed. `run` returns this run of the program, for headers.
 */
export function makeJob(
  values: Values,
  letters: ReadonlySet<string>,
  surroundings: Pick<Surroundings, 'programName' | 'temporaryDirectory' | 'recognizes'> & {
    readonly run: () => ProgramRun;
  },
  guessed: FormatName | null,
): SortJob {
  refuseNamesWithoutHeader(values);
  const genomics = genomicsOf(values, guessed, surroundings.run);
  const { programName, recognizes = false } = surroundings;
  const compression = compressionOf(values, genomics, recognizes);
  const convertsTo = conversionOf(values, genomics);
  refuseIndex(values, genomics, compression);
  const csvFraming = framingOfCsv(values);
  const ordering =
    genomics === null ? makeOrdering(values, letters) : Object.freeze(orderingOfFormat(genomics, values));
  refuseSeed(values, ordering);
  const isBinary = ordering.format.kind === 'fixed';
  return {
    mode: values.check !== undefined ? 'check' : values.merge ? 'merge' : 'sort',
    // No warning under GNU sort's name, because GNU sort prints none, or for binary records, which are often compressed
    // data.
    input: makeInput(values, { genomics, csvFraming, recognizes, mayWarn: !isBinary && programName !== 'sort' }),
    ordering,
    output: makeOutput(values, { genomics, convertsTo, compression, recognizes }),
    check: {
      quiet: values.check?.letter === 'C',
      explains: values.check?.explains ?? false,
      orders: values.check?.orders ?? false,
    },
    resources: makeResources(values, surroundings),
    report: {
      explain: values.explain ?? 'no',
      stats: values.stats ?? 'no',
      progress: values.progress ?? 'auto',
      color: values.color ?? 'auto',
      presets: [],
    },
    cluster: clusterOf(values),
  };
}

interface InputForms {
  readonly genomics: Genomics | null;
  readonly csvFraming: Framing | null;
  readonly recognizes: boolean;
  /** Whether compressed data that is sorted as it is deserves a warning. */
  readonly mayWarn: boolean;
}

function makeInput(values: Values, { genomics, csvFraming, recognizes, mayWarn }: InputForms): InputRequest {
  const { contigs = null, decompress, randomSource } = values;
  const decompresses = decompress === 'always' || genomics !== null;
  const mayBePacked = !decompresses && decompress === undefined;
  return {
    files: [],
    mates: matesOf(values).map(({ input }) => input),
    decompress: decompresses,
    recognizes: recognizes && mayBePacked,
    warnsOfCompression: mayWarn && mayBePacked,
    framing: genomics === null ? csvFraming : framingOf(genomics, values),
    genomics,
    header: genomics === null ? makeHeader(values) : FORMATS[genomics.format].header,
    combined: combinedOf(values, genomics),
    contigs: contigs === null || contigs === 'natural' ? contigs : toName(contigs),
    randomSource: randomSource === undefined ? null : toName(randomSource),
    seed: values.seed ?? null,
    shuffle: shuffles(values) ? { seed: null } : null,
  };
}

function framingOfCsv(values: Values): Framing | null {
  const separator = csvSeparatorOf(values);
  return separator === null ? null : { kind: 'csv', separator };
}

interface Forms {
  readonly genomics: Genomics | null;
  readonly convertsTo: OutputRequest['convertsTo'];
  readonly compression: OutputCompression | null;
  readonly recognizes: boolean;
}

function makeOutput(values: Values, { genomics, convertsTo, compression, recognizes }: Forms): OutputRequest {
  return {
    file: values.output === undefined ? null : toName(values.output),
    mates: matesOf(values).map(({ output }) => output),
    sync: values.sync ?? false,
    convertsTo,
    compression,
    index: values.index ?? null,
    count: values.count ?? false,
    keepsLast: keepsLast(values),
    duplicates: duplicatesOf(values, genomics, recognizes),
    inInputOrder: values.sample !== undefined,
    limit: makeLimit(values),
    groups: makeGroups(values),
    underline: values.debug ?? false,
    verify: values.verify ?? false,
  };
}

function makeResources(values: Values, { temporaryDirectory }: Pick<Surroundings, 'temporaryDirectory'>): Resources {
  return {
    engine: values.engine ?? 'auto',
    ...(values.algorithm ?? { algorithm: 'auto', tunings: [] }),
    memoryBytes: values.bufferSize ?? null,
    gpuMemoryBytes: values.gpuMemory ?? null,
    temporaryDirectories: (values.temporaryDirectory ?? [temporaryDirectory]).map(toName),
    batchSize: values.batchSize ?? null,
    compressProgram: values.compressProgram === undefined ? null : toName(values.compressProgram),
    parallel: values.parallel ?? null,
    chunkBytes: values.chunkSize ?? null,
  };
}

function makeOrdering(values: Values, letters: ReadonlySet<string>): Ordering {
  const records = recordsOf(values);
  if (records !== null) return Object.freeze(orderingOfRecords(values, letters.has('r'), records));
  const format: RecordFormat = { kind: 'lines', delimiter: values.zeroTerminated || isCsv(values) ? 0 : 10 };
  const ordering = orderingOfLines(lineOrdering(values, letters));
  const kept = needsEqual(values) ? { ...ordering, unique: false } : ordering;
  const segments = makeSegments(values);
  return Object.freeze<Ordering>({ format, ...kept, ...(segments === null ? {} : { segments }) });
}

/** The options that concern the order of lines. */
export function lineOrdering(values: Values, letters: ReadonlySet<string>): OrderingRequest {
  return {
    groups: values.per ?? [],
    keys: values.json ?? (values.key as KeyDefinition[] | undefined) ?? [],
    global: modifiersOf(letters),
    separator: separatorOf(values),
    quoted: isCsv(values),
    stable: values.stable ?? false,
    unique: values.unique !== undefined || needsEqual(values),
    debug: values.debug ?? false,
    locale: values.locale ?? null,
  };
}

/** The size of binary records and their keys; null: lines. */
function recordsOf({ recordSize, array, key }: Values): { size: number; keys: readonly RecordKey[] } | null {
  if (recordSize !== undefined) return { size: recordSize, keys: (key as RecordKey[] | undefined) ?? [] };
  if (array === undefined) return null;
  const { type, valueBytes, text } = array;
  return { size: type.bytes + valueBytes, keys: [{ offset: 0, length: type.bytes, type, reverse: false, text }] };
}

/** The ordering of binary records: by whole records, by a range of bytes, or by several keys or numbers. */
function orderingOfRecords(
  values: Values,
  reverse: boolean,
  { size, keys }: { size: number; keys: readonly RecordKey[] },
): Ordering {
  const segmentKeys = values.segmentBy === undefined ? [] : [parseSegmentKey(values.segmentBy, '--segment-by')];
  for (const key of [...keys, ...segmentKeys]) if (key.offset + key.length > size) throw outside(key, size);
  const [segment = null] = segmentKeys.map(({ offset, length }) => ({ offset, length }));
  const isStable = values.stable || values.array !== undefined;
  const isUnique = values.unique !== undefined || needsEqual(values);
  const common = {
    format: { kind: 'fixed', size },
    reverse,
    unique: isUnique && !needsEqual(values),
    lastResort: !isStable && !isUnique,
  } as const;
  if (keys.length === 0)
    return {
      ...common,
      key: { kind: 'record' },
      ...(segment && { segments: { kind: 'bytes', ...segment } }),
    };
  // A key without letters follows the global -r.
  const parts = keys.map((key) => ({ ...key, reverse: key.reverse || reverse }));
  const places = planEncoding(size, parts, reverse, segment);
  return {
    ...common,
    key: places.key.length === size ? { kind: 'record' } : { kind: 'bytes', ...places.key },
    ...(places.segment && { segments: { kind: 'bytes', ...places.segment } }),
    ...(places.encoding && { encoding: places.encoding }),
  };
}

function makeSegments({ segmentBy, segments, fieldSeparator }: Values): SegmentRule | null {
  if (segments !== undefined) return { kind: 'blank' };
  return segmentBy === undefined ? null : { kind: 'fields', span: parseFieldSpan(segmentBy, fieldSeparator ?? null) };
}

function makeHeader(values: Values): Header | null {
  const { header, headerPrefix, zeroTerminated } = values;
  if (header === undefined && headerPrefix === undefined) return isCsv(values) ? { kind: 'records', count: 1 } : null;
  if (headerPrefix === undefined) return header === 0 ? null : { kind: 'records', count: header! };
  if (headerPrefix === '' || headerPrefix.includes(zeroTerminated ? '\0' : '\n')) {
    throw new GpusortError('usage', `invalid --header-prefix argument ${quoteLikeC(headerPrefix)}`, {
      hint: 'Give the first bytes of each header line, for example --header-prefix "#".',
    });
  }
  return { kind: 'prefixes', prefixes: [Buffer.from(headerPrefix, 'latin1')] };
}

/** Whether records are put in random order, whatever they contain. */
const shuffles = ({ shuffle, sample }: Values): boolean => shuffle === true || sample !== undefined;

/** Throws `usage` if there is a seed, but nothing is random. */
function refuseSeed(values: Values, { key }: Ordering): void {
  const isRandom = shuffles(values) || ('parts' in key && key.parts.some(({ order }) => order === 'random'));
  if (values.seed !== undefined && !isRandom)
    throw new GpusortError('usage', '--seed needs a random order', {
      hint: 'Add --shuffle, --sample N, or -R, which keeps equal keys together.',
    });
}

function makeLimit({ top, bottom, per, sample }: Values): Limit | null {
  if (per !== undefined) return null;
  if (sample !== undefined) return { count: sample, end: 'first' };
  if (top !== undefined) return { count: top, end: 'first' };
  return bottom === undefined ? null : { count: bottom, end: 'last' };
}

/** Throws `usage` if there are groups without a number of records. */
function makeGroups(values: Values): GroupLimit | null {
  const { per, top } = values;
  if (per === undefined) return null;
  if (top === undefined)
    throw new GpusortError('usage', '--per needs --top N', {
      hint: 'Give the number of records of each group, for example --top 1.',
    });
  const { key } = orderingOfLines({ ...lineOrdering(values, new Set()), keys: [], unique: true });
  return { count: top, key };
}

function outside({ offset, length, text }: RecordKey, recordSize: number): GpusortError {
  const bytes = recordSize === 1 ? '1 byte' : `${recordSize} bytes`;
  const message = `key ${text} lies outside records of ${bytes}`;
  // Larger numbers were clamped when they were read.
  if (!Number.isSafeInteger(offset + length)) return new GpusortError('usage', message);
  const places = length === 1 ? `is byte ${offset}` : `is bytes ${offset} to ${offset + length - 1}`;
  return new GpusortError('usage', `${message}: it ${places}, counted from 0`);
}
