/**
 * Keys given as objects. Each becomes the text of -k, --json or --per with the same meaning, so the command's parser
 * reads both. Errors that the parser could not explain are found here, and name the property.
 */
import { EXCLUSIVE_LETTERS } from '../cli/parse/ordering.js';
import { nearest } from '../cli/parse/usage.js';
import { GpusortError } from '../system/errors.js';
import type { BinaryKey, FieldKey, JsonKey, KeyLetters, KeyObject, SortOptions } from './types.js';

/** The letters of -k that properties stand for. */
export const LETTERS: Readonly<Record<keyof Omit<KeyLetters, 'ignoreLeadingBlanks'>, string>> = {
  dictionaryOrder: 'd',
  ignoreCase: 'f',
  generalNumeric: 'g',
  humanNumeric: 'h',
  ignoreNonprinting: 'i',
  month: 'M',
  numeric: 'n',
  random: 'R',
  reverse: 'r',
  version: 'V',
  emptyLast: 'E',
};
const LETTERS_GIVEN = Object.entries(LETTERS) as readonly (readonly [keyof typeof LETTERS, string])[];

type Property = keyof FieldKey | keyof BinaryKey | keyof JsonKey;

/** The values that a property accepts, and their description in messages. */
export interface ValueType {
  isValid(value: unknown): boolean;
  readonly allowed: string;
}

export const SWITCH: ValueType = { isValid: (value) => typeof value === 'boolean', allowed: 'true or false' };
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
const COUNT: ValueType = { isValid: isCount, allowed: 'a whole number from 1 on' };
const isStep = (value: unknown): boolean => typeof value === 'string' || value === 0 || isCount(value);

/** The properties of a key, and their values. */
const VALUES: Readonly<Record<Property, ValueType>> = {
  field: {
    isValid: (value) => isCount(value) || typeof value === 'string',
    allowed: `${COUNT.allowed} or, with csv or tsv, a name of the header`,
  },
  byte: COUNT,
  endField: { isValid: (value) => isCount(value) || value === 'last', allowed: `${COUNT.allowed}, or 'last'` },
  endByte: COUNT,
  offset: { isValid: (value) => value === 0 || isCount(value), allowed: 'a whole number from 0 on' },
  length: COUNT,
  type: { isValid: (value) => typeof value === 'string', allowed: "text, such as 'u32be'" },
  path: {
    isValid: (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isStep)),
    allowed: 'text, or an array of names and of whole numbers from 0 on',
  },
  ignoreLeadingBlanks: {
    isValid: (value) => SWITCH.isValid(value) || value === 'start' || value === 'end',
    allowed: "true, false, 'start' or 'end'",
  },
  ...(Object.fromEntries(LETTERS_GIVEN.map(([name]) => [name, SWITCH])) as Record<keyof typeof LETTERS, ValueType>),
};
const OF_PLACES: readonly string[] = ['byte', 'endField', 'endByte'] satisfies Property[];
const OF_BINARY: readonly string[] = ['offset', 'length', 'type', 'reverse'] satisfies Property[];
const ONLY_OF_BINARY = OF_BINARY.filter((name) => name !== 'reverse');
const OF_JSON: readonly string[] = ['path', 'ignoreLeadingBlanks', ...Object.keys(LETTERS)];

/** The options whose values may be objects. */
const KEY_OPTIONS = ['key', 'json', 'per'] as const;
type KeyOption = (typeof KEY_OPTIONS)[number];
export const isKeyOption = (name: string): name is KeyOption => KEY_OPTIONS.some((option) => option === name);

export const isKeyObject = (value: unknown): value is KeyObject | JsonKey =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes the error for a value of the wrong type. */
type Refused = (what: string, value: unknown, allowed: string) => GpusortError;

/**
 * The text of -k, --json or --per for a key of `option`. `place`: the key in messages, for example `key` or `key[2]`.
 * `refused` makes the error for a value of the wrong type. Throws `usage`.
 */
export function keyText(
  option: KeyOption,
  key: KeyObject | JsonKey,
  place: string,
  options: SortOptions,
  refused: Refused,
): string {
  refuseProperties(key, place, refused);
  const given = Object.entries(key).filter(([, value]) => value !== undefined);
  const names = given.flatMap(([name, value]) => (value === false ? [] : [name]));
  if (option === 'json' || (option === 'per' && options.json !== undefined))
    return textOfPath(key as JsonKey, names, place);
  if ('path' in key) throw usage(`'${place}.path' is for the option 'json'`);
  return options.recordSize === undefined
    ? textOfFields(key as FieldKey, names, place, options)
    : textOfBinary(key as BinaryKey, names, place);
}

