/** GNU sort's ordering options: rows of the option table, in the order of --help. */
import { optionValue, type Values } from '../parse/option-values.js';
import { inGroup, ORDERING } from './option.js';
import * as parsers from './parsers.js';

/** The accepted words; the first word of each list is the name of an ordering. */
const SORTS = [['general-numeric'], ['human-numeric'], ['month'], ['numeric'], ['random'], ['version']];

export const ORDERING_ROWS = inGroup(ORDERING, 'keys', [
  { long: 'ignore-leading-blanks', short: 'b', help: 'ignore leading blanks of keys' },
  { long: 'dictionary-order', short: 'd', help: 'compare only blanks, letters and digits' },
  { long: 'ignore-case', short: 'f', common: true, help: 'fold lowercase to uppercase' },
  {
    long: 'general-numeric-sort',
    short: 'g',
    help: 'compare numbers in any notation (1e3, 0x1f, -inf); non-numbers sort first',
  },
  { long: 'human-numeric-sort', short: 'h', common: true, help: 'compare numbers with size suffixes (2K, 1G)' },
  { long: 'ignore-nonprinting', short: 'i', help: 'compare only printing characters' },
  { long: 'month-sort', short: 'M', help: 'compare month names (JAN to DEC); text that is not a month sorts first' },
  { long: 'numeric-sort', short: 'n', common: true, help: 'compare decimal numbers of any length' },
  { long: 'random-sort', short: 'R', help: 'shuffle, but keep equal keys together' },
  {
    long: 'random-source',
    argument: 'FILE',
    parse: parsers.sameText('multiple random sources specified'),
    completes: 'file',
    help: 'take the random bytes of -R from FILE; the same bytes give the same order',
  },
  {
    long: 'reverse',
    short: 'r',
    elsewhere: ['desc', 'descending'],
    common: true,
    help: 'reverse the result of comparisons',
  },
  {
    long: 'sort',
    argument: 'WORD',
    words: { choices: SORTS },
    parse: parsers.ordering,
    named: ([letter]: string[]) => `-${letter}`,
    help: 'sort by WORD: general-numeric (-g), human-numeric (-h), month (-M), numeric (-n), random (-R), version (-V)',
  },
  {
    long: 'version-sort',
    short: 'V',
    elsewhere: ['natural', 'natural-sort'],
    common: true,
    help: 'compare numbers inside text by value (as in version numbers)',
  },
]);

/** The rows of ordering letters. */
export const LETTER_ROWS = ORDERING_ROWS.filter(({ short }) => short !== undefined);

/** All ordering letters given for the whole command line. They apply to all keys without letters. */
export function globalLetters(values: Values): Set<string> {
  const switches = LETTER_ROWS.filter(({ long }) => optionValue(values, long)).map(({ short }) => short!);
  return new Set([...switches, ...(values.sort ?? [])]);
}
