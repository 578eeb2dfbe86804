/**
 * Plain comparisons for the orderings of GNU sort, as its manual documents them. Lines are strings of one character a
 * byte. They share nothing with kernels/wasm/keys/; strtold.ts has the one for -g.
 */

type Compare = (a: string, b: string) => number;

/** Compares by UTF-16 units, which are bytes here. */
export const compareStrings: Compare = (a, b) => Number(a > b) - Number(a < b);

/**
 * -n: blanks, a minus sign, digits, a point, digits. GNU sort on x86 ignores bytes 128 before the point. Digits stay
 * strings, so any length works.
 */
export const compareNumbers: Compare = (a, b) => {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  return (
    x.sign *
    (x.whole.length - y.whole.length || compareStrings(x.whole, y.whole) || compareStrings(x.fraction, y.fraction))
  );
};

function numberOf(line: string): { sign: number; whole: string; fraction: string } {
  const [, minus, grouped, decimals = ''] = /^[ \t\n]*(-?)([\d\x80]*)(?:\.(\d*))?/.exec(line)!;
  const whole = grouped.replaceAll('\x80', '').replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  return { sign: whole === '' && fraction === '' ? 0 : minus === '' ? 1 : -1, whole, fraction };
}

const SUFFIXES = ' KMGTPEZYRQ';

/** -h: sign and suffix first (zero has none), then the number. */
export const compareHuman: Compare = (a, b) => suffixRank(a) - suffixRank(b) || compareNumbers(a, b);

function suffixRank(line: string): number {
  const [, minus, number, suffix = ''] = /^[ \t\n]*(-?)(\d*(?:\.\d*)?)([kKMGTPEZYRQ])?/.exec(line)!;
  if (!/[1-9]/.test(number) || suffix === '') return 0;
  return SUFFIXES.indexOf(suffix.toUpperCase()) * (minus === '' ? 1 : -1);
}

export const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const monthOf = (line: string): number => MONTHS.indexOf(/^[ \t\n]*(.{0,3})/s.exec(line)![1].toUpperCase());

/** -M: text that is not a month comes first. */
export const compareMonths: Compare = (a, b) => monthOf(a) - monthOf(b);

/** -V: the documented order (GNU coreutils manual, Version sort ordering), comparing two names directly. */
export const compareVersions: Compare = (a, b) => {
  const apart = Number(rankApart(a)) - Number(rankApart(b));
  if (apart !== 0 || rankApart(a) < HIDDEN) return apart;
  return compareParts(a.slice(0, suffixBegin(a)), b.slice(0, suffixBegin(b))) || compareParts(a, b);
};

const HIDDEN = 3;
/** The empty name, ".", "..", hidden names, others. */
const rankApart = (name: string): number =>
  name === '' ? 0 : name === '.' ? 1 : name === '..' ? 2 : name.startsWith('.') ? HIDDEN : 4;
const suffixBegin = (name: string): number => /(\.[A-Za-z~][A-Za-z0-9~]*)*$/.exec(name)!.index;

/** Compares text and numbers alternately. */
function compareParts(a: string, b: string): number {
  while (a !== '' || b !== '') {
    const [[, textA, numberA], [, textB, numberB]] = [a, b].map((name) => /^(\D*)(\d*)/.exec(name)!);
    for (let i = 0; i < Math.max(textA.length, textB.length); i++) {
      const sign = weight(textA[i]) - weight(textB[i]);
      if (sign !== 0) return sign;
    }
    const difference = BigInt(numberA) - BigInt(numberB);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    a = a.slice(textA.length + numberA.length);
    b = b.slice(textB.length + numberB.length);
  }
  return 0;
}

/** The weight of a character in text; undefined: the end of the text. */
function weight(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}
