/**
 * Parses the values of options: sizes and numbers as GNU's xstrtoumax reads them, words of a list and separators.
 * Errors are GNU's sentences. The only option that it knows by name is --batch-size.
 */
import { GpusortError } from '../../system/errors.js';
import { toText } from './argv.js';
import { nearest, usageError } from './usage.js';

/** The power of 1024 for each suffix letter. -S accepts no other suffixes besides `b` and `%`. */
const POWERS: Readonly<Record<string, number>> = {
  K: 1,
  k: 1,
  M: 2,
  m: 2,
  G: 3,
  g: 3,
  T: 4,
  t: 4,
  P: 5,
  E: 6,
  Z: 7,
  Y: 8,
};
const LARGEST = (1n << 64n) - 1n;
/** The kernels hold a separator in one 32-bit word. */
const MOST_SEPARATOR_BYTES = 4;

/** Why a value is invalid; the message adds the option's name. */
type NumberProblem = 'invalid' | 'suffix' | 'large';

/**
 * A SIZE in bytes: digits with an optional suffix b, %, K, M, G, T, P, E. Without a suffix, it counts units of `unit`
 * bytes. % is relative to `totalMemory`, and is not a suffix without it.
 */
export function parseSize(text: string, spelling: string, unit: number, totalMemory?: () => number): number {
  const [, digits, suffix] = /^[ \t-\r]*\+?([0-9]*)([\s\S]*)$/.exec(text)!;
  const power = POWERS[suffix[0] ?? ''];
  // A suffix without a number counts as 1 of that unit, if nothing precedes it.
  if (digits === '' && POWERS[text[0] ?? ''] === undefined) throw numberError('invalid', spelling, text);
  const count = digits === '' ? 1n : BigInt(digits);
  let bytes = count;
  if (suffix === '') bytes *= BigInt(unit);
  else if (suffix === '%' && totalMemory !== undefined && count <= LARGEST)
    bytes = (BigInt(Math.floor(totalMemory())) * count) / 100n;
  else if (suffix === 'b' && count <= LARGEST) bytes = count;
  else if (power !== undefined && suffix.length === 1) bytes <<= BigInt(10 * power);
  else throw numberError('suffix', spelling, text);
  if (bytes > LARGEST) throw numberError('large', spelling, text);
  return clamp(bytes);
}

/**
 * A whole number without suffix, at most the largest exact number: no machine has more of anything.
 */
export function parseCount(text: string, spelling: string): number {
  const [, digits, rest] = /^[ \t-\r]*\+?([0-9]*)([\s\S]*)$/.exec(text)!;
  if (digits === '') throw numberError('invalid', spelling, text);
  if (rest !== '') throw numberError('suffix', spelling, text);
  return clamp(BigInt(digits));
}

/**
 * The number of inputs that -m merges at once: at least 2, and at most three less than the maximum number of open
 * files.
 */
export function parseBatchSize(text: string, programName: string, openFiles: () => number): number {
  const spelling = '--batch-size';
  const count = parseCount(text, spelling);
  const most = openFiles() - 3;
  // Each error has two messages.
  if (count < 2)
    throw new GpusortError('usage', `invalid ${spelling} argument ${quoteLikeC(text)}`, {
      hint: `${programName}: minimum ${spelling} argument is '2'`,
    });
  if (count > most) {
    throw new GpusortError('usage', `${spelling} argument ${quoteLikeC(text)} too large`, {
      hint: `${programName}: maximum ${spelling} argument with current rlimit is ${most}`,
    });
  }
  return count;
}

/** The words that an option accepts for one value; the first word is the value. */
type Choice = readonly string[];

/** The words that an option accepts. */
export interface Words {
  readonly choices: readonly Choice[];
  /** Words that were added later. An abbreviation that also fits another word means the other one. */
  readonly later?: readonly string[];
  /**
   * Words that GNU sort lacks. They have no abbreviation, and messages do not list them, because messages must equal
   * GNU sort's.
   */
  readonly own?: readonly string[];
  /** Longer values, which begin with one of the words. Completions offer them; messages do not list them. */
  readonly longer?: readonly string[];
}

/**
 * The value of a word from a list, or of its unambiguous abbreviation. `exitCode`: the exit status for any other word.
 */
export function parseChoice(
  text: string,
  spelling: string,
  { choices, later = [], own = [] }: Words,
  programName: string,
  exitCode = 2,
): string {
  if (own.includes(text)) return text;
  const exact = choices.find((words) => words.includes(text));
  const begun = choices.filter((words) => words.some((word) => word.startsWith(text)));
  const earlier = begun.filter(([value]) => !later.includes(value));
  const fitting = exact !== undefined ? [exact] : earlier.length > 0 ? earlier : begun;
  if (fitting.length === 1) return fitting[0][0];
  const kind = fitting.length === 0 ? 'invalid' : 'ambiguous';
  const list = choices.map((words) => `  - ${words.map((word) => `'${word}'`).join(', ')}\n`).join('');
  throw usageError(`${kind} argument ${quoteLikeC(text)} for '${spelling}'`, programName, {
    list: `Valid arguments are:\n${list}`,
    exitCode,
    meant: fitting.length === 0 ? nearest(text, [...choices.flat(), ...own]) : undefined,
  });
}

/**
 * The field separator: one byte, `\0` for NUL, or up to four bytes, for example a UTF-8 character. GNU sort accepts
 * only one byte.
 */
export function parseSeparator(text: string): Buffer {
  if (text === '') throw new GpusortError('usage', 'empty tab');
  if (text === '\\0') return Buffer.of(0);
  const hint =
    text.length === 1
      ? undefined
      : text.startsWith('\\')
        ? "Let the shell make special bytes, for example -t $'\\t' for a tab."
        : /^--?[A-Za-z0-9]/.test(text)
          ? 'Give the separator after -t: this looks like an option.'
          : undefined;
  if (hint !== undefined) throw new GpusortError('usage', `multi-character tab ${quoteLikeC(text)}`, { hint });
  if (text.length > MOST_SEPARATOR_BYTES)
    throw new GpusortError('usage', `separator ${quoteLikeC(text)} is longer than ${MOST_SEPARATOR_BYTES} bytes`);
  return Buffer.from(text, 'latin1');
}

function numberError(problem: NumberProblem, spelling: string, text: string): GpusortError {
  const value = `'${toText(text)}'`;
  switch (problem) {
    case 'invalid':
      return new GpusortError('usage', `invalid ${spelling} argument ${value}`);
    case 'suffix':
      return new GpusortError('usage', `invalid suffix in ${spelling} argument ${value}`);
    case 'large':
      return new GpusortError('usage', `${spelling} argument ${value} too large`);
  }
}

/** The number that digits stand for, or the largest exact number: no record has that many bytes. */
export function exactly(digits: string): number {
  return clamp(BigInt(digits));
}

function clamp(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** The text in quotes with the escapes of C, as GNU programs quote text that is not a file name. */
export function quoteLikeC(bytes: string): string {
  const escaped = bytes.replace(/[\\']/g, '\\$&').replace(/[^\x20-\x7e]/g, (byte) => {
    const letter = (
      { '\x07': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v' } as Record<string, string>
    )[byte];
    return `\\${letter ?? byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `'${escaped}'`;
}
