/**
 * Numbers that order most strings without the collator: a call of the collator takes at least 100 ns, a comparison of
 * two numbers one or two. The numbers are computed from the beginnings of strings, up to the first character whose
 * weight is unknown. After that, anything may follow. So a string has an interval, and strings with overlapping
 * intervals are left to the collator. Source: primary weights in UTS #10, which do not depend on accents and case.
 */

/** Integers below this are exact in a double, and so are their negatives. */
const EXACT = 2 ** 53;
/**
 * The count of numbers that a string has after the first one: the end of its interval, and both ends of a second
 * interval for the following ranks. The second interval decides between strings whose first intervals are the same
 * single number.
 */
const MORE = 3;
const LEVELS = 2;

/**
 * Characters examined: ASCII, Latin-1 and Latin Extended-A, Greek (without the middle dot U+0387, which makes
 * contractions), Cyrillic.
 */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x09, 0x09],
  [0x20, 0x7e],
  [0xc0, 0x17f],
  [0x386, 0x386],
  [0x388, 0x3ce],
  [0x400, 0x45f],
];
const TABLE_LENGTH = 0x460;
/** A character that was not examined. It may be a mark on the characters before it, or form a contraction with them. */
const UNKNOWN = 0;
const MOST_RANKS = 250;
/** A character without a rank. It does not affect the characters before it. */
const WITHOUT_RANK = 255;
/** This many characters before an unknown one are left to the collator: a contraction has at most four characters. */
const CONTRACTION = 3;

/** A character that all collations ignore, and that contractions do not span. */
const IGNORED = '\0';
/** A character that collates after all others. */
const HIGHEST = '\uffff';
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

export interface Intervals {
  /** The start of each interval if the start is also the end; otherwise -1 minus the start. */
  readonly firsts: Float64Array;
  /** Three numbers for each string: the end of its interval, and both ends of the second one. */
  readonly more: Float64Array;
}

/**
 * The ranks of characters, found by comparing single characters: ICU does not give its weights. A rank stands for a
 * weight only if the character has weights of its own, whatever stands beside it. Comparisons show that too:
 *
 * - It counts: without accents and case it does not equal the empty string.
 * - It does not begin a contraction (as `ch` in Czech): it compares the same with an ignored character (NUL) after it.
 * - It does not expand to several (as German `ß`): the next lower rank, with anything after it, is still lower.
 */
export class PrimaryWeights {
  /** The rank of each examined character code, from 1 up, or UNKNOWN or WITHOUT_RANK. */
  private readonly ranks = new Uint8Array(TABLE_LENGTH);
  /**
   * The first characters of contractions, and the pairs that begin them: the first code times 2 ** 16, plus the second.
   */
  private readonly begins = new Uint8Array(TABLE_LENGTH);
  private readonly contractions = new Set<number>();
  /**
   * Ranks are the digits of a number, with 0 for the end of the string. These are the number of digits, and the weight
   * of each.
   */
  private readonly digits: number;
  private readonly powers: number[] = [];
  private readonly reverse: boolean;
  /** The last string read: its known ranks, and whether they cover all of it. */
  private readonly known: Uint8Array;
  private count = 0;
  private isAll = false;

