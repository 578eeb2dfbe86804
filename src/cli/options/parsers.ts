/** The parsers of option values, which the rows of the option table name. They define what a repeated option means. */
import { type Algorithm, type AlgorithmRequest, type Tuning, tuningRow, tuningsOf } from '../../job/algorithm-table.js';
import { quoteName } from '../../report/names.js';
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME, toName } from '../parse/argv.js';
import { parseScheduler } from '../parse/cluster.js';
import { OBSOLESCENT_KEY } from '../parse/getopt.js';
import {
  EMPTY_LAST,
  type KeyDefinition,
  ORDERING_LETTERS,
  parseKeyDefinition,
  parseObsolescentKey,
} from '../parse/key-definition.js';
import { parseLocale } from '../parse/locale.js';
import type { Check } from '../parse/option-values.js';
import { letterOf } from '../parse/ordering.js';
import { type ArrayType, looksLikeRecordKey, parseArrayType, parseRecordKey } from '../parse/record-key.js';
import { splitWords } from '../parse/shell-words.js';
import { parseCsvKeys, parseJsonKey } from '../parse/tables.js';
import { incompatible } from '../parse/usage.js';
import { parseBatchSize, parseChoice, parseCount, parseSeparator, parseSize, quoteLikeC } from '../parse/values.js';
import { isOwn, type ValueContext, type ValueParser } from './option.js';

/** Any text; if the option is repeated, the last one counts. */
export const text: ValueParser = (given) => given;

/** Any text, given once or repeated unchanged. */
export const sameText =
  (complaint: string) =>
  (given: string, { previous }: ValueContext): string => {
    if (previous !== undefined && previous !== given) throw new GpusortError('usage', complaint);
    return given;
  };

/** All texts in the order given. */
export const texts: ValueParser = (given, { previous }) => appended(previous, given);

/** One of the row's words. For GNU's options a wrong word ends with exit status 1, as in GNU sort. */
export const word = (given: string, { row, spelling, surroundings }: ValueContext): string =>
  parseChoice(given, spelling, row.words!, surroundings.programName, isOwn(row.group) || row.isGnuSwitch ? 2 : 1);

/** An algorithm, and after a colon its tunings. */
export const algorithm: ValueParser = (given, context): AlgorithmRequest => {
  const colon = given.indexOf(':');
  if (colon === -1) return { algorithm: word(given, context) as Algorithm, tunings: [] };
  const name = word(given.slice(0, colon), context) as Algorithm;
  return { algorithm: name, tunings: parseTunings(name, given.slice(colon + 1)) };
};

/** The tunings of `algorithm` in `text`, which are separated by commas. Throws `usage`. */
function parseTunings(algorithm: Algorithm, text: string): Tuning[] {
  const known = tuningsOf(algorithm);
  const given = [...new Set(text.split(','))];
  const unknown = given.find((word) => !known.some((tuning) => tuning === word));
  if (unknown !== undefined)
    throw new GpusortError(
      'usage',
      `invalid tuning ${quoteLikeC(unknown)}: --algorithm ${algorithm} ` +
        (known.length === 0 ? 'has no tunings' : `has ${known.join(', ')}`),
    );
  const tunings = given as Tuning[];
  for (const [i, tuning] of tunings.entries()) {
    const { step } = tuningRow(algorithm, tuning);
    const other = tunings
      .slice(0, i)
      .find((earlier) => step !== undefined && tuningRow(algorithm, earlier).step === step);
    if (other !== undefined)
      throw new GpusortError(
        'usage',
        `tunings '${other}' and '${tuning}' of --algorithm ${algorithm} are incompatible`,
      );
  }
  return tunings;
}

export const ordering: ValueParser = (given, context) => appended(context.previous, letterOf(word(given, context)));

export const check: ValueParser = (given, context): Check => {
  const how = word(given, context);
  const letter = how === 'quiet' ? 'C' : 'c';
  const before = context.previous as Check | undefined;
  if (before !== undefined && before.letter !== letter) throw incompatible('-cC');
  return {
    letter,
    explains: how === 'explain' || (before?.explains ?? false),
    orders: how === 'orders' || (before?.orders ?? false),
  };
};

export const stats: ValueParser = (given, context) =>
  given.endsWith('.svg') ? { drawing: toName(given) } : word(given, context);

export const count: ValueParser = (given, { spelling }) => parseCount(given, spelling);

/** The number that random orders depend on: any one that is exact. */
export const seed: ValueParser = (given, { spelling }) => {
  const number = parseCount(given, spelling);
  if (!/^[ \t-\r]*\+?0*[0-9]{1,15}$/.test(given))
    throw new GpusortError('usage', `${spelling} argument ${quoteLikeC(given)} too large`, {
      hint: 'Give a whole number of up to 15 digits.',
    });
  return number;
};

/**
 * A number of records from one end. A negative number, as in `head -n -1`, is refused with a hint at `other`, which
 * counts from the end `from`.
 */
