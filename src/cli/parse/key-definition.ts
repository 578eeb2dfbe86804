/**
 * Parses KEYDEFs, that is POS1[,POS2] with letters, as in GNU sort's -k and in --segment-by, and the obsolescent form
 * +POS1 [-POS2]. Errors are GNU's sentences. ordering.ts combines the letters of all keys and of the command line.
 */
import type { FieldPosition, FieldSpan } from '../../job/ordering.js';
import { GpusortError } from '../../system/errors.js';
import { quoteLikeC } from './values.js';

/** The ordering letters, in the order in which messages list them. `b` is not one of them: it belongs to a position. */
export const ORDERING_LETTERS = 'dfghiMnRrV';
/** The letter that puts empty keys last. GNU sort lacks it, and it cannot be given for the whole command line. */
export const EMPTY_LAST = 'E';

/** Ordering letters of a key or of the command line. */
export interface Modifiers {
  /** The given ones of ORDERING_LETTERS, and EMPTY_LAST if it was given. `i` has no effect with `d`. */
  readonly letters: ReadonlySet<string>;
  /** Whether leading blanks are skipped at the first position, and at the second one. */
  readonly beginBlanks: boolean;
  readonly endBlanks: boolean;
}

/** One key as it was given. Fields and bytes count from 0. Blanks are skipped only if `modifiers` say so. */
export interface KeyDefinition {
  readonly begin: KeyPlace;
  /** Null: the record's end. */
  readonly end: KeyPlace | null;
  readonly modifiers: Modifiers;
  /** Set if the key was given as +POS1 [-POS2]. */
  readonly obsolescent?: true;
  /** The name in the CSV header of the field from which fields count. */
  readonly name?: string;
  /** The keys to use instead if no field has the name. Set for a list of names. */
  readonly instead?: readonly KeyDefinition[];
  /** Fields are those of the JSON value at the end of this path. */
  readonly path?: readonly string[];
}

interface KeyPlace {
  readonly field: number;
  readonly byte: number;
}

/** A whole number as xstrtoumax reads it: blanks and a plus sign may precede it. */
const NUMBER = '[ \\t-\\r]*\\+?[0-9]+';
/** The beginning of every KEYDEF. */
export const LEADING_NUMBER = new RegExp(`^${NUMBER}`);
/** The largest number of a field or byte: no record has more. */
const LARGEST = 0x7fffffff;

/** Parses `-k TEXT`. `letters`: the letters that are allowed besides `b`. */
export function parseKeyDefinition(text: string, letters: string = ORDERING_LETTERS): KeyDefinition {
  const reader = new Reader(text, letters);
  const field = reader.counted('invalid number at field start', 'field number is zero');
  const byte = reader.passes('.') ? reader.counted("invalid number after '.'", 'character offset is zero') : 0;
  const beginBlanks = reader.letters();
  let [end, endBlanks]: [KeyPlace | null, boolean] = [null, false];
  if (reader.passes(',')) {
    end = {
      field: reader.counted("invalid number after ','", 'field number is zero'),
      byte: reader.passes('.') ? reader.number("invalid number after '.'") : 0,
    };
    endBlanks = reader.letters();
  }
  reader.end();
  return { begin: { field, byte }, end, modifiers: { letters: reader.found, beginBlanks, endBlanks } };
}

/** Parses the letters after a name; `text` is the whole key, for messages. */
export function parseLetters(letters: string, text: string): Modifiers {
  const reader = new Reader(letters, ORDERING_LETTERS + EMPTY_LAST);
  const beginBlanks = reader.letters();
  if (!reader.ended) {
    throw new GpusortError('usage', `invalid letters ${quoteLikeC(letters)} in key ${quoteLikeC(text)}`, {
      hint: 'Write \\: for a colon that is part of a name.',
    });
  }
  return { letters: reader.found, beginBlanks, endBlanks: false };
}

/** Whether an argument is the first position of an obsolescent key, not a file name. */
export function isObsolescentKey(argument: string): boolean {
  return new RegExp(`^\\+${NUMBER}(?:\\.${NUMBER})?[b${ORDERING_LETTERS}]*$`).test(argument);
}

/** Parses `+F[.C][letters]`, for which `isObsolescentKey` holds, and `-F[.C][letters]`: fields and bytes to skip. */
export function parseObsolescentKey(first: string, second: string | undefined): KeyDefinition {
  const reader = new Reader(first, ORDERING_LETTERS, 1);
  const begin = { field: reader.number(''), byte: reader.passes('.') ? reader.number('') : 0 };
  const beginBlanks = reader.letters();
  if (second === undefined)
    return { begin, end: null, modifiers: { letters: reader.found, beginBlanks, endBlanks: false }, obsolescent: true };
  const endReader = new Reader(second, ORDERING_LETTERS, 1);
  const field = endReader.number("invalid number after '-'");
  const byte = endReader.passes('.') ? endReader.number("invalid number after '.'") : 0;
  const endBlanks = endReader.letters();
  endReader.end();
  // `-F` is the end of the field before field F, like a POS2 without a byte position. GNU sort turns -0 into -1.
  const end = byte === 0 ? { field: Math.max(field - 1, 0), byte } : { field, byte };
  return {
    begin,
    end,
    modifiers: { letters: new Set([...reader.found, ...endReader.found]), beginBlanks, endBlanks },
    obsolescent: true,
  };
}

/** Parses the KEYDEF of --segment-by, in which only the letter `b` is allowed. */
export function parseFieldSpan(text: string, separator: Uint8Array | null): FieldSpan {
  return spanOf(parseKeyDefinition(text, ''), separator);
}

/** The bytes of a record that a key selects. */
export function spanOf(
  { begin, end, modifiers: { beginBlanks, endBlanks } }: KeyDefinition,
  separator: Uint8Array | null,
): FieldSpan {
  const position = (place: KeyPlace, skipBlanks: boolean): FieldPosition => ({ ...place, skipBlanks });
  return { begin: position(begin, beginBlanks), end: end === null ? null : position(end, endBlanks), separator };
}

/** Reads a text from its start, or from `at`. */
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
    const digits = LEADING_NUMBER.exec(rest)?.[0];
    if (digits === undefined)
      throw new GpusortError('usage', `${problem}: invalid count at start of ${quoteLikeC(rest)}`);
    this.at += digits.length;
    return Math.min(Number(digits), LARGEST);
  }

  /** Converts a number that counts from 1 to one that counts from 0. */
  counted(problem: string, zeroProblem: string): number {
    const number = this.number(problem);
    if (number === 0) throw this.bad(zeroProblem);
    return number - 1;
  }

  /** Takes all letters; returns whether `b` was among them. */
  letters(): boolean {
    let blanks = false;
    for (; ; this.at++) {
      const letter = this.text[this.at];
      if (letter === 'b') blanks = true;
      else if (letter !== undefined && this.allowed.includes(letter)) this.found.add(letter);
      else return blanks;
    }
  }

  get ended(): boolean {
    return this.at === this.text.length;
  }

  end(): void {
    if (!this.ended) throw this.bad('stray character in field spec');
  }

  private bad(problem: string): GpusortError {
    return new GpusortError('usage', `${problem}: invalid field specification ${quoteLikeC(this.text)}`);
  }
}
