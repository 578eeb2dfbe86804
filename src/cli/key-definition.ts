/**
 * KEYDEF: POS1[,POS2] with its letters, as GNU sort's -k and --segment-by have it, and the obsolescent +POS1 [-POS2]. Errors are GNU's
 * sentences. What the letters of several keys and of the whole command line come to is in ordering.ts.
 */
import type { FieldPosition, FieldSpan } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { quoteLikeC } from './values.js';

/** Letters of orderings, in the order in which messages name them. `b` is no such letter: it belongs to a position. */
export const ORDERING_LETTERS = 'dfghiMnRrV';

/** What is said of how a part is ordered, by a key or for the whole command line. */
export interface Modifiers {
  /** Those of ORDERING_LETTERS that were given; `i` changes nothing beside `d`. */
  readonly letters: ReadonlySet<string>;
  /** Leading blanks do not count at the first place, and at the one behind the last. */
  readonly beginBlanks: boolean;
  readonly endBlanks: boolean;
}

/** One key as it was given; fields and bytes are counted from 0, and no blanks are passed but by `modifiers`. */
export interface KeyDefinition {
  readonly begin: Place;
  /** Null: the record's end. */
  readonly end: Place | null;
  readonly modifiers: Modifiers;
  /** It was given as +POS1 [-POS2]. */
  readonly obsolescent?: true;
  /** Fields are counted from the one that the header of CSV names so. */
  readonly name?: string;
  /** Fields are those of the value at the end of these names in JSON. */
  readonly path?: readonly string[];
}

interface Place {
  readonly field: number;
  readonly byte: number;
}

/** A whole number as xstrtoumax reads it, blanks and a plus sign before it. */
const NUMBER = '[ \\t-\\r]*\\+?[0-9]+';
/** No record has more fields or bytes. */
const LARGEST = 0x7fffffff;

/** Reads `-k TEXT`; `letters` besides `b` are those that may stand there. */
export function parseKeyDefinition(text: string, letters: string = ORDERING_LETTERS): KeyDefinition {
  const reader = new Reader(text, letters);
  const field = reader.counted('invalid number at field start', 'field number is zero');
  const byte = reader.passes('.') ? reader.counted("invalid number after '.'", 'character offset is zero') : 0;
  const beginBlanks = reader.letters();
  let [end, endBlanks]: [Place | null, boolean] = [null, false];
  if (reader.passes(',')) {
    end = { field: reader.counted("invalid number after ','", 'field number is zero'), byte: reader.passes('.') ? reader.number("invalid number after '.'") : 0 };
    endBlanks = reader.letters();
  }
  reader.end();
  return { begin: { field, byte }, end, modifiers: { letters: reader.found, beginBlanks, endBlanks } };
}

/** Reads the letters behind a name; `text` is all of the key. */
export function parseLetters(letters: string, text: string): Modifiers {
  const reader = new Reader(letters, ORDERING_LETTERS);
  const beginBlanks = reader.letters();
  if (!reader.ended) {
    throw new GpusortError('usage', `invalid letters ${quoteLikeC(letters)} in key ${quoteLikeC(text)}`, { hint: 'Write \\: for a colon that is part of a name.' });
  }
  return { letters: reader.found, beginBlanks, endBlanks: false };
}

/** Whether an argument is the first place of an obsolescent key, and no file's name. */
export function isObsolescentKey(argument: string): boolean {
  return new RegExp(`^\\+${NUMBER}(?:\\.${NUMBER})?[b${ORDERING_LETTERS}]*$`).test(argument);
}

/** Reads `+F[.C][letters]`, for which `isObsolescentKey` holds, and `-F[.C][letters]`: fields and bytes to be passed. */
export function parseObsolescentKey(first: string, second: string | undefined): KeyDefinition {
  const reader = new Reader(first, ORDERING_LETTERS, 1);
  const begin = { field: reader.number(''), byte: reader.passes('.') ? reader.number('') : 0 };
  const beginBlanks = reader.letters();
  if (second === undefined) return { begin, end: null, modifiers: { letters: reader.found, beginBlanks, endBlanks: false }, obsolescent: true };
  const behind = new Reader(second, ORDERING_LETTERS, 1);
  const field = behind.number("invalid number after '-'");
  const byte = behind.passes('.') ? behind.number("invalid number after '.'") : 0;
  const endBlanks = behind.letters();
  behind.end();
  // `-F` is the end of the field before field F, as the end of POS2 without bytes is; of -0 GNU makes -1.
  const end = byte === 0 ? { field: Math.max(field - 1, 0), byte } : { field, byte };
  return { begin, end, modifiers: { letters: new Set([...reader.found, ...behind.found]), beginBlanks, endBlanks }, obsolescent: true };
}

/** A part of a record that only tells what belongs together, as --segment-by has it: positions, and no letters but `b`. */
export function parseFieldSpan(text: string, separator: Uint8Array | null): FieldSpan {
  return spanOf(parseKeyDefinition(text, ''), separator);
}

/** The bytes of records that a key names. */
export function spanOf({ begin, end, modifiers: { beginBlanks, endBlanks } }: KeyDefinition, separator: Uint8Array | null): FieldSpan {
  const position = (place: Place, skipBlanks: boolean): FieldPosition => ({ ...place, skipBlanks });
  return { begin: position(begin, beginBlanks), end: end === null ? null : position(end, endBlanks), separator };
}

/** Reads a text from its beginning on, or from `at`. */
class Reader {
  readonly found = new Set<string>();
  private at: number;
  private readonly text: string;
  private readonly allowed: string;

  constructor(text: string, allowed: string, at = 0) {
    this.text = text;
    this.allowed = allowed;
    this.at = at;
  }

  passes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  number(problem: string): number {
    const rest = this.text.slice(this.at);
    const digits = new RegExp(`^${NUMBER}`).exec(rest)?.[0];
    if (digits === undefined) throw new GpusortError('usage', `${problem}: invalid count at start of ${quoteLikeC(rest)}`);
    this.at += digits.length;
    return Math.min(Number(digits), LARGEST);
  }

  /** A number counted from 1, counted from 0. */
  counted(problem: string, zeroProblem: string): number {
    const number = this.number(problem);
    if (number === 0) throw this.bad(zeroProblem);
    return number - 1;
  }

  /** Takes letters; whether `b` was among them. */
  letters(): boolean {
    let blanks = false;
    for (; ; this.at++) {
      const letter = this.text[this.at];
      if (letter === 'b') blanks = true;
      else if (letter !== undefined && this.allowed.includes(letter)) this.found.add(letter);
      else return blanks;
    }
  }

  get ended(): boolean { return this.at === this.text.length; }

  end(): void {
    if (!this.ended) throw this.bad('stray character in field spec');
  }

  private bad(problem: string): GpusortError {
    return new GpusortError('usage', `${problem}: invalid field specification ${quoteLikeC(this.text)}`);
  }
}
