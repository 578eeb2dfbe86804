/** -h: numbers with suffixes. */
import { describe } from 'vitest';
import { randomBelow } from '../support/random.js';
import { compareNumbers } from './numbers.js';
import { ALL_BYTES, drawn, type Tested, testOrdering } from './orderings.js';

const SUFFIXES = ' KMGTPEZYRQ';

/** The documented order: sign and suffix first (zero has none), then the number. */
function compareHuman(a: string, b: string): number {
  return suffixRank(a) - suffixRank(b) || compareNumbers(a, b);
}

function suffixRank(line: string): number {
  const [, minus, number, suffix = ''] = /^[ \t\n]*(-?)(\d*(?:\.\d*)?)([kKMGTPEZYRQ])?/.exec(line)!;
  if (!/[1-9]/.test(number!) || suffix === '') return 0;
  return SUFFIXES.indexOf(suffix.toUpperCase()) * (minus === '' ? 1 : -1);
}

const below = randomBelow(62);
const human: Tested = { part: { order: 'human-numeric' }, options: ['-h'], compare: compareHuman };
const edges = [
  '',
  'K',
  '-K',
  '.K',
  '0K',
  '-0M',
  '0.0G',
  '1.K',
  '.5K',
  '-.5K',
  '1..K',
  '1.5.M',
  '5i',
  '5Ki',
  '5KB',
  '5 K',
  '--1K',
  '+1K',
  ' 1K',
  '\n1M',
  '1m',
  '1k',
  '1g',
  '1023M',
  '1G',
  '2000K',
  '1M',
  '999999999999Y',
  '1\u0000K',
];

describe('human numeric order', () => {
  testOrdering('edges', human, edges);
  testOrdering('short numbers', human, drawn(below, 3000, 5, '001-. kKMGTi\n'));
  testOrdering('any bytes but R and Q', human, [
    ...drawn(below, 1000, 5, '10-.\x80KM'),
    ...drawn(below, 2000, 4, ['1', '.', '-', ...ALL_BYTES.replace(/[RQ]/g, '')]),
  ]);
  testOrdering(
    'every suffix',
    human,
    Array.from(
      { length: 3000 },
      () =>
        `${'-'.repeat(below(2))}${below(4) ? below(1100) : `${below(3)}.${below(100)}`}${'KMGTPEZYk bgmtpezy'[below(18)]}`,
    ),
  );
  testOrdering(
    'folded, with lowercase suffixes',
    {
      part: { order: 'human-numeric', fold: true },
      options: ['-h', '-f'],
      compare: (a, b) => compareHuman(a.toUpperCase(), b.toUpperCase()),
    },
    drawn(below, 1000, 4, '012-kmgtpezyKM'),
  );
  // GNU sort 9.1 does not know R and Q; newer versions do.
  testOrdering('R and Q', { ...human, options: null }, drawn(below, 500, 3, '12-YRQ'));
});
