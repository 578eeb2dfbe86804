/**
 * Arguments to what was asked: a frozen SortJob, or one of the requests that sort nothing. Reads no file and asks the system
 * nothing; the few facts it needs are given to it.
 */
import { SEGMENT_ALGORITHMS, type Algorithm, type EngineChoice, type FileName, type KeySpec, type Ordering, type RecordFormat, type Segments, type SortJob, type When } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { quoteName } from '../report/names.js';
import { normalise } from './getopt.js';
import { FORM, type OptionRow } from './options.js';
import { createProgram } from './program.js';
import { parseByteKey, parseChoice, parseCount, parseFieldSpan, parseSeparator, parseSize } from './values.js';

export type Request =
  | { readonly action: 'help' | 'version' | 'adapters' }
  | { readonly action: 'sort'; readonly job: SortJob };

/** What parsing needs to know of the world. Strings are one character a byte. */
export interface Surroundings {
  readonly programName: string;
  /** TMPDIR, where it is set. */
  readonly temporaryDirectory: string | undefined;
  readonly posixlyCorrect: boolean;
  /** Bytes of memory, for -S 50%. */
  readonly totalMemory: () => number;
}

type Form = 'text' | 'json';

interface Values {
  reverse?: true;
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
  key?: { offset: number; length: number };
  fieldSeparator?: number;
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
  const { words, spellings, problem } = normalise(argv, programName, surroundings.posixlyCorrect);
  // Commander reads the values in the order of the words, which is that of the spellings.
  let valuesRead = 0;
  const program = createProgram(programName, (row, text, previous) => readValue(row, text, previous, spellings[valuesRead++], surroundings));
  program.parse(words, { from: 'user' });
  if (problem !== null) throw problem;

  const values = program.opts<Values & { help?: true; version?: true; adapters?: true }>();
  for (const action of ['help', 'version', 'adapters'] as const) if (values[action]) return { action };
  return { action: 'sort', job: makeJob(values, program.args, surroundings) };
}

function readValue(row: OptionRow, text: string, previous: unknown, spelling: string, surroundings: Surroundings): unknown {
  const choice = row.choices && parseChoice(text, spelling, row.choices, surroundings.programName);
  switch (row.long) {
    case 'check': {
      const how = choice === 'quiet' ? 'C' : 'c';
      if (previous !== undefined && previous !== how) throw incompatible('-cC');
      return how;
    }
    case 'output':
      if (previous !== undefined && previous !== text) throw new GpusortError('usage', 'multiple output files specified');
      return text;
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
    case 'key': return parseByteKey(text, '--key');
    case 'field-separator': {
      const separator = parseSeparator(text);
      if (previous !== undefined && previous !== separator) throw new GpusortError('usage', 'incompatible tabs');
      return separator;
    }
    case 'segment-by':
      if (previous !== undefined && previous !== text) throw new GpusortError('usage', 'multiple segment keys specified');
      return text;
    case 'stats': return text.endsWith('.svg') ? { drawing: toName(text) } : parseChoice(text, spelling, FORM, surroundings.programName);
    default: return choice;
  }
}

function makeJob(values: Values, operands: readonly string[], surroundings: Surroundings): SortJob {
  const inputs = operands.length === 0 ? [null] : operands.map(operand => operand === '-' ? null : toName(operand));
  if (values.check !== undefined) {
    if (operands.length > 1) {
      throw new GpusortError('usage', `extra operand ${quoteName(toName(operands[1]))} not allowed with -${values.check}`);
    }
    if (values.output !== undefined) throw incompatible(`-${values.check}o`);
  }
  return Object.freeze<SortJob>({
    mode: values.check !== undefined ? 'check' : values.merge ? 'merge' : 'sort',
    quietCheck: values.check === 'C',
    inputs,
    output: values.output === undefined ? null : toName(values.output),
    ordering: makeOrdering(values),
    engine: values.engine ?? 'auto',
    algorithm: values.algorithm ?? 'auto',
    memoryBytes: values.bufferSize ?? null,
    gpuMemoryBytes: values.gpuMemory ?? null,
    temporaryDirectories: (values.temporaryDirectory ?? [surroundings.temporaryDirectory || '/tmp']).map(toName),
    parallel: values.parallel ?? null,
    chunkBytes: values.chunkSize ?? null,
    explain: values.explain ?? 'no',
    stats: values.stats ?? 'no',
    progress: values.progress ?? 'auto',
    color: values.color ?? 'auto',
  });
}

function makeOrdering(values: Values): Ordering {
  const { recordSize, key } = values;
  if (recordSize !== undefined && values.zeroTerminated) throw incompatible('--record-size', '-z');
  if (key !== undefined) {
    if (recordSize === undefined) {
      throw new GpusortError('usage', '--key needs --record-size', { hint: 'Give the size of the binary records, for example --record-size 100 --key 0:10.' });
    }
    if (key.offset + key.length > recordSize) throw outside(`${key.offset}:${key.length}`, recordSize);
  }
  const format: RecordFormat = recordSize === undefined ? { kind: 'lines', delimiter: values.zeroTerminated ? 0 : 10 } : { kind: 'fixed', size: recordSize };
  const segments = makeSegments(values, format);
  const isWholeRecord = key === undefined || (key.offset === 0 && key.length === recordSize);
  return Object.freeze<Ordering>({
    format,
    key: isWholeRecord ? { kind: 'record' } : { kind: 'bytes', ...key } satisfies KeySpec,
    reverse: values.reverse ?? false,
    unique: values.unique ?? false,
    lastResort: !values.stable && !values.unique,
    ...(segments === null ? {} : { segments }),
  });
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
  if (format.kind === 'lines') return { kind: 'fields', span: parseFieldSpan(segmentBy, option, fieldSeparator ?? null) };
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

function incompatible(...options: string[]): GpusortError {
  return new GpusortError('usage', `options ${options.map(option => `'${option}'`).join(' and ')} are incompatible`);
}

function toName(bytes: string): NonNullable<FileName> {
  return Buffer.from(bytes, 'latin1');
}
