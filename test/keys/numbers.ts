/** The plain comparison of numbers that the tests of -n and -h use as the reference. */
import { compareStrings } from './orderings.js';

/**
 * The documented order: blanks, a minus sign, digits, a point, digits. GNU sort on x86 ignores bytes 128 before the
 * point. Digits stay strings, so that any length works.
 */
export function compareNumbers(a: string, b: string): number {
  const [x, y] = [read(a), read(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  return (
    x.sign *
    (x.whole.length - y.whole.length || compareStrings(x.whole, y.whole) || compareStrings(x.fraction, y.fraction))
  );
}

function read(line: string): { sign: number; whole: string; fraction: string } {
  const [, minus, grouped, decimals = ''] = /^[ \t\n]*(-?)([\d\x80]*)(?:\.(\d*))?/.exec(line)!;
  const whole = grouped!.replaceAll('\x80', '').replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  return { sign: whole === '' && fraction === '' ? 0 : minus === '' ? 1 : -1, whole, fraction };
}
