/** The plain comparison of numbers that tests of -n and -h hold keys against. */
import { compareStrings } from './orderings.js';

/** By the rules: blanks, a minus sign, digits (and bytes 128, which GNU sort passes on x86), a point, digits; as strings, so that no length is too large. */
export function compareNumbers(a: string, b: string): number {
  const [x, y] = [read(a), read(b)];
  if (x.sign !== y.sign) return x.sign - y.sign;
  return x.sign * (x.whole.length - y.whole.length || compareStrings(x.whole, y.whole) || compareStrings(x.fraction, y.fraction));
}

function read(line: string): { sign: number; whole: string; fraction: string } {
  const [, minus, grouped, decimals = ''] = /^[ \t\n]*(-?)([\d\x80]*)(?:\.(\d*))?/.exec(line)!;
  const whole = grouped!.replaceAll('\x80', '').replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  return { sign: whole === '' && fraction === '' ? 0 : minus === '' ? 1 : -1, whole, fraction };
}
