/** Parts as bytes, and -d, -f and -i. */
import { describe } from 'vitest';
import { randomBelow } from '../support/random.js';
import { ALL_BYTES, compareStrings, drawn, type Tested, testOrdering } from './orderings.js';

/** The bytes of a line that count, by the documented rules. */
function text(...options: readonly ('-d' | '-f' | '-i')[]): Tested {
  const [dictionary, fold, printing] = (['-d', '-f', '-i'] as const).map((option) => options.includes(option)) as [
    boolean,
    boolean,
    boolean,
  ];
  const left = (line: string): string => {
    const counts = dictionary ? line.replace(/[^A-Za-z0-9 \t\n]/g, '') : printing ? line.replace(/[^ -~]/g, '') : line;
    return fold ? counts.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : counts;
  };
  return { part: { dictionary, fold, printing }, options, compare: (a, b) => compareStrings(left(a), left(b)) };
}

const below = randomBelow(65);
const few = [
  ...drawn(below, 600, 5, 'aAbZz[@\t \n\0.~\x7f\xe4\xfe\xff'),
  ...drawn(below, 100, 3, '\t\n\v \0\x01\xfd\xfe\xff'),
];
const bytes = [...ALL_BYTES, ...drawn(below, 300, 2, ALL_BYTES)];
/** Lines with common prefixes of about 16 and 32 bytes: the kernels encode 16 bytes at a time. */
const long = Array.from(
  { length: 400 },
  () =>
    'The quick brown fox jumps over the lazy dog'.slice(0, [0, 14, 15, 16, 17, 31, 32, 33][below(8)]) +
    drawn(below, 1, 2, 'aA\xfe\xff \t')[0],
);

describe('byte order', () => {
  for (const tested of [
    text(),
    text('-f'),
    text('-d'),
    text('-i'),
    text('-d', '-f'),
    text('-f', '-i'),
    text('-d', '-i'),
    text('-d', '-f', '-i'),
  ]) {
    const name = tested.options!.join(' ') || 'no option';
    testOrdering(`${name}: few bytes`, tested, few);
    testOrdering(`${name}: every byte`, tested, bytes);
    testOrdering(`${name}: long lines`, tested, long);
  }
});