/** Throws `usage` if a key has an unknown property, or a property with a value of the wrong type. See keyText. */
export function refuseProperties(key: KeyObject | JsonKey, place: string, refused: Refused): void {
  for (const [name, value] of Object.entries(key)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(VALUES, name)) throw unknownProperty(name, place);
    const { isValid, allowed } = VALUES[name as Property];
    if (!isValid(value)) throw refused(`'${place}.${name}'`, value, allowed);
  }
}

function textOfFields(key: FieldKey, names: readonly string[], place: string, options: SortOptions): string {
  const { field, byte, endField = field, endByte, ignoreLeadingBlanks: blanks } = key;
  const binary = names.find((name) => ONLY_OF_BINARY.includes(name));
  if (binary !== undefined) throw usage(`'${place}.${binary}' needs 'recordSize': it is for binary records`);
  if (field === undefined) throw usage(`'${place}.field' is missing`);
  refuseContradiction(names, place);
  const letters = lettersOf(key);
  const [first, last] = [blanks === true || blanks === 'start', blanks === true || blanks === 'end'];
  if (typeof field === 'string') {
    refusePlaces(names, place, options);
    return `${escaped(field)}:${first ? 'b' : ''}${letters}`;
  }
  const begin = `${field}${byte === undefined ? '' : `.${byte}`}${first ? 'b' : ''}`;
  if (endField === 'last') return begin + letters;
  return `${begin},${endField}${endByte === undefined ? '' : `.${endByte}`}${last ? 'b' : ''}${letters}`;
}

const lettersOf = (key: KeyLetters): string =>
  LETTERS_GIVEN.map(([name, letter]) => (key[name] ? letter : '')).join('');

/** A name as written in -k. The colon after it keeps a name of digits from being read as a number. */
const escaped = (name: string): string => name.replace(/[\\:,]/g, '\\$&');

function textOfPath(key: JsonKey, names: readonly string[], place: string): string {
  const { path, ignoreLeadingBlanks: blanks } = key;
  const wrong = names.find((name) => !OF_JSON.includes(name));
  if (wrong !== undefined) throw usage(`'${place}.${wrong}' is not for values in JSON`, 'Name the value with path.');
  if (path === undefined) throw usage(`'${place}.path' is missing`);
  refuseContradiction(names, place);
  const steps = typeof path === 'string' ? path.split('.') : path.map(String);
  return `${steps.map((step) => step.replace(/[\\:.]/g, '\\$&')).join('.')}:${blanks ? 'b' : ''}${lettersOf(key)}`;
}

function refusePlaces(names: readonly string[], place: string, { csv, tsv }: SortOptions): void {
  if (!csv && !tsv)
    throw usage(`'${place}.field' is a name, which needs 'csv' or 'tsv'`, 'Without these, fields have numbers.');
  const wrong = names.find((name) => OF_PLACES.includes(name));
  if (wrong !== undefined) throw usage(`'${place}.${wrong}' needs the number of a field as '${place}.field'`);
}

function refuseContradiction(names: readonly string[], place: string): void {
  const [one, other] = EXCLUSIVE_LETTERS.flatMap((group) =>
    LETTERS_GIVEN.filter(([name, letter]) => names.includes(name) && group.includes(letter)).slice(0, 1),
  );
  if (other !== undefined) throw usage(`'${one[0]}' and '${other[0]}' of '${place}' are incompatible`);
}

function textOfBinary({ offset, length, type, reverse }: BinaryKey, names: readonly string[], place: string): string {
  const wrong = names.find((name) => !OF_BINARY.includes(name));
  if (wrong !== undefined)
    throw usage(
      `'${place}.${wrong}' is not for binary records`,
      `Use ${OF_BINARY.slice(0, 3).join(', ')} and reverse.`,
    );
  if (offset === undefined) throw usage(`'${place}.offset' is missing`);
  if (length === undefined && type === undefined) throw usage(`'${place}' needs 'length' or 'type'`);
  return [offset, length, type ?? 'bytes', ...(reverse ? ['r'] : [])].filter((word) => word !== undefined).join(':');
}

function unknownProperty(name: string, place: string): GpusortError {
  const known = Object.keys(VALUES);
  const meant = known.find((one) => `${one}Sort` === name) ?? nearest(name, known);
  return usage(`unknown property '${name}' of '${place}'`, meant && `Did you mean '${meant}'?`);
}

const usage = (message: string, hint?: string): GpusortError =>
  new GpusortError('usage', message, hint === undefined ? {} : { hint });
