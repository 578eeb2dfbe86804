/** -M: names of months. */
import { describe } from 'vitest';
import { randomBelow } from '../support/random.js';
import { ALL_BYTES, drawn, type Tested, testOrdering } from './orderings.js';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const monthOf = (line: string): number => MONTHS.indexOf(/^[ \t\n]*(.{0,3})/s.exec(line)![1].toUpperCase());

const below = randomBelow(63);
const month: Tested = { part: { order: 'month' }, options: ['-M'], compare: (a, b) => monthOf(a) - monthOf(b) };
const cased = (name: string): string => [...name].map((letter) => (below(2) ? letter : letter.toLowerCase())).join('');
const named = Array.from(
  { length: 200 },
  () =>
    drawn(below, 1, 2, ' \t\n')[0] + cased(MONTHS[below(12)]).slice(0, 2 + below(6)) + drawn(below, 1, 2, 'eE1 ')[0],
);
/** Month names with one byte changed. */
const changed = Array.from({ length: 200 }, () => {
  const name = [...MONTHS[below(12)]];
  name[below(3)] = ALL_BYTES[below(256)];
  return name.join('');
});

describe('month order', () => {
  testOrdering('names', month, [
    '',
    ' ',
    'J',
    'JA',
    '  ja',
    'January',
    '-JAN',
    '1JAN',
    'J AN',
    'maI',
    'MAY',
    'MAR',
    'ma\u0000',
    ...MONTHS,
    ...named,
  ]);
  testOrdering('near misses of names', month, [...MONTHS, ...changed]);
  testOrdering('folded', { ...month, part: { order: 'month', fold: true }, options: ['-M', '-f'] }, [
    ...named,
    ...changed,
  ]);
});
