/** Normalized keys of -g, against big-integer arithmetic (strtold.ts) and GNU sort. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../src/job/ordering.js';
import { keyOf } from '../../src/keys/compare.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { KEY_HEADER_BYTES, keyedBound } from '../../src/keys/keyed.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { join, split } from '../support/records.js';
import { words } from '../support/words.js';
import { checkOrdering, orderingOf, type Tested, testOrdering, wholeLine } from './orderings.js';
import { type Converted, compareConverted, exactText, strtold } from './strtold.js';

/** An ordering by one key part: whole lines, or their first `most` bytes. */
function ordering(most: number | null = null): Ordering {
  const end = most === null ? null : { field: 0, byte: most, skipBlanks: false };
  const span = { begin: { field: 0, byte: 0, skipBlanks: false }, end, separator: null };
  return orderingOf([wholeLine({ span, order: 'general-numeric' })]);
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function encode(texts: readonly string[], by = ordering()): Buffer[] {
  const keys: Buffer[] = [];
  new KeyMaker(by).make(join(texts.map(bytesOf), by), (lines) => {
    keys.push(...split(lines, by).map((line) => Buffer.from(keyOf(by, line))));
  });
  return keys;
}

const EDGES = [
  ...words(
    // Texts that are not numbers, or only just.
    '∅ - + . -. e5 .e5 x 0x 0x. 0x.p1 -0x 0xg +-1 --1 -␣1 1␣2 \0 1\x002 \x001',
    // White space of the C locale, and other bytes.
    '␣\t\v\f\r1 \x0b-1 \xa01 \x1f1 \x0e1 \x081',
    // Zeros and ones.
    '0 -0 +0 0. .0 -0e99999999999999999999 0e-5 00 1 01 1. 1.0 +1',
    // Decimal exponents, and what ends a number.
    '1e 1e+ 1e- 1e0 1e+0 1e1 1E1 10 1e1x 1e1.5 1d1 1.2.3 1,000',
    // Hexadecimal.
    '0x1 0X1 0x1p 0x1p+ 0x1P1 0x1e1 0x.8 0x8. 0x8.8.8 0x00.0001p20 -0x1p-3 0x0p99 1p3',
    '0x1p-99999999999999999999 0x1p99999999999999999999',
    // Infinity.
    'inf -inf +INF Infinity infinit in i INFx -␣inf',
    // NaNs, with payloads.
    'nan NaN -nan +nan nan( nan() nan(0x7) -nan(12) nan(!) nan(0) nan(1) -nan(1) nan(256) -nan(256) nan(65536)',
    'NAN(0X10) nan(010) nan(08) nan(0x) nan(0xg) nan(1_) nan(1 nan(-1) nan(4611686018427387903)',
    'nan(4611686018427387904) nan(4611686018427387905) nan(18446744073709551615) -nan(18446744073709551616)',
    'nan(72057594037927936) nan(127) nan(128) nan(255) na n ␣nan \fnan -␣nan',
    // Exponents that fit no integer.
    '1e99999999999999999999 -1e99999999999999999999 1e-99999999999999999999 -1e-99999999999999999999',
    '1e4294967296 1e4294967297 1e-4294967296 1e18446744073709551617',
    // Around the precision of a double and of a long double.
    '9007199254740992 9007199254740993 9223372036854775807 9223372036854775808',
    '18446744073709551615 18446744073709551616 18446744073709551617 18446744073709551618',
    '0x10000000000000001 0x1000000000000000080000000000000000 0x10000000000000000800000000000000001',
    '0x10000000000000001800000000000000000',
    // Around the largest long double.
    '1.18973149535723176502e4932 1.18973149535723176505e4932 1.18973149535723176506e4932',
    '1.18973149535723176509e4932 1.2e4932 1e4932 1e4933 1e4934',
    '0xf.fffffffffffffffp16380 0xf.fffffffffffffff7p16380 0xf.fffffffffffffff8p16380',
    // Around the smallest ones.
    '3.36210314311209350626e-4932 3.3621031431120935e-4932 3.6451995318824746025e-4951 1.8225997659412373e-4951',
    '1.8225997659412374e-4951 1e-4951 9e-4952 5.4677992978237119e-4951 0x1p-16445 0x1p-16446',
    '0x1.00000000000000001p-16446 0x1p-16447 0x1.8p-16445 0x1p-16382 0x.ffffffffffffffffp-16382',
    '0x.ffffffffffffffff8p-16382',
  ),
  // Long runs of zeros.
  `${'0'.repeat(6000)}1`,
  `.${'0'.repeat(6000)}1e6001`,
  `1${'0'.repeat(6000)}e-6000`,
  `.${'0'.repeat(6000)}1`,
  `1${'0'.repeat(6000)}`,
  `0x${'0'.repeat(6000)}1`,
  `0x.${'0'.repeat(6000)}1p24004`,
];

/** The exponent of two of the last mantissa bit of the smallest long doubles. */
const SMALLEST = -16445;

/** value * 2^twos in decimal: all digits, and the power of ten to multiply them by. */
const decimalOf = (value: bigint, twos: number): [bigint, number] =>
  twos >= 0 ? [value << BigInt(twos), 0] : [value * 5n ** BigInt(-twos), twos];

/** Texts that follow from a seed. */
function textsOf(seed: number): string[] {
  const below = randomBelow(seed);
  const pick = <T>(list: ArrayLike<T>): T => list[below(list.length)];
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const digits = (count: number): string => times(count, () => below(10)).join('');

  /** A 64-bit mantissa, often with long runs of zeros or ones, where rounding carries far. */
  function mantissa(): bigint {
    const bits = times(64, () => below(2)).join('');
    const kind = below(6);
    if (kind === 0) return 2n ** 64n - 1n - BigInt(below(4));
    if (kind === 1) return 2n ** 63n + BigInt(below(4));
    if (kind === 2) return (2n ** 53n + BigInt(below(4))) << 10n;
    return BigInt(`0b1${bits.slice(1)}`);
  }

  /** Digits times a power of ten, in one of many notations. */
  function written(all: string, power: number): string {
    const point = below(3) === 0 ? all.length : below(all.length + 1);
    const zeros = '0'.repeat(below(3) * below(20));
    const moved = power + all.length - point;
    const plain = `${below(3) ? '' : zeros}${all.slice(0, point)}${below(4) || point < all.length ? '.' : ''}${all.slice(point)}`;
    if (below(8) === 0 && power > -30 && power <= 0)
      return `0.${'0'.repeat(Math.max(0, -power - all.length))}${all}${power + all.length > 0 ? `e${power + all.length}` : ''}`;
    return `${plain}${plain.includes('.') && below(2) ? zeros : ''}${moved === 0 && below(2) ? '' : `${pick('eE')}${moved >= 0 ? pick(['', '+', '0', '+00']) : ''}${moved}`}`;
  }

  /**
   * Texts at, near and halfway between the long double mantissa * 2^exponent and the next one; a denormal has fewer
   * bits.
   */
  function around(exponent: number): string[] {
    const twos = Math.max(exponent, SMALLEST);
    const number = mantissa() >> BigInt(twos - exponent);
    const signed = (text: string): string => pick(['', '', '', '-', '+', ' ', '\t-']) + text;
    const exact = [0n, 1n].map((step) => `0x${(number + step).toString(16)}p${twos}`);
    const [all, power] = decimalOf(2n * number + 1n, twos - 1);
    const text = all.toString();
    const zeros = '0'.repeat(below(60));
    const cut = text.slice(0, 1 + below(Math.min(text.length, below(2) ? 25 : 60)));
    return [
      ...exact,
      `-${exact[0]}`,
      signed(written(text, power)),
      signed(written(`${text}${zeros}1`, power - 1 - zeros.length)),
      signed(written(`${(all * 10n ** BigInt(zeros.length) - 1n).toString()}${pick('059')}`, power - 1 - zeros.length)),
      signed(written(cut, power + text.length - cut.length)),
      signed(written(`${BigInt(cut) + 1n}`, power + text.length - cut.length)),
      ...['', '.', `.${'0'.repeat(40)}`, `.${'0'.repeat(below(40))}1`].map((rest) =>
        signed(`0x${(2n * number + 1n).toString(16)}${rest}p${twos - 1}`),
      ),
    ];
  }

  /** A decimal number in a common notation. */
  const ordinary = (): string =>
    pick([
      () => `${below(1000)}.${digits(3)}`,
      () => `${below(10)}e-${below(40)}`,
      () => digits(1 + below(24)),
      () => `${digits(below(4))}.${digits(1 + below(20))}`,
      () => `-${below(10)}.${digits(1 + below(18))}e${below(80) - 40}`,
      () => `${below(10)}.${digits(16)}e${below(620) - 310}`,
      () => `${digits(1 + below(19))}e${below(60) - 30}`,
    ])();

  /**
   * A number near an integer of up to 96 bits. Its quotient has limbs that are all ones or nearly so, for which
   * estimates of quotient digits fail most often.
   */
  const nearWhole = (): string =>
    `${(mantissa() * 2n ** 32n + BigInt(2 ** 31 + below(2 ** 31))) >> BigInt(below(96))}.${pick('09').repeat(below(36))}${below(10)}`;

  const garbage = (): string =>
    times(below(12), () => pick(' \t\v\f\r+-..0123456789eExXpPaAfFiInNtTyY()_\0,')).join('');

  /** A number with one character replaced or inserted. */
  function mistyped(): string {
    const text = pick([ordinary, () => pick(EDGES.filter(({ length }) => length > 0 && length < 60))])();
    const at = below(text.length);
    return `${text.slice(0, at)}${pick(' +-.e5xp\0(n')}${text.slice(at + below(2))}`;
  }

  return [
    ...times(12, () => around(below(120) - 110)).flat(),
    ...times(4, () => around(below(1200) - 600)).flat(),
    ...(below(3) === 0 ? around(pick([16321 - below(3), SMALLEST - below(66)])) : []),
    ...times(6, () => around(SMALLEST - below(66)).filter(({ length }) => length < 200)).flat(),
    ...times(300, ordinary),
    ...times(200, nearWhole),
    ...times(70, garbage),
    ...times(70, mistyped),
    ...times(10, () => `${pick(['', '-'])}nan(${below(3) ? '0x' : ''}${1 + below(2 ** below(32))})`),
  ];
}

const general: Tested = {
  part: { order: 'general-numeric' },
  options: ['-g'],
  compare: (a, b) => compareConverted(convertedOf(a), convertedOf(b)),
  // GNU sort's order of equal NaNs is undefined, and the sort may not even terminate: it compares padding bytes that
  // nothing initializes.
  comparable: (lines) => {
    const nans = new Set<bigint>();
    return lines.filter((line) => {
      const { kind, value } = convertedOf(line);
      return kind !== 'nan' || (!nans.has(value) && nans.add(value));
    });
  },
};
const known = new Map<string, Converted>();
function convertedOf(text: string): Converted {
  const found = known.get(text) ?? strtold(text);
  known.set(text, found);
  return found;
}

testOrdering('general numbers', general, { texts: EDGES });

describe('general numbers', () => {
  property(
    'sort as in GNU sort, forward and in reverse',
    [fc.nat(), fc.constantFrom(10, 0), fc.boolean()],
    (seed, delimiter, reverse) => {
      const texts = textsOf(seed);
      // A newline counts as white space when NUL ends the lines.
      const lines = delimiter === 10 ? texts : texts.map((text) => text.replaceAll('\v', '\n'));
      checkOrdering(general, [...EDGES, ...lines], delimiter, reverse);
    },
    { runs: 10 },
  );

  property(
    'are rounded to the nearest long double, ties to even, and end at the end of the key part',
    [fc.nat()],
    (seed) => {
      const texts = [...EDGES, ...textsOf(seed)].filter((text) => !text.includes('\n'));
      const numbers = texts.filter((text) => strtold(text).kind === 'number');
      const exact = encode(numbers.map((text) => exactText(strtold(text))));
      for (const [i, key] of encode(numbers).entries()) expect(key.equals(exact[i]), numbers[i]).toBe(true);
      for (const most of [1, 3, 6])
        expect(encode(texts, ordering(most))).toEqual(encode(texts.map((text) => text.slice(0, most))));
    },
    { runs: 10 },
  );

  it('have keys as long as the bound', () => {
    const most = keyedBound(ordering().key).constant - KEY_HEADER_BYTES;
    const lengths = encode([...EDGES, ...textsOf(711)]).map(({ length }) => length);
    expect([Math.min(...lengths) > 0, Math.max(...lengths)]).toEqual([true, most]);
  });

  it('may have any number of digits', () => {
    const million = '0'.repeat(1e6);
    const half = '18446744073709551617';
    const [same, down, up, long] = encode([
      `1${million}e-1000000`,
      `${half}.${million}`,
      `${half}.${million}1`,
      `0.${'3'.repeat(1e6)}`,
    ]);
    const [one, even, next, third] = encode([
      '1',
      '18446744073709551616',
      '18446744073709551618',
      exactText(strtold(`0.${'3'.repeat(60)}`)),
    ]);
    expect([same, down, up, long]).toEqual([one, even, next, third]);
    // Halfway between two long doubles, with the largest possible number of digits.
    const [tie, other] = [2n ** 65n - 1n, 2n ** 65n - 3n].map((halves) => (halves * 5n ** 16446n).toString());
    const rounded = encode([
      `${tie}e-16446`,
      `${tie}${million}e-1016446`,
      `${tie!.slice(0, -1)}4e-16446`,
      `${tie!.slice(0, -1)}4${'9'.repeat(99)}e-16545`,
      `${other}e-16446`,
      `${other}${million}1e-1016447`,
    ]);
    const [largest, middle, smallest] = encode([
      '0x1p-16381',
      '0xffffffffffffffffp-16445',
      '0xfffffffffffffffep-16445',
    ]);
    expect(rounded).toEqual([largest, largest, middle, middle, smallest, middle]);
  });
});
