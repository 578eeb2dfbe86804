/**
 * The reference for strtold in the C locale on x86, in big-integer arithmetic and as plain as possible. It shares
 * nothing with kernels/wasm/keys/.
 */

/**
 * The value of a number is in units of 2^-16445, the smallest long double; infinity is 2^16384. The value of a NaN is
 * its payload, read as the bytes in memory order, with the sign as the lowest bit. Other text has the value 0.
 */
export interface Converted {
  readonly kind: 'none' | 'nan' | 'number';
  readonly value: bigint;
}

const KINDS: readonly Converted['kind'][] = ['none', 'nan', 'number'];
const SMALLEST = 16445n;
const INFINITE = 1n << (16384n + SMALLEST);
/** A power of ten far beyond the range of long doubles. */
const FAR = 6000n;

const FORMS = [
  /0x(?=\.?[0-9a-f])(?<hexWhole>[0-9a-f]*)(?:\.(?<hexFraction>[0-9a-f]*))?(?:p(?<twos>[+-]?[0-9]+))?/,
  /(?=\.?[0-9])(?<whole>[0-9]*)(?:\.(?<fraction>[0-9]*))?(?:e(?<tens>[+-]?[0-9]+))?/,
  /(?<infinity>inf)|(?<nan>nan)(?:\((?<payload>0[0-7]*|[1-9][0-9]*|0x[0-9a-f]+)\))?/,
];
const NUMBER = new RegExp(`^[ \\t\\n\\v\\f\\r]*(?<sign>[+-]?)(?:${FORMS.map(({ source }) => source).join('|')})`, 'i');

/** Converts the text before the first NUL; one character a byte. */
export function strtold(text: string): Converted {
  const parts = NUMBER.exec(text.split('\0', 1)[0])?.groups;
  if (parts === undefined) return { kind: 'none', value: 0n };
  const negative = parts.sign === '-';
  if (parts.nan !== undefined) return { kind: 'nan', value: 2n * inMemory(parts.payload ?? '0') + BigInt(negative) };
  const size =
    parts.infinity !== undefined
      ? INFINITE
      : parts.whole !== undefined
        ? nearest(parts.whole, parts.fraction ?? '', '', 10n, 10n, BigInt(parts.tens ?? 0))
        : nearest(parts.hexWhole, parts.hexFraction ?? '', '0x', 16n, 2n, BigInt(parts.twos ?? 0));
  return { kind: 'number', value: negative ? -size : size };
}

/** The order of two converted texts under `sort -g`; 0: equal. */
export function compareConverted(a: Converted, b: Converted): number {
  return (
    Math.sign(KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)) || (a.value < b.value ? -1 : Number(a.value > b.value))
  );
}

/** The payload that a NaN takes from an integer in C notation: its bytes in memory order, lowest first. */
function inMemory(payload: string): bigint {
  const number = BigInt(payload.replace(/^0(?=[0-7])/, '0o'));
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(number < 2n ** 64n ? BigInt.asUintN(62, number) : 2n ** 62n - 1n);
  return bytes.readBigUInt64BE();
}

/** The long double nearest to whole.fraction in base `radix`, times scale^exponent. */
function nearest(
  whole: string,
  fraction: string,
  prefix: string,
  radix: bigint,
  scale: bigint,
  exponent: bigint,
): bigint {
  const digits = BigInt(`${prefix}0${whole}${fraction}`);
  if (digits === 0n) return 0n;
  // Numbers far out of range would take all memory. Estimate the position of the first digit, in powers of ten.
  const length = BigInt((whole + fraction).replace(/^0+/, '').length - fraction.length);
  const place = radix === 10n ? length + exponent : (12n * length + 3n * exponent) / 10n;
  if (place > FAR) return INFINITE;
  if (place < -FAR) return 0n;
  const numerator = (digits * (exponent > 0n ? scale ** exponent : 1n)) << SMALLEST;
  const denominator = radix ** BigInt(fraction.length) * (exponent < 0n ? scale ** -exponent : 1n);
  const spare = bitLength(numerator / denominator) - 64n;
  const unit = spare > 0n ? 1n << spare : 1n;
  const rounded = divideToEven(numerator, denominator * unit) * unit;
  return rounded < INFINITE ? rounded : INFINITE;
}

function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

function bitLength(value: bigint): bigint {
  const digits = value.toString(16);
  return BigInt(4 * digits.length + 28 - Math.clz32(parseInt(digits[0], 16)));
}

/** A converted number as a text that is exact. */
export function exactText({ value }: Converted): string {
  const size = value < 0n ? -value : value;
  const digits = size.toString(16);
  const zeros = /0*$/.exec(digits)![0].length;
  return `${value < 0n ? '-' : ''}${size === INFINITE ? 'inf' : size === 0n ? '0' : `0x${digits.slice(0, digits.length - zeros)}p${4n * BigInt(zeros) - SMALLEST}`}`;
}
