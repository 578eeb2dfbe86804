/** -n: by value, exactly. */
import { describe } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { randomBelow } from '../support/random.js';
import { compareNumbers } from './numbers.js';
import { ALL_BYTES, drawn, testOrdering } from './orderings.js';

const below = randomBelow(61);
const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join('');
/** Lengths around those at which the key changes its form: 15 and 16 digits, exponents of 100 and -20. */
const lengths = [1, 2, 7, 8, 14, 15, 16, 17, 31, 32, 33, 99, 100, 101, 102, 230, 1000];
const long = lengths.flatMap((count) =>
  ['', '-'].flatMap((sign) =>
    [`1${'0'.repeat(count - 1)}`, '9'.repeat(count), `1${digits(count - 1)}`].map((number) => sign + number),
  ),
);
const small = [0, 1, 5, 18, 19, 20, 21, 22, 150, 400].flatMap((zeros) =>
  ['', '-', '0', '-00'].map((before) => `${before}.${'0'.repeat(zeros)}${1 + below(9)}${digits(below(3))}`),
);
const edges = [
  '',
  '-',
  '.',
  '-.',
  '0',
  '-0',
  '00',
  '0.0',
  '-.0',
  '1.',
  '1.0',
  '01',
  '+1',
  ' 1',
  '\t-1',
  '\n2',
  '- 1',
  '--1',
  '1e5',
  '1,000',
  '0x1F',
  '1.5.2',
  '1.05',
  '1.50',
  '12.5',
  '10',
  '100',
  '1000000',
  '123456789012345',
  '123456789012345.5',
  '1234567890123456',
  '99999999.5',
  '5\u00001',
  '1\u00002',
  '-5',
  '-50',
  '-5.01',
  '\x805',
  '5\x80',
  '1\x800',
  '-\x801\x80\x802.5',
  '1.\x805',
  '\x80.5',
  '1\x80.70',
  '\x800\x80',
  '123456789012345\x80',
];

describe('numeric order', () => {
  testOrdering('short numbers', { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers }, [
    ...edges,
    ...drawn(below, 3000, 6, '0012-. \n9'),
  ]);
  testOrdering('any bytes', { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers }, [
    ...drawn(below, 2000, 4, '10-.\x80'),
    ...drawn(below, 2000, 4, ['1', '.', '-', ...ALL_BYTES]),
  ]);
  testOrdering('long numbers', { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers }, [
    ...edges,
    ...long,
    ...small,
  ]);
  testOrdering(
    'whole numbers',
    { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers },
    Array.from(
      { length: 3000 },
      () =>
        `${'-'.repeat(below(2))}${below(2) ? below(20) : digits(below(18))}${['', '', ' x', '.', '.0', '.25'][below(6)]}`,
    ),
  );
  // The kernel reads up to 16 bytes at a time: a point at each of these positions, then digits, other bytes or the end.
  testOrdering(
    'numbers with a point',
    { part: { order: 'numeric' }, options: ['-n'], compare: compareNumbers },
    [0, 1, 2, 7, 12, 13, 14, 15, 16].flatMap((whole) =>
      [0, 1, 2, 3, 8, 13, 14, 15, 16].flatMap((fraction) =>
        ['', 'x', '.5', '\x809'].map((tail) => `${'-'.repeat(below(2))}${digits(whole)}.${digits(fraction)}${tail}`),
      ),
    ),
  );
  testOrdering(
    'numbers that end with a field',
    {
      part: { order: 'numeric', span: parseFieldSpan('1.1,1.4', null) },
      options: ['-n', '-k1.1,1.4'],
      compare: (a, b) => compareNumbers(a.slice(0, 4), b.slice(0, 4)),
    },
    drawn(below, 1000, 8, '012.'),
  );
  testOrdering(
    'numbers in folded lines',
    { part: { order: 'numeric', fold: true }, options: ['-n', '-f'], compare: compareNumbers },
    drawn(below, 500, 5, '01-.a '),
  );
});
