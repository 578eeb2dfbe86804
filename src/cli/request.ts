/**
 * Turns arguments into a request: a frozen SortJob, or one that sorts nothing. Reads no file and makes no system call:
 * the caller passes the facts it needs.
 */
import { GpusortError } from '../report/errors.js';
import { createProgram } from './options/program.js';
import { FORM, type OptionRow, OWN } from './options/table.js';
import { type Conventions, normalise, OBSOLESCENT_KEY } from './parse/getopt.js';
import { type KeyDefinition, parseKeyDefinition, parseObsolescentKey } from './parse/key-definition.js';
import { parseLocale } from './parse/locale.js';
import { type Check, makeRequest, type Request, toName, type Values } from './parse/make-job.js';
import { parseCsvKey, parseJsonKey } from './parse/named-key.js';
import { letterOf } from './parse/ordering.js';
import { incompatible } from './parse/usage.js';
import {
  type ByteKey,
  parseBatchSize,
  parseByteKey,
  parseChoice,
  parseCount,
  parseSeparator,
  parseSize,
} from './parse/values.js';

/** Facts of the process and the machine. Strings have one character per byte. */
export interface Surroundings extends Conventions {
  readonly programName: string;
  /** TMPDIR, if it is set. */
  readonly temporaryDirectory: string | undefined;
  /** Bytes of memory, for -S 50%. */
  readonly totalMemory: () => number;
  /** Maximum number of open files, for --batch-size. */
  readonly openFiles: () => number;
}

/**
 * `argv` holds the arguments after the program's name, one character per byte. Throws a GpusortError with GNU's
 * sentence.
 */
export function parseArguments(argv: readonly string[], surroundings: Surroundings): Request {
  const { programName } = surroundings;
  const { options, operands, spellings, problem } = normalise(argv, programName, surroundings);
  // These options change what -k accepts, even if they come after it.
  const keys: KeyForm = options.some((option) => option.startsWith('--record-size='))
    ? 'bytes'
    : options.includes('--csv') || options.includes('--tsv')
      ? 'csv'
      : 'fields';
  // Commander reads the values in the order of the words, which is also the order of the spellings.
  let valuesRead = 0;
  const program = createProgram(programName, (row, text, previous) =>
    readValue(row, text, previous, spellings[valuesRead++], keys, surroundings),
  );
  program.parse(options, { from: 'user' });
  if (problem !== null) throw problem;

  const values = program.opts<Values & { help?: true; version?: true; adapters?: true }>();
  for (const action of ['help', 'version', 'adapters'] as const) if (values[action]) return { action };
  return makeRequest(values, operands, programName, surroundings.temporaryDirectory || '/tmp');
}

/** What -k accepts. */
type KeyForm = 'bytes' | 'csv' | 'fields';

function readValue(
  row: OptionRow,
  text: string,
  previous: unknown,
  spelling: string,
  keys: KeyForm,
  surroundings: Surroundings,
): unknown {
  // For GNU's options the exit status is 1 here, as in GNU sort.
  const choice =
    text === row.own
      ? text
      : row.choices && parseChoice(text, spelling, row.choices, surroundings.programName, row.group === OWN ? 2 : 1);
  switch (row.long) {
    case 'check': {
      const letter = choice === 'quiet' ? 'C' : 'c';
      const before = previous as Check | undefined;
      if (before !== undefined && before.letter !== letter) throw incompatible('-cC');
      return { letter, explains: choice === 'explain' || (before?.explains ?? false) } satisfies Check;
    }
    case 'output':
      return same(text, previous, 'multiple output files specified');
    case 'buffer-size':
      // If -S is given several times, the largest counts.
      return Math.max(parseSize(text, spelling, 1024, surroundings.totalMemory), (previous as number | undefined) ?? 0);
    case 'gpu-memory':
    case 'chunk-size':
      return positive(parseSize(text, spelling, 1), spelling);
    case 'record-size':
      return positive(parseCount(text, spelling), spelling);
    case 'header':
    case 'top':
    case 'bottom':
      return parseCount(text, spelling);
    case 'parallel': {
      const threads = parseCount(text, spelling);
      if (threads === 0) throw new GpusortError('usage', 'number in parallel must be nonzero');
      return threads;
    }
    case 'temporary-directory':
      return [...((previous as string[] | undefined) ?? []), text];
    case 'key':
      return keys === 'bytes'
        ? onlyOne(parseByteKey(text, spelling), previous)
        : withKey(previous, readKey(text, spelling, keys));
    case 'json':
      return withKey(previous, parseJsonKey(text));
    case 'sort':
      return [...((previous as string[] | undefined) ?? []), letterOf(choice!)];
    case 'batch-size':
      return parseBatchSize(text, surroundings.programName, surroundings.openFiles);
    case 'compress-program':
      return same(text, previous, 'multiple compress programs specified');
    case 'locale':
      return parseLocale(same(text, previous, 'multiple locales specified'), spelling);
    case 'random-source':
      return same(text, previous, 'multiple random sources specified');
    case 'files0-from':
    case 'header-prefix':
      return text;
    case 'field-separator': {
      const separator = parseSeparator(text);
      if (previous !== undefined && !separator.equals(previous as Buffer))
        throw new GpusortError('usage', 'incompatible tabs');
      return separator;
    }
    case 'segment-by':
      return same(text, previous, 'multiple segment keys specified');
    case 'stats':
      return text.endsWith('.svg')
        ? { drawing: toName(text) }
        : parseChoice(text, spelling, FORM, surroundings.programName);
    default:
      return choice;
  }
}

/** The value of an option that may be repeated only with the same value. */
function same(text: string, previous: unknown, complaint: string): string {
  if (previous !== undefined && previous !== text) throw new GpusortError('usage', complaint);
  return text;
}

function onlyOne(key: ByteKey, previous: unknown): ByteKey {
  if (previous !== undefined) throw new GpusortError('usage', 'binary records can have only one key');
  return key;
}

function withKey(previous: unknown, key: KeyDefinition): KeyDefinition[] {
  return [...((previous as KeyDefinition[] | undefined) ?? []), key];
}

function readKey(text: string, spelling: string, form: KeyForm): KeyDefinition {
  if (spelling === OBSOLESCENT_KEY) {
    const [first, second] = text.split('\0');
    return parseObsolescentKey(first, second);
  }
  try {
    return form === 'csv' ? parseCsvKey(text) : parseKeyDefinition(text);
  } catch (error) {
    if (!(error instanceof GpusortError) || !/^[0-9]+:[0-9]+$/.test(text)) throw error;
    throw new GpusortError('usage', error.message, {
      hint: 'Add --record-size: keys of OFFSET:LENGTH are for binary records.',
    });
  }
}

function positive(value: number, spelling: string): number {
  if (value === 0) throw new GpusortError('usage', `${spelling} must be at least 1`);
  return value;
}
