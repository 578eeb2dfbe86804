/**
 * Prints and reads floating-point numbers as C does: printed with `%g`, with six significant digits and ties to even,
 * and read by strtof. The kernels handle most numbers themselves (kernels/wasm/alignments/numbers.ts).
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

const SINGLE = new DataView(new ArrayBuffer(4));
const INFINITE_BITS = 0x7f800000;

/** The 32-bit number with these bits; infinity counts as the power of two after the largest one. */
function singleOf(bits: number): number {
  SINGLE.setUint32(0, bits);
  return bits === INFINITE_BITS ? 2 ** 128 : SINGLE.getFloat32(0);
}

/**
 * The 32-bit number nearest to a decimal number. The nearest 64-bit number may lie midway between two although the
 * decimal number does not: rounding it once more would lose the side.
 */
export function nearestSingle(decimal: string): number {
  const value = Number(decimal);
  const near = Math.fround(value);
  const magnitude = Math.abs(value);
  if (near === value) return near;
  SINGLE.setFloat32(0, magnitude);
  const bits = SINGLE.getUint32(0);
  const low = singleOf(bits) > magnitude ? bits - 1 : bits;
  if (magnitude - singleOf(low) !== singleOf(low + 1) - magnitude) return near;
  const side = compareExactly(decimal.replace(/^[-+]/, ''), magnitude);
  if (side === 0) return near;
  return Math.fround(Math.sign(value) * singleOf(side > 0 ? low + 1 : low));
}

/** The sign of the difference between a positive decimal number and a 64-bit number that is near it. */
function compareExactly(decimal: string, value: number): number {
  const [, whole, fraction = '', exponent = '0'] = /^(\d*)\.?(\d*)(?:[eE](.*))?$/.exec(decimal)!;
  const tens = Number(exponent) - fraction.length;
  // A 64-bit number is a whole number of these units.
  const unit = 1074n;
  const digits = BigInt(whole + fraction);
  const left = (tens > 0 ? digits * 10n ** BigInt(tens) : digits) << unit;
  const right = scaled(value) * (tens < 0 ? 10n ** BigInt(-tens) : 1n);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A positive number times 2^1074, exactly. */
function scaled(value: number): bigint {
  let shift = 1074;
  while (!Number.isInteger(value)) {
    value *= 2;
    shift--;
  }
  return BigInt(value) << BigInt(shift);
}
