/**
 * The values of options: sizes and numbers as GNU's xstrtoumax reads them, words of a list, names of bytes. Errors are GNU's
 * sentences. Knows no option by name.
 */
import type { FieldPosition, FieldSpan } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { toText } from './argv.js';
import type { Choice } from './options.js';
import { usageError } from './usage.js';

/** Powers of 1024; -S takes no other suffix letters besides `b` and `%`. */
const POWERS: Readonly<Record<string, number>> = { K: 1, k: 1, M: 2, m: 2, G: 3, g: 3, T: 4, t: 4, P: 5, E: 6, Z: 7, Y: 8 };
const LARGEST = (1n << 64n) - 1n;

/** A reason why a value is none, to be completed with the option's name. */
type NumberProblem = 'invalid' | 'suffix' | 'large';

/**
 * A SIZE in bytes: digits with an optional suffix b, %, K, M, G, T, P, E. Without suffix it counts in units of `unit` bytes;
 * `totalMemory` is what % is of, and where it is left out % is no suffix.
 */
export function parseSize(text: string, spelling: string, unit: number, totalMemory?: () => number): number {
  const [, digits, suffix] = /^[ \t-\r]*\+?([0-9]*)([^]*)$/.exec(text)!;
  const power = POWERS[suffix[0] ?? ''];
  if (digits === '' && power === undefined) throw numberError('invalid', spelling, text);
  const count = digits === '' ? 1n : BigInt(digits);
  let bytes = count;
  if (suffix === '') bytes *= BigInt(unit);
  else if (suffix === '%' && totalMemory !== undefined && count <= LARGEST) bytes = BigInt(Math.floor(totalMemory())) * count / 100n;
  else if (suffix === 'b' && count <= LARGEST) bytes = count;
  else if (power !== undefined && suffix.length === 1) bytes <<= BigInt(10 * power);
  else throw numberError('suffix', spelling, text);
  if (bytes > LARGEST) throw numberError('large', spelling, text);
  return clamp(bytes);
}

/** A whole number without suffix. One too large to be exact is the largest exact one, as no machine has as much of anything. */
export function parseCount(text: string, spelling: string): number {
  const [, digits, rest] = /^[ \t-\r]*\+?([0-9]*)([^]*)$/.exec(text)!;
  if (digits === '') throw numberError('invalid', spelling, text);
  if (rest !== '') throw numberError('suffix', spelling, text);
  return clamp(BigInt(digits));
}

/** The value of a word out of a list, or of an unambiguous beginning of one. */
export function parseChoice(text: string, spelling: string, choices: readonly Choice[], programName: string): string {
  const exact = choices.find(words => words.includes(text));
  const fitting = exact !== undefined ? [exact] : choices.filter(words => words.some(word => word.startsWith(text)));
  if (fitting.length === 1) return fitting[0][0];
  const kind = fitting.length === 0 ? 'invalid' : 'ambiguous';
  const list = choices.map(words => `  - ${words.map(word => `'${word}'`).join(', ')}\n`).join('');
  throw usageError(`${kind} argument ${quoteLikeC(text)} for '${spelling}'`, programName, `Valid arguments are:\n${list}`);
}

/** OFFSET:LENGTH in bytes. */
export function parseByteKey(text: string, spelling: string): { offset: number; length: number } {
  const match = /^([0-9]+):([0-9]+)$/.exec(text);
  if (match === null || Number(match[2]) === 0) {
    throw new GpusortError('usage', `invalid ${spelling} argument '${toText(text)}'`, {
      hint: `A key is OFFSET:LENGTH in bytes, the first byte being 0 and LENGTH at least 1, for example ${spelling} 0:10.`,
    });
  }
  return { offset: clamp(BigInt(match[1])), length: clamp(BigInt(match[2])) };
}

/** POS1[,POS2], each F[.C][b], counted from 1. Where POS2 has no C, or 0, it is the end of field F. */
export function parseFieldSpan(text: string, spelling: string, separator: number | null): FieldSpan {
  const match = /^([0-9]+)(?:\.([0-9]+))?(b*)(?:,([0-9]+)(?:\.([0-9]+))?(b*))?$/.exec(text);
  const [, field, byte = '1', blanks, endField, endByte = '0', endBlanks] = match ?? [];
  const reason = match === null ? 'it is no position'
    : Number(field) === 0 || Number(endField ?? 1) === 0 ? 'field number is zero'
    : Number(byte) === 0 ? 'character offset is zero' : null;
  if (reason !== null) {
    throw new GpusortError('usage', `invalid ${spelling} argument '${toText(text)}': ${reason}`, {
      hint: `A key is F[.C][b][,F[.C][b]]: fields and bytes counted from 1, b to skip leading blanks, for example ${spelling} 2,2.`,
    });
  }
  const position = (f: string, c: number, b: string): FieldPosition => ({ field: smallNumber(f) - 1, byte: c, skipBlanks: b !== '' });
  return {
    begin: position(field!, smallNumber(byte) - 1, blanks!),
    end: endField === undefined ? null : position(endField, smallNumber(endByte), endBlanks!),
    separator,
  };
}

/** The byte that parts fields: GNU takes a single one, and \0 for NUL. */
export function parseSeparator(text: string): number {
  if (text === '') throw new GpusortError('usage', 'empty tab');
  if (text === '\\0') return 0;
  if (text.length > 1) throw new GpusortError('usage', `multi-character tab ${quoteLikeC(text)}`);
  return text.charCodeAt(0);
}

/** No record has more fields or bytes. */
function smallNumber(digits: string): number {
  return Math.min(Number(digits), 0x7fffffff);
}

function numberError(problem: NumberProblem, spelling: string, text: string): GpusortError {
  const value = `'${toText(text)}'`;
  switch (problem) {
    case 'invalid': return new GpusortError('usage', `invalid ${spelling} argument ${value}`);
    case 'suffix': return new GpusortError('usage', `invalid suffix in ${spelling} argument ${value}`);
    case 'large': return new GpusortError('usage', `${spelling} argument ${value} too large`);
  }
}

function clamp(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** In quotes with the escapes of C, as GNU quotes words of a list. */
function quoteLikeC(bytes: string): string {
  const escaped = bytes.replace(/[\\']/g, '\\$&').replace(/[^\x20-\x7e]/g, byte => {
    const letter = ({ '\x07': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' } as Record<string, string>)[byte];
    return '\\' + (letter ?? byte.charCodeAt(0).toString(8).padStart(3, '0'));
  });
  return `'${escaped}'`;
}
