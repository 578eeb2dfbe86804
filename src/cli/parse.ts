/**
 * Arguments to what was asked: a frozen SortJob, or one of the requests that sort nothing. Reads no file and asks the system
 * nothing; the few facts it needs are given to it.
 */
import { SEGMENT_ALGORITHMS, type Algorithm, type EngineChoice, type FileName, type Ordering, type RecordFormat, type Segments, type SortJob, type When } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { quoteName } from '../report/names.js';
import { normalise, OBSOLESCENT_KEY, type Conventions } from './getopt.js';
import { parseFieldSpan, parseKeyDefinition, parseObsolescentKey, type KeyDefinition } from './key-definition.js';
import { FORM, type OptionRow } from './options.js';
import { letterOf, modifiersOf, orderingOfLines } from './ordering.js';
import { createProgram } from './program.js';
import { incompatible, usageError } from './usage.js';
import { parseBatchSize, parseByteKey, parseChoice, parseCount, parseSeparator, parseSize, type ByteKey } from './values.js';

export type Request =
  | { readonly action: 'help' | 'version' | 'adapters' }
  /** `namesFrom`: the job's inputs are the names in this file, put there by `withInputs`. */
  | { readonly action: 'sort'; readonly job: SortJob; readonly namesFrom?: FileName };

/** What parsing needs to know of the world. Strings are one character a byte. */
export interface Surroundings extends Conventions {
  readonly programName: string;
  /** TMPDIR, where it is set. */
  readonly temporaryDirectory: string | undefined;
  /** Bytes of memory, for -S 50%. */
  readonly totalMemory: () => number;
  /** How many files may be open at once, for --batch-size. */
  readonly openFiles: () => number;
}

type Form = 'text' | 'json';

/** Switches that say how all keys are ordered that say nothing themselves, by their letters. */
const GLOBAL_SWITCHES = {
  b: 'ignoreLeadingBlanks', d: 'dictionaryOrder', f: 'ignoreCase', g: 'generalNumericSort', h: 'humanNumericSort', i: 'ignoreNonprinting', M: 'monthSort',
  n: 'numericSort', R: 'randomSort', r: 'reverse', V: 'versionSort',
} as const;

interface Values extends Partial<Record<(typeof GLOBAL_SWITCHES)[keyof typeof GLOBAL_SWITCHES], true>> {
  /** Letters. */
  sort?: string[];
  key?: KeyDefinition[] | ByteKey;
  batchSize?: number;
  compressProgram?: string;
  debug?: true;
  files0From?: string;
  randomSource?: string;
  check?: 'c' | 'C';
  merge?: true;
  output?: string;
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
  segmentBy?: string;
  segments?: 'blank';
  chunkSize?: number;
  gpuMemory?: number;
  explain?: Form;
  stats?: SortJob['stats'];
  progress?: When;
  color?: When;
}

/** `argv` holds the arguments after the program's name, one character a byte. Throws a GpusortError with GNU's sentence. */
export function parseArguments(argv: readonly string[], surroundings: Surroundings): Request {
  const { programName } = surroundings;
  const { options, operands, spellings, problem } = normalise(argv, programName, surroundings);
  // What a key is depends on it, wherever it stands.
  const isFixed = options.some(option => option.startsWith('--record-size='));
  // Commander reads the values in the order of the words, which is that of the spellings.
  let valuesRead = 0;
  const program = createProgram(programName, (row, text, previous) => readValue(row, text, previous, spellings[valuesRead++], isFixed, surroundings));
  program.parse(options, { from: 'user' });
  if (problem !== null) throw problem;

  const values = program.opts<Values & { help?: true; version?: true; adapters?: true }>();
  for (const action of ['help', 'version', 'adapters'] as const) if (values[action]) return { action };
  return makeRequest(values, operands, surroundings);
}

