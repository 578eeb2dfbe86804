/** The orderings of GNU sort but -g (general.test.ts): each against a plain model and against GNU sort. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { randomBelow } from '../support/random.js';
import { words } from '../support/words.js';
import { compareHuman, compareMonths, compareNumbers, compareStrings, compareVersions, MONTHS } from './models.js';
import { ALL_BYTES, inRow, oneOf, SEED, type Tested, testOrdering, textOf } from './orderings.js';

const below = randomBelow(61);
const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join('');
const anyDigits = (most: number) => textOf(most, '0123456789');

/** An ordering of the bytes of each line that one more option keeps. */
const withOption = (
  { part, options, compare }: Tested,
  option: string,
  changes: Tested['part'],
  left: (line: string) => string,
): Tested => ({
  part: { ...part, ...changes },
  options: [...options!, option],
  compare: (a, b) => compare(left(a), left(b)),
});
const folded = (tested: Tested): Tested =>
  withOption(tested, '-f', { fold: true }, (line) => line.replace(/[a-z]/g, (letter) => letter.toUpperCase()));
const inDictionaryOrder = (tested: Tested): Tested =>
  withOption(tested, '-d', { dictionary: true }, (line) => line.replace(/[^A-Za-z0-9 \t\n]/g, ''));

describe('bytes, -d, -f and -i', () => {
  const line = fc.oneof(
    textOf(5, 'aAbZz[@\t \n\0.~\x7f\xe4\xfe\xff'),
    textOf(3, '\t\n\v \0\x01\xfd\xfe\xff'),
    textOf(2, ALL_BYTES),
    // Common prefixes of about 16 and 32 bytes: the kernels encode 16 bytes at a time.
    inRow(
      fc
        .constantFrom(0, 14, 15, 16, 17, 31, 32, 33)
        .map((bytes) => 'The quick brown fox jumps over the'.slice(0, bytes)),
      textOf(2, 'aA\xfe\xff \t'),
    ),
  );
  for (const letters of ['', 'f', 'd', 'i', 'df', 'fi', 'di', 'dfi']) {
    const [dictionary, fold, printing] = ['d', 'f', 'i'].map((letter) => letters.includes(letter));
    /** The bytes of a line that count. With -d, -i has no further effect. */
    const left = (text: string): string => {
      const counts = dictionary
        ? text.replace(/[^A-Za-z0-9 \t\n]/g, '')
        : printing
          ? text.replace(/[^ -~]/g, '')
          : text;
      return fold ? counts.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : counts;
    };
    const options = [...letters].map((letter) => `-${letter}`);
    const compare: Tested['compare'] = (a, b) => compareStrings(left(a), left(b));
    testOrdering(
      `bytes ${options.join(' ')}`.trim(),
      { part: { dictionary, fold, printing }, options, compare },
      { texts: [...ALL_BYTES], line },
    );
  }
});

