/**
 * The CRC-32 of two texts together, from the CRC-32 of each: the first one is multiplied by x to the power of the
 * number of bits of the second text, modulo the polynomial. Source: zlib's crc32_combine. Polynomials have their
 * highest power in the lowest bit.
 */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** The product of two polynomials modulo POLYNOMIAL. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x to the power of 8 times 2 to the power of i, for each bit i of a length in bytes. */
const POWERS = powers();

function powers(): number[] {
  let power = ONE >>> 1;
  const list: number[] = [];
  for (let i = 0; i < 3; i++) power = multiply(power, power);
  for (let i = 0; i < 53; i++) {
    list.push(power);
    power = multiply(power, power);
  }
  return list;
}

/** The checksum of a text with checksum `first`, followed by `bytes` bytes with checksum `second`. */
export function combineCrc(first: number, second: number, bytes: number): number {
  let shifted = first;
  for (let left = bytes, i = 0; left > 0; left = Math.floor(left / 2), i++)
    if (left % 2 === 1) shifted = multiply(shifted, POWERS[i]);
  return (shifted ^ second) >>> 0;
}
