/**
 * What tells most strings apart without their collator: a call of it takes 100 ns and more, comparing two numbers one or two. From the beginnings of strings
 * numbers are made that are ordered as the strings are, as far as characters tell that whose weights are known.
 *
 * A collation orders strings by primary weights first (UTS #10), which letters have and their accents and cases do not change. ICU tells none; but how
 * single characters compare tells their ranks, which do as well where every character has weights of its own, whatever stands beside it. That is
 * found out by comparing, too, for common characters:
 *
 *   - it counts at all: without accents and case it is not equal to nothing;
 *   - it begins no contraction (as `ch` in Czech): with a character behind it, it compares as with an ignored one (NUL) between them;
 *   - it is not several others, as German `ß` is: the next lower one of the ranks, and whatever behind it, is still lower.
 *
 * What follows the first character that is not such is not known: so a string has an interval, and strings whose intervals overlap are left to the collator.
 */

/** Integers below it are exact, and so are their opposites. */
const EXACT = 2 ** 53;
/** Numbers of a string besides the first: the end of its interval, and an interval by what follows, for strings whose first ones are equal and ends, too. */
const MORE = 3;
const LEVELS = 2;

/** Characters that are looked at: of ASCII, Latin-1 and Latin Extended-A, Greek (U+0387 is the middle dot, which makes contractions), Cyrillic. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [[0x09, 0x09], [0x20, 0x7e], [0xc0, 0x17f], [0x386, 0x386], [0x388, 0x3ce], [0x400, 0x45f]];
const TABLE_LENGTH = 0x460;
/** A character that was not looked at: it may be a mark on those before it, or belong to a contraction with some of them. */
const UNKNOWN = 0;
const MOST_RANKS = 250;
/** One that has no rank; it changes nothing of those before it. */
const WITHOUT_RANK = 255;
/** So many characters before one that is unknown are left to the collator: a contraction has four at most. */
const CONTRACTION = 3;

/** Ignored by all collations; contractions do not reach across it. */
const IGNORED = '\0';
/** Behind all characters. */
const HIGHEST = '\uffff';
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** The intervals of some strings. */
export interface Intervals {
  /** Where each begins, if it ends there, too; else -1 less that. */
  readonly firsts: Float64Array;
  /** Three numbers each: where the interval ends, and both ends of the second one. */
  readonly more: Float64Array;
}

export class PrimaryWeights {
  /** For each character code its rank among those looked at, from 1 on, or one of the above. */
  private readonly ranks = new Uint8Array(TABLE_LENGTH);
  /** Which begin a contraction, and the pairs that do: the first's code times 2 ** 16, and the second's. */
  private readonly begins = new Uint8Array(TABLE_LENGTH);
  private readonly contractions = new Set<number>();
  /** Ranks are digits of a number, 0 standing for the string's end: how many it has, and what each place is worth. */
  private readonly digits: number;
  private readonly powers: number[] = [];
  private readonly reverse: boolean;
  /** The ranks of the string that was looked at last, as many as are known, and whether that is all of it. */
  private readonly known: Uint8Array;
  private count = 0;
  private isAll = false;