describe('-n', () => {
  const numeric: Tested = { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers };
  const edges = words(
    // No numbers, zero, and the same number in several forms.
    '∅ - . -. 0 -0 00 0.0 -.0 1. 1.0 01 +1 - --1',
    // Blanks, and what ends a number.
    '␣1 \t-1 \n2 -␣1 1e5 1,000 0x1F 1.5.2 5\x001 1\x002',
    // Fractions and magnitudes.
    '1.05 1.50 12.5 10 100 1000000 -5 -50 -5.01',
    // Around 15 and 16 digits, at which the key changes its form.
    '123456789012345 123456789012345.5 1234567890123456 99999999.5 123456789012345\x80',
    // Bytes 128 in a number.
    '\x805 5\x80 1\x800 -\x801\x80\x802.5 1.\x805 \x80.5 1\x80.70 \x800\x80',
  );
  /** Lengths around those at which the key changes its form: 15 and 16 digits, exponents of 100 and -20. */
  const long = [1, 2, 7, 8, 14, 15, 16, 17, 31, 32, 33, 99, 100, 101, 102, 230, 1000].flatMap((count) =>
    ['', '-'].flatMap((sign) =>
      [`1${'0'.repeat(count - 1)}`, '9'.repeat(count), `1${digits(count - 1)}`].map((number) => sign + number),
    ),
  );
  const small = [0, 1, 5, 18, 19, 20, 21, 22, 150, 400].flatMap((zeros) =>
    ['', '-', '0', '-00'].map((before) => `${before}.${'0'.repeat(zeros)}${1 + below(9)}${digits(below(3))}`),
  );
  // The kernel reads up to 16 bytes at a time: a point at each of these positions, then digits, other bytes or the end.
  const withPoint = [0, 1, 2, 7, 12, 13, 14, 15, 16].flatMap((whole) =>
    [0, 1, 2, 3, 8, 13, 14, 15, 16].flatMap((fraction) =>
      ['', 'x', '.5', '\x809'].map((tail) => `${'-'.repeat(below(2))}${digits(whole)}.${digits(fraction)}${tail}`),
    ),
  );
  testOrdering('numbers', numeric, {
    texts: [...edges, ...long, ...small, ...withPoint],
    line: fc.oneof(
      textOf(6, '0012-. \n9'),
      textOf(4, '10-.\x80'),
      textOf(4, ['1', '.', '-', ...ALL_BYTES]),
      inRow(oneOf('', '-'), fc.oneof(anyDigits(2), anyDigits(18)), oneOf('', '', ' x', '.', '.0', '.25')),
    ),
    runs: 60,
  });
  testOrdering(
    'numbers that end with a field',
    {
      part: { order: 'numeric', span: parseFieldSpan('1.1,1.4', null) },
      options: ['-n', '-k1.1,1.4'],
      compare: (a, b) => compareNumbers(a.slice(0, 4), b.slice(0, 4)),
    },
    { line: textOf(8, '012.'), runs: 5 },
  );
  testOrdering('numbers in folded lines', folded(numeric), { line: textOf(5, '01-.a '), runs: 5 });
});

describe('-h', () => {
  const human: Tested = { part: { order: 'human-numeric' }, options: ['-h'], compare: compareHuman };
  const edges = words(
    '∅ K -K .K 0K -0M 0.0G 1.K .5K -.5K 1..K 1.5.M 5i 5Ki 5KB 5␣K --1K +1K ␣1K \n1M',
    '1m 1k 1g 1023M 1G 2000K 1M 999999999999Y 1\x00K',
  );
  testOrdering('numbers with suffixes', human, {
    texts: edges,
    line: fc.oneof(
      textOf(5, '001-. kKMGTi\n'),
      textOf(5, '10-.\x80KM'),
      // GNU sort 9.1 does not know R and Q; newer versions do.
      textOf(4, ['1', '.', '-', ...ALL_BYTES.replace(/[RQ]/g, '')]),
      inRow(
        oneOf('', '-'),
        fc.oneof(anyDigits(4), oneOf('0.', '1.', '2.')),
        anyDigits(2),
        textOf(1, 'KMGTPEZYk bgmtpezy'),
      ),
    ),
    runs: 40,
  });
  testOrdering('folded numbers with lowercase suffixes', folded(human), {
    line: textOf(4, '012-kmgtpezyKM'),
    runs: 10,
  });
  testOrdering(
    'numbers with the suffixes R and Q',
    { ...human, options: null },
    {
      texts: words('1R 2R 1Q -1R -1Q 9Y 0Q 1.5R'),
      line: textOf(3, '12-YRQ'),
      runs: 10,
    },
  );
});

describe('-M', () => {
  const month: Tested = { part: { order: 'month' }, options: ['-M'], compare: compareMonths };
  const name = fc
    .tuple(fc.mixedCase(oneOf(...MONTHS)), fc.constantFrom(2, 3, 3, 3))
    .map(([mixed, length]) => mixed.slice(0, length));
  /** Month names with one byte changed. */
  const changed = fc
    .tuple(oneOf(...MONTHS), fc.nat(2), oneOf(...ALL_BYTES))
    .map(([month, at, byte]) => month.slice(0, at) + byte + month.slice(at + 1));
  const line = fc.oneof(inRow(textOf(2, ' \t\n'), name, textOf(2, 'eE1 ')), changed);
  const edges = words('∅ ␣ J JA ␣␣ja January -JAN 1JAN J␣AN maI MAY MAR ma\0');
  testOrdering('months', month, { texts: [...edges, ...MONTHS], line });
  testOrdering('months in folded lines', folded(month), { line, runs: 10 });
});

