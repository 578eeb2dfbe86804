/**
 * Turns the values of options into a job: what they mean together, and which are incompatible. Knows nothing of how the
 * command line was written.
 */
import {
  type Algorithm,
  type EngineChoice,
  type FileName,
  type Header,
  type Limit,
  type Ordering,
  type RecordFormat,
  SEGMENT_ALGORITHMS,
  type Segments,
  type SortJob,
  type When,
} from '../../job.js';
import { GpusortError } from '../../report/errors.js';
import { quoteName } from '../../report/names.js';
import { csvSeparatorOf, isCsv, refuseBeside, separatorOf } from './csv-json.js';
import { type KeyDefinition, parseFieldSpan } from './key-definition.js';
import { modifiersOf, type OrderingRequest, orderingOfLines } from './ordering.js';
import { incompatible, usageError } from './usage.js';
import { type ByteKey, parseByteKey, quoteLikeC } from './values.js';
import { warningsOf } from './warnings.js';

export type Request =
  | { readonly action: 'help' | 'version' | 'adapters' }
  /**
   * `namesFrom`: the file with the names of the inputs, which `withInputs` adds to the job. `warnings`: those of
   * --debug about the command line.
   */
  | {
      readonly action: 'sort';
      readonly job: SortJob;
      readonly namesFrom?: FileName;
      readonly warnings: readonly string[];
    };

type Form = 'text' | 'json';

/** Ordering switches by their letters. They apply to all keys without letters. */
const GLOBAL_SWITCHES = {
  b: 'ignoreLeadingBlanks',
  d: 'dictionaryOrder',
  f: 'ignoreCase',
  g: 'generalNumericSort',
  h: 'humanNumericSort',
  i: 'ignoreNonprinting',
  M: 'monthSort',
  n: 'numericSort',
  R: 'randomSort',
  r: 'reverse',
  V: 'versionSort',
} as const;

/** -c or -C, and whether to show both lines of the disorder. */
export interface Check {
  readonly letter: 'c' | 'C';
  readonly explains: boolean;
}

/** The values of all options, by name. */
export interface Values extends Partial<Record<(typeof GLOBAL_SWITCHES)[keyof typeof GLOBAL_SWITCHES], true>> {
  /** The letters of the orderings. */
  sort?: string[];
  /** A range of bytes if `recordSize` is set. */
  key?: KeyDefinition[] | ByteKey;
  batchSize?: number;
  compressProgram?: string;
  debug?: true;
  files0From?: string;
  randomSource?: string;
  check?: Check;
  merge?: true;
  output?: string;
  sync?: true;
  stable?: true;
  bufferSize?: number;
  temporaryDirectory?: string[];
  parallel?: number;
  unique?: true;
  zeroTerminated?: true;
  engine?: EngineChoice;
  algorithm?: Algorithm;
  recordSize?: number;
  fieldSeparator?: Buffer;
  csv?: true;
  tsv?: true;
  json?: KeyDefinition[];
  locale?: string;
  segmentBy?: string;
  segments?: 'blank';
  count?: true;
  header?: number;
  headerPrefix?: string;
  top?: number;
  bottom?: number;
  verify?: true;
  chunkSize?: number;
  gpuMemory?: number;
  explain?: Form;
  stats?: SortJob['stats'];
  progress?: When;
  color?: When;
}

/** The request of a sort. `operands` are file names; `temporaryDirectory` is for temporary files without -T. */
export function makeRequest(
  values: Values,
  operands: readonly string[],
  programName: string,
  temporaryDirectory: string,
): Request {
  const { check, debug, files0From, output } = values;
  if (files0From !== undefined && operands.length > 0) {
    throw usageError(
      `extra operand ${quoteName(toName(operands[0]))}`,
      programName,
      'file operands cannot be combined with --files0-from\n',
    );
  }
  refuseCount(values);
  if (values.verify && check !== undefined) throw incompatible(`-${check.letter}`, '--verify');
  const job = makeJob(values, temporaryDirectory);
  if (debug && (check ?? output) !== undefined) throw incompatible(`-${check?.letter ?? 'o'} --debug`);
  const warnings = debug ? warningsOf(lineOrdering(values)) : [];
  if (files0From !== undefined) return { action: 'sort', job, warnings, namesFrom: toInput(files0From) };
  return { action: 'sort', job: withInputs(job, operands.length === 0 ? [null] : operands.map(toInput)), warnings };
}