function readValue(row: OptionRow, text: string, previous: unknown, spelling: string, isFixed: boolean, surroundings: Surroundings): unknown {
  const choice = row.choices && parseChoice(text, spelling, row.choices, surroundings.programName);
  switch (row.long) {
    case 'check': {
      const how = choice === 'quiet' ? 'C' : 'c';
      if (previous !== undefined && previous !== how) throw incompatible('-cC');
      return how;
    }
    case 'output': return same(text, previous, 'multiple output files specified');
    case 'buffer-size':
      // Of several the largest counts.
      return Math.max(parseSize(text, spelling, 1024, surroundings.totalMemory), (previous as number | undefined) ?? 0);
    case 'gpu-memory':
    case 'chunk-size': return positive(parseSize(text, spelling, 1), spelling);
    case 'record-size': return positive(parseCount(text, spelling), spelling);
    case 'parallel': {
      const threads = parseCount(text, spelling);
      if (threads === 0) throw new GpusortError('usage', 'number in parallel must be nonzero');
      return threads;
    }
    case 'temporary-directory': return [...((previous as string[] | undefined) ?? []), text];
    case 'key': return isFixed ? onlyOne(parseByteKey(text, spelling), previous) : [...((previous as KeyDefinition[] | undefined) ?? []), readKey(text, spelling)];
    case 'sort': return [...((previous as string[] | undefined) ?? []), letterOf(choice!)];
    case 'batch-size': return parseBatchSize(text, surroundings.programName, surroundings.openFiles);
    case 'compress-program': return same(text, previous, 'multiple compress programs specified');
    case 'random-source': return same(text, previous, 'multiple random sources specified');
    case 'files0-from': return text;
    case 'field-separator': {
      const separator = parseSeparator(text);
      if (previous !== undefined && !separator.equals(previous as Buffer)) throw new GpusortError('usage', 'incompatible tabs');
      return separator;
    }
    case 'segment-by': return same(text, previous, 'multiple segment keys specified');
    case 'stats': return text.endsWith('.svg') ? { drawing: toName(text) } : parseChoice(text, spelling, FORM, surroundings.programName);
    default: return choice;
  }
}

/** The value of an option that may be given again, but not with another value. */
function same(text: string, previous: unknown, complaint: string): string {
  if (previous !== undefined && previous !== text) throw new GpusortError('usage', complaint);
  return text;
}

function onlyOne(key: ByteKey, previous: unknown): ByteKey {
  if (previous !== undefined) throw new GpusortError('usage', 'binary records have one key only');
  return key;
}

function readKey(text: string, spelling: string): KeyDefinition {
  if (spelling === OBSOLESCENT_KEY) {
    const [first, second] = text.split('\0');
    return parseObsolescentKey(first, second);
  }
  try {
    return parseKeyDefinition(text);
  } catch (error) {
    if (!(error instanceof GpusortError) || !/^[0-9]+:[0-9]+$/.test(text)) throw error;
    throw new GpusortError('usage', error.message, { hint: `Keys of OFFSET:LENGTH are for binary records: give --record-size, too.` });
  }
}

function makeRequest(values: Values, operands: readonly string[], surroundings: Surroundings): Request {
  const { check, debug, files0From, output } = values;
  if (files0From !== undefined && operands.length > 0) {
    throw usageError(`extra operand ${quoteName(toName(operands[0]))}`, surroundings.programName, 'file operands cannot be combined with --files0-from\n');
  }
  const ordering = makeOrdering(values);
  if (debug && (check ?? output) !== undefined) throw incompatible(`-${check ?? 'o'} --debug`);
  const inputs = operands.length === 0 ? [null] : operands.map(operand => operand === '-' ? null : toName(operand));
  const job = withInputs(makeJob(values, ordering, surroundings), inputs);
  if (check !== undefined && output !== undefined) throw incompatible(`-${check}o`);
  return files0From === undefined ? { action: 'sort', job } : { action: 'sort', job, namesFrom: files0From === '-' ? null : toName(files0From) };
}

/** The job for these inputs. */
export function withInputs(job: SortJob, inputs: readonly FileName[]): SortJob {
  if (job.mode === 'check' && inputs.length > 1) {
    throw new GpusortError('usage', `extra operand ${quoteName(inputs[1] ?? Buffer.from('-'))} not allowed with -${job.quietCheck ? 'C' : 'c'}`);
  }
  return Object.freeze<SortJob>({ ...job, inputs });
}

