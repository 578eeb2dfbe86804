/**
 * Floating-point numbers as C prints them with `%g`: six significant digits, ties to even. The kernels print most
 * numbers themselves (kernels/wasm/alignments/numbers.ts).
 */

const DIGITS = 6;
/** Enough digits to tell a tie from all other numbers. */
const EXACT_DIGITS = 100;
/** The least exponent of a number without an exponent part. */
const LEAST_PLAIN = -4;

/** The text of a positive finite number. */
export function formatG(value: number): string {
  const { digits, exponent } = rounded(value);
  const significant = digits.replace(/0+$/, '');
  if (exponent < LEAST_PLAIN || exponent >= DIGITS) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${withPoint(significant, 1)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return exponent < 0
    ? `0.${'0'.repeat(-exponent - 1)}${significant}`
    : withPoint(significant.padEnd(exponent + 1, '0'), exponent + 1);
}

function withPoint(digits: string, before: number): string {
  return digits.length > before ? `${digits.slice(0, before)}.${digits.slice(before)}` : digits;
}

/** The number in scientific notation: its six digits, and its exponent. */
function rounded(value: number): { digits: string; exponent: number } {
  const split = (text: string): { digits: string; exponent: number } => {
    const [mantissa, exponent] = text.split('e');
    return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
  };
  const exact = split(value.toExponential(EXACT_DIGITS - 1));
  const kept = exact.digits.slice(0, DIGITS);
  // JavaScript rounds a tie up, C to even.
  const isTie = /^50*$/.test(exact.digits.slice(DIGITS));
  if (isTie && Number(kept.at(-1)) % 2 === 0) return { digits: kept, exponent: exact.exponent };
  return split(value.toExponential(DIGITS - 1));
}