describe('-V', () => {
  const version: Tested = { part: { order: 'version' }, options: ['-V'], compare: compareVersions };
  const edges = words(
    // Special, hidden and numeric names.
    '∅ . .. ... .a ..a .~ ..~ .5 .05 .0 0 00 01 1 .a.b .a1.b .a.1',
    // Numbers and suffixes at the end.
    'a a0 a00 a~ a0~ a. a.x a0.x a00.x a.0 a.00x a.x.y a.1.y a..y a.~ a.~1~ a.x1 a.x01 a.1x',
    '~ ~.~ ~~ 1~ 1.~ 1.0~ 1.0 1.00 1.0.0 a.tar.gz a.tar.gz~ a-1.tar.gz a-10.tar.gz a-2.tar.bz2',
    // Other bytes.
    'a␣b a-b a\0 a\0b a\n \xff \xfe\xff A Z [',
  );
  /** Numbers around all lengths at which the key changes its form. */
  const numbers = [
    ...words('0 1 9 10 99 100 189 190 191 444 445 446 999 1000 8349 8350 8351 9999 10000 12345 99999 100000'),
    ...words('999999 1234567'),
    ...[8, 9, 30, 31, 32, 33, 34, 60, 300].flatMap((count) => [
      `1${'0'.repeat(count - 1)}`,
      '9'.repeat(count),
      `${'9'.repeat(count - 1)}8`,
    ]),
  ];
  const number = inRow(oneOf('', '', '0', '00'), oneOf(...numbers));
  testOrdering('names', version, {
    texts: [...edges, ...numbers, ...ALL_BYTES],
    line: fc.oneof(
      oneOf(...edges),
      textOf(6, 'aab01.~.-\n'),
      textOf(4, ['0', '00', '1', '9', '10', '.', '.a', '.~', 'a', '~', '.a1']),
      inRow(textOf(2, 'a1.'), textOf(1, ALL_BYTES), textOf(2, 'a1.')),
      textOf(3, ALL_BYTES),
    ),
    runs: 50,
  });
  testOrdering('names with suffixes', version, {
    line: inRow(
      oneOf('', '.', 'a', 'a0', 'a1', '0', 'a.', '~'),
      textOf(3, ['.a', '.~', '.b', '.a0', '.1', '.', '.a.']),
    ),
    runs: 30,
  });
  testOrdering('names with numbers', version, {
    line: inRow(oneOf('', 'a', '.', 'a.'), number, fc.oneof(oneOf('', '.', 'b', '~'), inRow(oneOf('.'), number))),
  });
  testOrdering('names of files', version, {
    line: inRow(
      oneOf('lib', 'Lib', 'lib-'),
      anyDigits(2),
      oneOf('.'),
      anyDigits(2),
      oneOf('', '.0', '-rc1', '~rc1', '.tar'),
      oneOf('', '.gz', '.gz~', '.tar.gz', '.2'),
    ),
    runs: 10,
  });
  testOrdering('folded names', folded(version), { line: textOf(4, 'aAbB1.~'), runs: 10 });
  testOrdering('names in dictionary order', inDictionaryOrder(version), { line: textOf(5, 'aA1.~ \t\n-0'), runs: 10 });
});

describe('-R', () => {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-random-'));
  const source = join(directory, 'source');
  writeFileSync(source, Buffer.concat([SEED, Buffer.from('of these nothing is read')]));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** By the MD5 digest of the seed and the line. */
  const random: Tested = {
    part: { order: 'random' },
    options: ['-R', `--random-source=${source}`],
    compare: (a, b) => Buffer.compare(digestOf(a), digestOf(b)),
  };
  const digests = new Map<string, Buffer>();
  const digestOf = (line: string): Buffer => {
    const known = digests.get(line) ?? createHash('md5').update(SEED).update(line, 'latin1').digest();
    digests.set(line, known);
    return known;
  };
  /**
   * All lengths up to 259. They include those at which the text, its padding mark or its length takes another MD5
   * block: 39, 40, 47, 48, 103, 104, 111, 112 ...
   */
  const lengths = Array.from({ length: 260 }, (_, length) =>
    Array.from({ length }, () => ALL_BYTES[32 + below(224)]).join(''),
  );
  testOrdering('lines shuffled by a seed', random, { texts: lengths, line: textOf(3, 'ab\n\0'), runs: 10 });
  testOrdering('folded lines shuffled by a seed', folded(random), { line: textOf(3, 'aAbB1 '), runs: 10 });
  testOrdering('lines shuffled in dictionary order', inDictionaryOrder(random), { line: textOf(4, 'ab- '), runs: 10 });
});