function makeJob(values: Values, ordering: Ordering, surroundings: Surroundings): SortJob {
  return {
    mode: values.check !== undefined ? 'check' : values.merge ? 'merge' : 'sort',
    quietCheck: values.check === 'C',
    inputs: [],
    output: values.output === undefined ? null : toName(values.output),
    ordering,
    engine: values.engine ?? 'auto',
    algorithm: values.algorithm ?? 'auto',
    memoryBytes: values.bufferSize ?? null,
    gpuMemoryBytes: values.gpuMemory ?? null,
    temporaryDirectories: (values.temporaryDirectory ?? [surroundings.temporaryDirectory || '/tmp']).map(toName),
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
  const format: RecordFormat = values.recordSize === undefined ? { kind: 'lines', delimiter: values.zeroTerminated ? 0 : 10 } : { kind: 'fixed', size: values.recordSize };
  const ordering = format.kind === 'fixed' ? orderingOfRecords(values, format.size) : orderingOfLines({
    keys: values.key as KeyDefinition[] | undefined ?? [], global: modifiersOf(globalLetters(values)), separator: values.fieldSeparator ?? null,
    stable: values.stable ?? false, unique: values.unique ?? false, debug: values.debug ?? false,
  });
  const segments = makeSegments(values, format);
  return Object.freeze<Ordering>({ format, ...ordering, ...(segments === null ? {} : { segments }) });
}

/** All letters given for the whole command line. */
function globalLetters(values: Values): Set<string> {
  const switches = Object.entries(GLOBAL_SWITCHES).filter(([, name]) => values[name]).map(([letter]) => letter);
  return new Set([...switches, ...values.sort ?? []]);
}

/** Whole binary records, or one range of bytes. */
function orderingOfRecords(values: Values, size: number): Omit<Ordering, 'format' | 'segments'> {
  const forLines = [...globalLetters(values)].find(letter => letter !== 'r');
  const conflict = forLines !== undefined ? `-${forLines}` : values.zeroTerminated ? '-z' : values.fieldSeparator !== undefined ? '-t' : values.debug ? '--debug' : null;
  if (conflict !== null) throw incompatible('--record-size', conflict);
  const key = values.key as ByteKey | undefined;
  if (key !== undefined && key.offset + key.length > size) throw outside(`${key.offset}:${key.length}`, size);
  const isWholeRecord = key === undefined || (key.offset === 0 && key.length === size);
  return {
    key: isWholeRecord ? { kind: 'record' } : { kind: 'bytes', ...key },
    reverse: values.reverse ?? false, unique: values.unique ?? false, lastResort: !values.stable && !values.unique,
  };
}

function makeSegments({ segmentBy, segments, fieldSeparator, merge, algorithm }: Values, format: RecordFormat): Segments | null {
  if (segmentBy === undefined && segments === undefined) return null;
  const option = segmentBy === undefined ? '--segments' : '--segment-by';
  if (segmentBy !== undefined && segments !== undefined) throw incompatible('--segment-by', '--segments');
  if (merge) throw incompatible('-m', option);
  if (algorithm !== undefined && !SEGMENT_ALGORITHMS.includes(algorithm)) throw incompatible(`--algorithm ${algorithm}`, option);
  if (segmentBy === undefined) {
    if (format.kind === 'fixed') throw incompatible('--record-size', option);
    return { kind: 'blank' };
  }
  if (format.kind === 'lines') return { kind: 'fields', span: parseFieldSpan(segmentBy, fieldSeparator ?? null) };
  const part = parseByteKey(segmentBy, option);
  if (part.offset + part.length > format.size) throw outside(segmentBy, format.size);
  return { kind: 'bytes', ...part };
}

function positive(value: number, spelling: string): number {
  if (value === 0) throw new GpusortError('usage', `${spelling} must be at least 1`);
  return value;
}

function outside(key: string, recordSize: number): GpusortError {
  return new GpusortError('usage', `key ${key} lies outside records of ${recordSize} bytes`);
}

function toName(bytes: string): NonNullable<FileName> {
  return Buffer.from(bytes, 'latin1');
}