export const limit =
  (from: 'first' | 'last', other: string) =>
  (given: string, { spelling, surroundings }: ValueContext): number => {
    try {
      return parseCount(given, spelling);
    } catch (error) {
      const isMeant = surroundings.programName !== GNU_NAME && /^-[0-9]+$/.test(given);
      if (!(error instanceof GpusortError) || !isMeant) throw error;
      throw new GpusortError('usage', error.message, {
        hint: `To write the ${from} records only, give ${other} ${given.slice(1)}.`,
      });
    }
  };

export const positiveCount: ValueParser = (given, { spelling }) => positive(parseCount(given, spelling), spelling);

export const threads: ValueParser = (given, { spelling }) => {
  const number = parseCount(given, spelling);
  if (number === 0) throw new GpusortError('usage', 'number in parallel must be nonzero');
  return number;
};

export const batchSize: ValueParser = (given, { surroundings }) =>
  parseBatchSize(given, surroundings.programName, surroundings.openFiles);

/** A size in bytes. */
export const size: ValueParser = (given, { spelling }) => positive(parseSize(given, spelling, 1), spelling);

/** A size in bytes, by default given in KiB. If -S is given several times, the largest counts. */
export const bufferSize: ValueParser = (given, { spelling, previous, surroundings }) =>
  Math.max(parseSize(given, spelling, 1024, surroundings.totalMemory), (previous as number | undefined) ?? 0);

export const separator: ValueParser = (given, { previous }) => {
  const bytes = parseSeparator(given);
  if (previous !== undefined && !bytes.equals(previous as Buffer)) throw new GpusortError('usage', 'incompatible tabs');
  return bytes;
};

export const locale: ValueParser = (given, context) =>
  parseLocale(
    sameText('multiple locales specified')(given, context),
    context.spelling,
    context.surroundings.programName,
  );

export const key: ValueParser = (given, { spelling, previous, keys, surroundings }) => {
  // If another option rules out a value, the value is not parsed.
  if (keys === 'none') return appended(previous, given);
  return appended(
    previous,
    ...(keys === 'bytes'
      ? [parseRecordKey(given, spelling)]
      : readKeys(given, { spelling, option: '-k' }, keys, surroundings.programName)),
  );
};

export const groupKey: ValueParser = (given, context) => {
  const { spelling, previous, keys, isJson, surroundings } = context;
  if (isJson) return jsonKey(given, context);
  // A key of binary records is refused later.
  if (keys === 'none' || keys === 'bytes') return appended(previous, given);
  return appended(previous, ...readKeys(given, { spelling, option: '--per' }, keys, surroundings.programName));
};

export const array: ValueParser = (given, { spelling, previous }) => {
  const before = previous as ArrayType | undefined;
  if (before !== undefined && before.text !== given) throw new GpusortError('usage', 'multiple array types specified');
  return parseArrayType(given, spelling);
};

export const scheduler: ValueParser = (given, { spelling, surroundings }) =>
  parseScheduler(given, spelling, surroundings.programName);

/** Words as a shell splits them. The words of several values are joined into one list. */
export const shellWords: ValueParser = (given, { spelling, previous }) =>
  appended(previous, ...splitWords(given, spelling));

export const jsonKey: ValueParser = (given, { previous }) => appended(previous, parseJsonKey(given));

/** The characters with which a name, but no field number, begins. */
const LIKE_NAME = /^[A-Za-z_]/;

/** Extends the list of the earlier values in place: copying it for each of thousands of values would take seconds. */
function appended<T>(previous: unknown, ...values: readonly T[]): T[] {
  const list = (previous as T[] | undefined) ?? [];
  list.push(...values);
  return list;
}

function positive(value: number, spelling: string): number {
  if (value === 0) throw new GpusortError('usage', `${spelling} must be at least 1`);
  return value;
}

function readKeys(
  given: string,
  { spelling, option }: { readonly spelling: string; readonly option: '-k' | '--per' },
  form: 'csv' | 'fields',
  programName: string,
): readonly KeyDefinition[] {
  if (spelling === OBSOLESCENT_KEY) {
    const [first, second] = given.split('\0');
    return [parseObsolescentKey(first, second)];
  }
  try {
    if (form === 'csv') return parseCsvKeys(given);
    return [parseKeyDefinition(given, programName === GNU_NAME ? ORDERING_LETTERS : ORDERING_LETTERS + EMPTY_LAST)];
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    const hint = looksLikeRecordKey(given)
      ? 'Add --record-size: keys of OFFSET:LENGTH and OFFSET:TYPE are for binary records.'
      : form === 'fields' && programName !== GNU_NAME && LIKE_NAME.test(given)
        ? 'If it is the name of a column, add --csv (with -t SEP if commas do not separate columns): ' +
          `--csv ${option} ${quoteName(toName(given))}.`
        : null;
    throw hint === null ? error : new GpusortError('usage', error.message, { hint });
  }
}
