/**
 * Parses keys by name: -k NAME[:LETTERS],... for fields that the CSV header names, and --json PATH[:LETTERS] for a JSON
 * value. A backslash makes the next character an ordinary one.
 */
import { GpusortError } from '../../system/errors.js';
import {
  EMPTY_LAST,
  type KeyDefinition,
  LEADING_NUMBER,
  ORDERING_LETTERS,
  parseKeyDefinition,
  parseLetters,
} from './key-definition.js';
import type { Values } from './option-values.js';
import { quoteLikeC } from './values.js';

const FIRST = { field: 0, byte: 0 };

/**
 * Parses `-k TEXT` under --csv: a KEYDEF, a name, or several names separated by commas. If the text could also be a
 * single name with commas in it, it is that name if the header has it.
 */
export function parseCsvKeys(text: string): KeyDefinition[] {
  const keydef = asKeyDefinition(text);
  if (keydef !== null) return [keydef];
  const names = splitAtCommas(text);
  const isOneName = names.slice(0, -1).every((name) => !unescaped(name).includes(':'));
  if (names.length === 1 || names.includes('')) return [named(text, text)];
  const list = names.map((name) => named(name, text));
  if (!isOneName || list.at(-1)!.modifiers.letters.has(EMPTY_LAST)) return list;
  return [{ ...named(text, text), instead: list }];
}

/**
 * The text as a KEYDEF, or null. A text that looks like a KEYDEF is one, even if the header has a name with this text.
 * Incompatible letters are not found here: ordering.ts rejects them.
 */
function asKeyDefinition(text: string): KeyDefinition | null {
  // Tested first, because throwing an error for each of thousands of names would take seconds.
  if (!LEADING_NUMBER.test(text)) return null;
  try {
    return parseKeyDefinition(text, ORDERING_LETTERS + EMPTY_LAST);
  } catch (error) {
    if (error instanceof GpusortError) return null;
    throw error;
  }
}

/** The key for a name with its letters, in the key `text`. */
function named(nameAndLetters: string, text: string): KeyDefinition {
  const {
    names: [name],
    letters,
  } = split(nameAndLetters, null);
  return { begin: FIRST, end: FIRST, modifiers: parseLetters(letters, text), name };
}

/** The texts between commas without a backslash before them. */
function splitAtCommas(text: string): string[] {
  const parts = [''];
  for (const piece of text.match(/\\[\s\S]?|[\s\S]/g) ?? [])
    if (piece === ',') parts.push('');
    else parts[parts.length - 1] += piece;
  return parts;
}

/** The text with each backslash and the character after it removed. */
const unescaped = (text: string): string => text.replace(/\\[\s\S]?/g, '');

/** Parses `--json TEXT`. An empty path is the whole value of the line. */
export function parseJsonKey(text: string): KeyDefinition {
  const { names, begins, letters } = split(text, '.');
  const path = names.length === 1 && names[0] === '' ? [] : names;
  const empty = path.indexOf('');
  if (empty >= 0)
    throw new GpusortError('usage', `no name at character ${begins[empty] + 1} of path ${quoteLikeC(text)}`, {
      hint: 'Write one dot between two names, and \\. for a dot in a name.',
    });
  return { begin: FIRST, end: null, modifiers: parseLetters(letters, text), path };
}

interface SplitKey {
  /** The names before the first colon, and where each one begins. */
  readonly names: string[];
  readonly begins: number[];
  /** The text after the colon. */
  readonly letters: string;
}

/** Splits a key at `separator` and at the first colon. */
function split(text: string, separator: string | null): SplitKey {
  const [names, begins] = [[''], [0]];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ':') return { names, begins, letters: text.slice(i + 1) };
    if (text[i] === separator) {
      names.push('');
      begins.push(i + 1);
    } else {
      if (text[i] === '\\' && ++i === text.length)
        throw new GpusortError('usage', `nothing after the backslash in ${quoteLikeC(text)}`);
      names[names.length - 1] += text[i];
    }
  }
  return { names, begins, letters: '' };
}

/** Bytes that end records or enclose fields, and so cannot separate fields. */
const NO_SEPARATORS = '"\r\n\0';

export const isCsv = ({ csv, tsv }: Values): boolean => csv === true || tsv === true;

/** The field separator; null: a field starts with the blanks before it. */
export function separatorOf({ csv, tsv, fieldSeparator }: Values): Buffer | null {
  return fieldSeparator ?? (tsv ? Buffer.from('\t') : csv ? Buffer.from(',') : null);
}

/** The separator of CSV fields; null if the input is not CSV. */
export function csvSeparatorOf(values: Values): number | null {
  if (!isCsv(values)) return null;
  const separator = separatorOf(values)!.toString('latin1');
  if (separator.length === 1 && !NO_SEPARATORS.includes(separator)) return separator.charCodeAt(0);
  throw new GpusortError('usage', `invalid CSV separator ${quoteLikeC(separator)}`, {
    hint: 'Give -t one byte that is not a quote, a newline, a carriage return or NUL.',
  });
}

/** Throws if a key has a name but there is no header. */
export function refuseNamesWithoutHeader({ key = [], per = [], header }: Values): void {
  const isNamed = (part: (typeof key)[number]): part is KeyDefinition => 'name' in part && part.name !== undefined;
  const [option, named] = per.some(isNamed) ? ['--per', per.find(isNamed)] : ['-k', key.find(isNamed)];
  if (header === 0 && named !== undefined) {
    throw new GpusortError(
      'usage',
      `cannot look up the field ${quoteLikeC(named.name!)}: --header 0 says that there is no header`,
      { hint: `Give the number of the field, for example ${option} 2,2.` },
    );
  }
}

/** Throws if lines are checked to be JSON, but not sorted by a value in it. */
export function refuseUnusedJson({ json, invalidJson }: Values): void {
  if (invalidJson !== undefined && json === undefined)
    throw new GpusortError('usage', '--invalid-json needs --json PATH', {
      hint: 'Add --json with the path of a value, for example --json user.id.',
    });
}
