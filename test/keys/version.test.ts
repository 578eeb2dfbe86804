/** -V: names that contain version numbers. */
import { describe } from 'vitest';
import { randomBelow } from '../support/random.js';
import { ALL_BYTES, drawn, type Tested, testOrdering } from './orderings.js';

/** The documented order (GNU coreutils manual, Version sort ordering), comparing two names directly. */
function compareVersions(a: string, b: string): number {
  const apart = Number(rankApart(a)) - Number(rankApart(b));
  if (apart !== 0 || rankApart(a) < HIDDEN) return apart;
  return compareParts(a.slice(0, suffixBegin(a)), b.slice(0, suffixBegin(b))) || compareParts(a, b);
}

const HIDDEN = 3;
/** The empty name, ".", "..", hidden names, others. */
const rankApart = (name: string): number =>
  name === '' ? 0 : name === '.' ? 1 : name === '..' ? 2 : name.startsWith('.') ? HIDDEN : 4;
const suffixBegin = (name: string): number => /(\.[A-Za-z~][A-Za-z0-9~]*)*$/.exec(name)!.index;

/** Compares text and numbers alternately. */
function compareParts(a: string, b: string): number {
  while (a !== '' || b !== '') {
    const [[, textA, numberA], [, textB, numberB]] = [a, b].map((name) => /^(\D*)(\d*)/.exec(name)!) as [
      RegExpExecArray,
      RegExpExecArray,
    ];
    for (let i = 0; i < Math.max(textA!.length, textB!.length); i++) {
      const sign = weight(textA![i]) - weight(textB![i]);
      if (sign !== 0) return sign;
    }
    const difference = BigInt(numberA!) - BigInt(numberB!);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    a = a.slice(textA!.length + numberA!.length);
    b = b.slice(textB!.length + numberB!.length);
  }
  return 0;
}

/** The weight of a character in text; undefined: the end of the text. */
function weight(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}

const below = randomBelow(64);
const version: Tested = { part: { order: 'version' }, options: ['-V'], compare: compareVersions };
const edges = [
  '',
  '.',
  '..',
  '...',
  '.a',
  '..a',
  '.~',
  '..~',
  '.5',
  '.05',
  '.0',
  '0',
  '00',
  '01',
  '1',
  'a',
  'a0',
  'a00',
  'a~',
  'a0~',
  'a.',
  'a.x',
  'a0.x',
  'a00.x',
  'a.0',
  'a.00x',
  'a.x.y',
  'a.1.y',
  'a..y',
  'a.~',
  'a.~1~',
  'a.x1',
  'a.x01',
  'a.1x',
  '.a.b',
  '.a1.b',
  '.a.1',
  '~',
  '~.~',
  '~~',
  '1~',
  '1.~',
  '1.0~',
  '1.0',
  '1.00',
  '1.0.0',
  'a b',
  'a-b',
  'a.tar.gz',
  'a.tar.gz~',
  'a-1.tar.gz',
  'a-10.tar.gz',
  'a-2.tar.bz2',
  'a\u0000',
  'a\u0000b',
  'a\n',
  '\xff',
  '\xfe\xff',
  'A',
  'Z',
  '[',
];
/** Numbers around all lengths at which the key changes its form. */
const numbers = [
  0, 1, 9, 10, 99, 100, 189, 190, 191, 444, 445, 446, 999, 1000, 8349, 8350, 8351, 9999, 10000, 12345, 99999, 100000,
  999999, 1234567,
]
  .map(String)
  .concat(
    [8, 9, 30, 31, 32, 33, 34, 60, 300].flatMap((count) => [
      `1${'0'.repeat(count - 1)}`,
      '9'.repeat(count),
      `${'9'.repeat(count - 1)}8`,
    ]),
  );
const number = (): string => '0'.repeat(below(3) === 0 ? below(3) : 0) + numbers[below(numbers.length)];

describe('version order', () => {
  testOrdering('edges', version, edges);
  testOrdering('one alphabet', version, [...edges, ...drawn(below, 3000, 6, 'aab01.~.-\n')]);
  testOrdering('names of two parts', version, [
    ...drawn(below, 3000, 4, ['0', '00', '1', '9', '10', '.', '.a', '.~', 'a', '~', '.a1']),
  ]);
  testOrdering(
    'suffixes',
    version,
    Array.from(
      { length: 10000 },
      () =>
        ['', '.', 'a', 'a0', 'a1', '0', 'a.', '~'][below(8)] +
        drawn(below, 1, 3, ['.a', '.~', '.b', '.a0', '.1', '.', '.a.'])[0],
    ),
  );
  testOrdering(
    'numbers',
    version,
    Array.from(
      { length: 2000 },
      () => ['', 'a', '.', 'a.'][below(4)] + number() + ['', '.', 'b', '~', `.${number()}`][below(5)],
    ),
  );
  testOrdering('any bytes', version, [
    ...edges,
    ...Array.from(ALL_BYTES),
    ...drawn(below, 500, 3, ALL_BYTES),
    ...Array.from(
      { length: 2000 },
      () => drawn(below, 1, 2, 'a1.')[0] + ALL_BYTES[below(256)] + drawn(below, 1, 2, 'a1.')[0],
    ),
  ]);
  testOrdering(
    'files',
    version,
    Array.from(
      { length: 1000 },
      () =>
        `${['lib', 'Lib', 'lib-'][below(3)]}${below(12)}.${below(12)}${['', '.0', '-rc1', '~rc1', '.tar'][below(5)]}${['', '.gz', '.gz~', '.tar.gz', '.2'][below(5)]}`,
    ),
  );
  testOrdering(
    'folded',
    {
      part: { order: 'version', fold: true },
      options: ['-V', '-f'],
      compare: (a, b) => compareVersions(a.toUpperCase(), b.toUpperCase()),
    },
    drawn(below, 1000, 4, 'aAbB1.~'),
  );
  const counts = (name: string): string => name.replace(/[^A-Za-z0-9 \t\n]/g, '');
  testOrdering(
    'dictionary',
    {
      part: { order: 'version', dictionary: true },
      options: ['-V', '-d'],
      compare: (a, b) => compareVersions(counts(a), counts(b)),
    },
    drawn(below, 1000, 5, 'aA1.~ \t\n-0'),
  );
});