/** Adds the inputs to a job. Throws `usage` if -c has several inputs or an output. */
export function withInputs(job: SortJob, inputs: readonly FileName[]): SortJob {
  if (job.mode === 'check') {
    const letter = job.quietCheck ? 'C' : 'c';
    if (inputs.length > 1)
      throw new GpusortError(
        'usage',
        `extra operand ${quoteName(inputs[1] ?? Buffer.from('-'))} not allowed with -${letter}`,
      );
    if (job.output !== null) throw incompatible(`-${letter}o`);
  }
  return Object.freeze<SortJob>({ ...job, inputs });
}

function makeJob(values: Values, temporaryDirectory: string): SortJob {
  refuseBeside(values);
  return {
    mode: values.check !== undefined ? 'check' : values.merge ? 'merge' : 'sort',
    quietCheck: values.check?.letter === 'C',
    explainsCheck: values.check?.explains ?? false,
    inputs: [],
    output: values.output === undefined ? null : toName(values.output),
    sync: values.sync ?? false,
    ordering: makeOrdering(values),
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

function makeOrdering(values: Values): Ordering {
  const format: RecordFormat =
    values.recordSize === undefined
      ? { kind: 'lines', delimiter: values.zeroTerminated || isCsv(values) ? 0 : 10 }
      : { kind: 'fixed', size: values.recordSize };
  if (values.locale !== undefined && values.algorithm !== undefined && values.algorithm !== 'auto')
    throw incompatible(`--algorithm ${values.algorithm}`, '--locale');
  const ordering =
    format.kind === 'fixed' ? orderingOfRecords(values, format.size) : orderingOfLines(lineOrdering(values));
  // --count needs all equal lines, so none may be dropped before it.
  const kept = values.count ? { ...ordering, unique: false } : ordering;
  const segments = makeSegments(values, format);
  return Object.freeze<Ordering>({ format, ...kept, ...(segments === null ? {} : { segments }) });
}

/** What the options say about the order of lines. */
function lineOrdering(values: Values): OrderingRequest {
  return {
    keys: values.json ?? (values.key as KeyDefinition[] | undefined) ?? [],
    global: modifiersOf(globalLetters(values)),
    separator: separatorOf(values),
    quoted: isCsv(values),
    stable: values.stable ?? false,
    unique: (values.unique || values.count) ?? false,
    debug: values.debug ?? false,
    locale: values.locale ?? null,
  };
}

/** All ordering letters given for the whole command line. */
function globalLetters(values: Values): Set<string> {
  const switches = Object.entries(GLOBAL_SWITCHES)
    .filter(([, name]) => values[name])
    .map(([letter]) => letter);
  return new Set([...switches, ...(values.sort ?? [])]);
}

/** The ordering of binary records: by the whole record, or by one range of bytes. */
function orderingOfRecords(values: Values, size: number): Omit<Ordering, 'format' | 'segments'> {
  const forLines = [...globalLetters(values)].find((letter) => letter !== 'r');
  const conflict =
    forLines !== undefined
      ? `-${forLines}`
      : values.zeroTerminated
        ? '-z'
        : values.fieldSeparator !== undefined
          ? '-t'
          : values.locale !== undefined
            ? '--locale'
            : values.debug
              ? '--debug'
              : null;
  if (conflict !== null) throw incompatible('--record-size', conflict);
  const key = values.key as ByteKey | undefined;
  if (key !== undefined && key.offset + key.length > size) throw outside(`${key.offset}:${key.length}`, size);
  const isWholeRecord = key === undefined || (key.offset === 0 && key.length === size);
  return {
    key: isWholeRecord ? { kind: 'record' } : { kind: 'bytes', ...key },
    reverse: values.reverse ?? false,
    unique: values.unique ?? false,
    lastResort: !values.stable && !values.unique,
  };
}

function makeSegments(
  { segmentBy, segments, fieldSeparator, merge, algorithm }: Values,
  format: RecordFormat,
): Segments | null {
  if (segmentBy === undefined && segments === undefined) return null;
  const option = segmentBy === undefined ? '--segments' : '--segment-by';
  if (segmentBy !== undefined && segments !== undefined) throw incompatible('--segment-by', '--segments');
  if (merge) throw incompatible('-m', option);
  if (algorithm !== undefined && !SEGMENT_ALGORITHMS.includes(algorithm))
    throw incompatible(`--algorithm ${algorithm}`, option);
  if (segmentBy === undefined) {
    if (format.kind === 'fixed') throw incompatible('--record-size', option);
    return { kind: 'blank' };
  }
  if (format.kind === 'lines') return { kind: 'fields', span: parseFieldSpan(segmentBy, fieldSeparator ?? null) };
  const part = parseByteKey(segmentBy, option);
  if (part.offset + part.length > format.size) throw outside(segmentBy, format.size);
  return { kind: 'bytes', ...part };
}

/** --count is incompatible with checks, binary records, segments and --debug. */
function refuseCount({ count, check, debug, recordSize, segmentBy, segments }: Values): void {
  if (!count) return;
  const other =
    check !== undefined
      ? `-${check.letter}`
      : debug
        ? '--debug'
        : recordSize !== undefined
          ? '--record-size'
          : segmentBy !== undefined
            ? '--segment-by'
            : segments && '--segments';
  if (other !== undefined) throw incompatible('--count', other);
}

function makeHeader(values: Values): Header | null {
  const { header, headerPrefix, recordSize, zeroTerminated } = values;
  if (header === undefined && headerPrefix === undefined) return isCsv(values) ? { kind: 'lines', count: 1 } : null;
  if (header !== undefined && headerPrefix !== undefined) throw incompatible('--header', '--header-prefix');
  if (recordSize !== undefined)
    throw incompatible('--record-size', headerPrefix === undefined ? '--header' : '--header-prefix');
  if (headerPrefix === undefined) return header === 0 ? null : { kind: 'lines', count: header! };
  if (headerPrefix === '' || headerPrefix.includes(zeroTerminated ? '\0' : '\n')) {
    throw new GpusortError('usage', `invalid --header-prefix argument ${quoteLikeC(headerPrefix)}`, {
      hint: 'Give the first bytes of each header line, for example --header-prefix "#".',
    });
  }
  return { kind: 'prefix', prefix: Buffer.from(headerPrefix, 'latin1') };
}

function makeLimit({ top, bottom, check, segmentBy, segments, algorithm }: Values): Limit | null {
  if (top === undefined && bottom === undefined) return null;
  const option = top === undefined ? '--bottom' : '--top';
  if (top !== undefined && bottom !== undefined) throw incompatible('--top', '--bottom');
  if (check !== undefined) throw incompatible(`-${check.letter}`, option);
  if (segmentBy !== undefined || segments !== undefined)
    throw incompatible(option, segmentBy === undefined ? '--segments' : '--segment-by');
  if (algorithm === 'sample-sort') throw incompatible('--algorithm sample-sort', option);
  return top === undefined ? { count: bottom!, end: 'last' } : { count: top, end: 'first' };
}

function outside(key: string, recordSize: number): GpusortError {
  return new GpusortError('usage', `key ${key} lies outside records of ${recordSize} bytes`);
}

/** A file name, or null for standard input. */
function toInput(bytes: string): FileName {
  return bytes === '-' ? null : toName(bytes);
}

export function toName(bytes: string): NonNullable<FileName> {
  return Buffer.from(bytes, 'latin1');
}
