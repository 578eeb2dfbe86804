/** Parses -k and --array for binary records: the places of keys and the types of numbers. */

import type { NumberType } from '../../job/ordering.js';
import { numberOf } from '../../report/units.js';
import { GpusortError } from '../../system/errors.js';
import { toText } from './argv.js';
import { OBSOLESCENT_KEY } from './getopt.js';
import { exactly } from './values.js';

/** A key of binary records as it was given. */
export interface RecordKey {
  readonly offset: number;
  readonly length: number;
  /** The type of the number; null: compared as bytes. */
  readonly type: NumberType | null;
  /** Whether the key has the letter r. */
  readonly reverse: boolean;
  readonly text: string;
}

/** The value of --array: numbers to sort by, each with a number of bytes that move with it. */
export interface ArrayType {
  readonly type: NumberType;
  readonly valueBytes: number;
  readonly text: string;
}

const KINDS = { u: 'unsigned', i: 'signed', f: 'float' } as const;
const TYPE = /^(?:([ui])(8|16|32|64)|(u)(128)|(f)(32|64))(le|be)?$/;

/** The types without byte orders, for messages and help. */
export const TYPE_NAMES = 'u8 u16 u32 u64 u128 i8 i16 i32 i64 f32 f64';

/** Parses OFFSET:LENGTH, OFFSET:LENGTH:bytes, OFFSET:TYPE or OFFSET:LENGTH:TYPE, each optionally followed by :r. */
export function parseRecordKey(text: string, spelling: string): RecordKey {
  const words = text.split(':');
  const reverse = words.length > 2 && words.at(-1) === 'r' && words.pop() !== undefined;
  const [offset, second = '', third = isNumber(second) ? 'bytes' : second, ...more] = words;
  const isComplete = isNumber(offset) && (isNumber(second) || words.length === 2) && more.length === 0;
  if (!isComplete || second === '' || second === 'bytes' || third === '' || Number(second) === 0)
    throw invalidKey(text, spelling);
  const type = third === 'bytes' ? null : parseType(third);
  if (type === undefined) throw unknownType(third, text, spelling);
  const length = isNumber(second) ? exactly(second) : type!.bytes;
  if (type !== null && type.bytes !== length) {
    throw new GpusortError(
      'usage',
      `key ${toText(text)} contradicts itself: ${third} has ${numberOf(type.bytes, 'byte')}`,
      {
        hint: `Give ${offset}:${third}, or another LENGTH or TYPE.`,
      },
    );
  }
  return { offset: exactly(offset), length, type, reverse, text };
}

/** Parses the bytes that identify a segment, which are written like a key of binary records without letters. */
export function parseSegmentKey(text: string, spelling: string): RecordKey {
  const key = parseRecordKey(text, spelling);
  if (key.reverse) throw invalidKey(text, spelling);
  return key;
}

/** Whether -k, given for lines, looks like a key of binary records. */
export function looksLikeRecordKey(text: string): boolean {
  return /^[0-9]+:(?:[0-9]+|[uif][0-9]+(?:le|be)?)(?::|$)/.test(text);
}

/** Parses TYPE or TYPE+TYPE. */
export function parseArrayType(text: string, spelling: string): ArrayType {
  const words = text.split('+');
  const [type, value] = words.map(parseType);
  const unknown = words.find((word) => parseType(word) === undefined);
  if (type !== undefined && words.length <= 2 && unknown === undefined)
    return { type, valueBytes: value?.bytes ?? 0, text };
  if (unknown !== undefined && /^[a-z]+[0-9]*[a-z]*$/i.test(unknown)) throw unknownType(unknown, text, spelling);
  throw new GpusortError('usage', `invalid ${spelling} argument '${toText(text)}'`, {
    hint: `Give TYPE or, for numbers with values that move with them, TYPE+TYPE; for example f64le or u32le+u64.`,
  });
}

/** The type that a word names; undefined if it names none. */
function parseType(word: string): NumberType | undefined {
  const match = TYPE.exec(word);
  if (match === null) return undefined;
  const [kind, bits] = match.slice(1, 7).filter((part) => part !== undefined) as [keyof typeof KINDS, string];
  return { kind: KINDS[kind], bytes: Number(bits) / 8, bigEndian: match[7] === 'be' };
}

function isNumber(word: string | undefined): word is string {
  return word !== undefined && /^[0-9]+$/.test(word);
}

function invalidKey(text: string, spelling: string): GpusortError {
  const option = spelling === OBSOLESCENT_KEY ? '-k' : spelling;
  return new GpusortError('usage', `invalid ${spelling} argument '${toText(text)}'`, {
    hint:
      `Give OFFSET:LENGTH or OFFSET:TYPE, for example ${option} 0:10 or ${option} 8:u64le. OFFSET counts bytes ` +
      'from 0, and LENGTH is at least 1.',
  });
}

function unknownType(word: string, text: string, spelling: string): GpusortError {
  return new GpusortError('usage', `unknown type '${toText(word)}' in ${spelling} argument '${toText(text)}'`, {
    hint: `Use one of ${TYPE_NAMES}, with le (the default) or be after it.`,
  });
}