  /** `reverse`: later strings get lower numbers. */
  constructor(locale: string, reverse: boolean) {
    const characters = BLOCKS.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCharCode(first + i)));
    for (const character of characters) this.ranks[character.charCodeAt(0)] = WITHOUT_RANK;
    const base = new Intl.Collator(locale, { sensitivity: 'base' });
    this.findContractions(base, characters);
    const ranked = rank(base, characters).slice(0, MOST_RANKS);
    ranked.forEach((equals, i) => { for (const character of equals) this.ranks[character.charCodeAt(0)] = i + 1; });
    const radix = ranked.length + 1;
    let power = 1;
    for (; power * radix < EXACT; power *= radix) this.powers.push(power);
    this.powers.push(power);
    this.digits = this.powers.length - 1;
    this.known = new Uint8Array(LEVELS * this.digits + CONTRACTION);
    this.reverse = reverse;
  }

  /** The intervals of `count` strings, those that `write` is called for. */
  intervals(count: number): Intervals {
    return { firsts: new Float64Array(count), more: new Float64Array(count * MORE) };
  }

  /** Puts the interval of bytes [from, to), a string in UTF-8, at number `i`. */
  write({ firsts, more }: Intervals, i: number, bytes: Uint8Array, from: number, to: number): void {
    this.read(bytes, from, to);
    const [low, high] = [this.end(0, false), this.end(0, true)];
    firsts[i] = low === high ? low : -1 - low;
    more[i * MORE] = high;
    more[i * MORE + 1] = this.end(1, false);
    more[i * MORE + 2] = this.end(1, true);
  }

  /** The low or high end of the interval by the first known ranks, or those of the next level. */
  private end(level: number, high: boolean): number {
    const { known, powers, digits, reverse } = this;
    let [value, place] = [0, digits];
    for (let at = level * digits; place > 0 && at < this.count; at++) value += known[at]! * powers[--place]!;
    if (place > 0 && !this.isAll && high !== reverse) value += powers[place]! - 1;
    return reverse ? powers[digits]! - 1 - value : value;
  }

  /** Reads ranks up to the first character that is not known, or as many as are of use. */
  private read(bytes: Uint8Array, from: number, to: number): void {
    const { known, ranks, begins } = this;
    /** Characters read, and how many ranks of those count at most. */
    let [read, limit] = [0, LEVELS * this.digits];
    let [last, at] = [0, from];
    let isKnown = true;
    for (; at < to && read < limit + CONTRACTION; read++) {
      const byte = bytes[at++]!;
      // No character beyond two bytes is known.
      const code = byte < 0x80 ? byte : byte >= 0xc2 && byte < 0xe0 && at < to && (bytes[at]! & 0xc0) === 0x80 ? ((byte & 31) << 6) + (bytes[at++]! & 63) : TABLE_LENGTH;
      const rank = code < TABLE_LENGTH ? ranks[code]! : UNKNOWN;
      if (rank === UNKNOWN) {
        limit = Math.max(0, Math.min(limit, read - CONTRACTION));
        isKnown = false;
        break;
      }
      if (read <= limit && begins[last] !== 0 && this.contractions.has((last << 16) + code)) limit = read - 1;
      if (read < limit && rank === WITHOUT_RANK) limit = read;
      known[read] = rank;
      last = code;
    }
    this.count = Math.min(read, limit);
    this.isAll = isKnown && at === to && this.count === read;
  }

  private findContractions(base: Intl.Collator, characters: readonly string[]): void {
    const add = (first: string, second: string): void => {
      this.begins[first.charCodeAt(0)] = 1;
      this.contractions.add((first.charCodeAt(0) << 16) + second.charCodeAt(0));
    };
    for (const first of characters) {
      if (!contract(base, first, '', characters)) continue;
      for (const second of characters) if (contract(base, first, '', [second])) add(first, second);
    }
    // Contractions of three and more of which no two are one (as Hungarian `ddz`): they are of small letters and, the same, of large ones.
    for (const first of LETTERS) for (const second of LETTERS) {
      if (!contract(base, first, second, LETTERS)) continue;
      for (const a of [first, first.toUpperCase()]) for (const b of [second, second.toUpperCase()]) add(a, b);
    }
  }
}

/** Whether `first` begins a contraction with `second` and one of `others`. All are compared at once, with IGNORED between them. */
function contract(base: Intl.Collator, first: string, second: string, others: readonly string[]): boolean {
  const apart = first + IGNORED + second;
  return base.compare(first + second + others.join(IGNORED + first + second), apart + others.join(IGNORED + apart)) !== 0;
}

/** Characters in order, those together that differ by accents and case only, without those that have no rank. */
function rank(base: Intl.Collator, characters: readonly string[]): string[][] {
  const ranked: string[][] = [];
  for (const character of characters.filter((each) => base.compare(each, '') !== 0).sort(base.compare)) {
    const last = ranked.at(-1);
    if (last !== undefined && base.compare(last[0]!, character) === 0) last.push(character);
    else if (last === undefined || base.compare(last[0]! + HIGHEST, character) < 0) ranked.push([character]);
  }
  return ranked;
}

/** Which of two strings comes first by their intervals, numbers `i` and `j` of those; 0 where these do not tell. */
export function compareIntervals(a: Intervals, i: number, b: Intervals, j: number): number {
  let lowA = a.firsts[i]!;
  let lowB = b.firsts[j]!;
  // Most strings are told apart here.
  if (lowA >= 0 && lowB >= 0 && lowA !== lowB) return lowA < lowB ? -1 : 1;
  const highA = a.more[i * MORE]!;
  const highB = b.more[j * MORE]!;
  if (lowA < 0) lowA = -1 - lowA;
  if (lowB < 0) lowB = -1 - lowB;
  if (highA < lowB) return -1;
  if (lowA > highB) return 1;
  if (lowA !== highA || lowB !== highB) return 0;
  return a.more[i * MORE + 2]! < b.more[j * MORE + 1]! ? -1 : a.more[i * MORE + 1]! > b.more[j * MORE + 2]! ? 1 : 0;
}