  /** `reverse`: later strings get lower numbers. */
  constructor(locale: string, reverse: boolean) {
    const characters = BLOCKS.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => String.fromCharCode(first + i)),
    );
    for (const character of characters) this.ranks[character.charCodeAt(0)] = WITHOUT_RANK;
    const base = new Intl.Collator(locale, { sensitivity: 'base' });
    this.findContractions(base, characters);
    const ranked = rank(base, characters).slice(0, MOST_RANKS);
    ranked.forEach((equals, i) => {
      for (const character of equals) this.ranks[character.charCodeAt(0)] = i + 1;
    });
    const radix = ranked.length + 1;
    let power = 1;
    for (; power * radix < EXACT; power *= radix) this.powers.push(power);
    this.powers.push(power);
    this.digits = this.powers.length - 1;
    this.known = new Uint8Array(LEVELS * this.digits + CONTRACTION);
    this.reverse = reverse;
  }

  /** Room for the intervals of `count` strings, to be filled by `write`. */
  intervals(count: number): Intervals {
    return { firsts: new Float64Array(count), more: new Float64Array(count * MORE) };
  }

  /** Stores the interval of the UTF-8 string in bytes [from, to) at index `i`. */
  write({ firsts, more }: Intervals, i: number, bytes: Uint8Array, from: number, to: number): void {
    this.read(bytes, from, to);
    const low = this.low(0);
    const high = low + this.spread(0);
    firsts[i] = low === high ? low : -1 - low;
    more[i * MORE] = high;
    more[i * MORE + 1] = this.low(1);
    more[i * MORE + 2] = more[i * MORE + 1] + this.spread(1);
  }

  /** The low end of an interval: of the first ranks (level 0) or the following ones (level 1). */
  private low(level: number): number {
    const { known, powers, digits } = this;
    let [value, place] = [0, digits];
    for (let at = level * digits; place > 0 && at < this.count; at++) value += known[at] * powers[--place];
    return this.reverse ? powers[digits] - 1 - value - this.spread(level) : value;
  }

  /** The length of an interval: the most that unknown ranks can add. */
  private spread(level: number): number {
    if (this.isAll) return 0;
    const { count, powers, digits } = this;
    return powers[digits - Math.max(0, Math.min(digits, count - level * digits))] - 1;
  }

  /** Reads ranks up to the first unknown character, or as many as are used. */
  private read(bytes: Uint8Array, from: number, to: number): void {
    const { known, ranks, begins } = this;
    /** The characters read, and the maximum number of ranks that count. */
    let [read, limit] = [0, LEVELS * this.digits];
    let [last, at] = [0, from];
    let isKnown = true;
    for (; at < to && read < limit + CONTRACTION; read++) {
      const byte = bytes[at++];
      // Characters of more than two bytes are not known.
      const code =
        byte < 0x80
          ? byte
          : byte >= 0xc2 && byte < 0xe0 && at < to && (bytes[at] & 0xc0) === 0x80
            ? ((byte & 31) << 6) + (bytes[at++] & 63)
            : TABLE_LENGTH;
      const rank = code < TABLE_LENGTH ? ranks[code] : UNKNOWN;
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
    // Contractions of three or more letters of which no two contract (Hungarian `ddz`). They consist of lowercase
    // letters, and exist for uppercase as well.
    for (const first of LETTERS)
      for (const second of LETTERS) {
        if (!contract(base, first, second, LETTERS)) continue;
        for (const a of [first, first.toUpperCase()]) for (const b of [second, second.toUpperCase()]) add(a, b);
      }
  }
}

/**
 * Whether `first` begins a contraction with `second` and one of `others`. Compares all at once,
 * with IGNORED in between.
 */
function contract(base: Intl.Collator, first: string, second: string, others: readonly string[]): boolean {
  const apart = first + IGNORED + second;
  return (
    base.compare(first + second + others.join(IGNORED + first + second), apart + others.join(IGNORED + apart)) !== 0
  );
}

/**
 * Characters in ascending order, without those that have no rank. Characters in one list differ only in accents and
 * case.
 */
function rank(base: Intl.Collator, characters: readonly string[]): string[][] {
  const ranked: string[][] = [];
  for (const character of characters.filter((each) => base.compare(each, '') !== 0).sort(base.compare)) {
    const last = ranked.at(-1);
    if (last !== undefined && base.compare(last[0], character) === 0) last.push(character);
    else if (last === undefined || base.compare(last[0] + HIGHEST, character) < 0) ranked.push([character]);
  }
  return ranked;
}

/**
 * Compares two strings by their intervals, number `i` of `a` and number `j` of `b`; 0 if the intervals do not decide.
 */
export function compareIntervals(a: Intervals, i: number, b: Intervals, j: number): number {
  let lowA = a.firsts[i];
  let lowB = b.firsts[j];
  // This decides for most strings.
  if (lowA >= 0 && lowB >= 0 && lowA !== lowB) return lowA < lowB ? -1 : 1;
  const highA = a.more[i * MORE];
  const highB = b.more[j * MORE];
  if (lowA < 0) lowA = -1 - lowA;
  if (lowB < 0) lowB = -1 - lowB;
  if (highA < lowB) return -1;
  if (lowA > highB) return 1;
  if (lowA !== highA || lowB !== highB) return 0;
  return a.more[i * MORE + 2] < b.more[j * MORE + 1] ? -1 : a.more[i * MORE + 1] > b.more[j * MORE + 2] ? 1 : 0;
}
