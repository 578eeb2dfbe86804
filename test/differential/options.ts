/**
 * Random options for the differential test: orderings, keys, modes and separators in every spelling that GNU sort
 * accepts, and some options that it refuses.
 */
import type { CaseOption } from './case.js';
import type { Dice } from './dice.js';

/** Ordering letters with their long option, then an unambiguous abbreviation of it. */
const LONG_NAMES: Readonly<Record<string, readonly [string, string]>> = {
  b: ['ignore-leading-blanks', 'ignore-l'],
  d: ['dictionary-order', 'dic'],
  f: ['ignore-case', 'ignore-c'],
  g: ['general-numeric-sort', 'g'],
  i: ['ignore-nonprinting', 'ignore-n'],
  M: ['month-sort', 'mo'],
  h: ['human-numeric-sort', 'hu'],
  n: ['numeric-sort', 'n'],
  R: ['random-sort', 'random-sor'],
  V: ['version-sort', 'version-'],
  r: ['reverse', 'rev'],
};
/** The arguments of --sort for the same letters. */
const SORT_WORDS: Readonly<Record<string, readonly string[]>> = {
  g: ['general-numeric', 'g'],
  h: ['human-numeric', 'hum'],
  M: ['month', 'm'],
  n: ['numeric', 'nu'],
  R: ['random', 'r'],
  V: ['version', 'v'],
};
/** Orderings that exclude each other in a key. */
const ORDERS = 'nghMVR';
export const LETTERS = 'bdfgiMhnRVr';

export const SEPARATORS: readonly string[] = [
  ',',
  ',',
  ';',
  ':',
  '\t',
  ' ',
  '|',
  'x',
  '1',
  '.',
  '-',
  '\\',
  '\xff',
  '\x80',
  '\v',
  '\n',
  '\0',
];

/** Ordering letters: `order` ('' for plain bytes) with filters, -f, -r and -b. Seldom, letters that may not combine. */
function letters(d: Dice, order: string): string {
  if (d.chance(0.02)) return d.several(1, 4, () => d.character(LETTERS)).join('');
  const filters =
    order === '' || order === 'V' || order === 'R' ? (d.chance(0.2) ? 'd' : '') + (d.chance(0.2) ? 'i' : '') : '';
  const both = (order === 'R' || order === 'V') && d.chance(0.15) ? 'RV'.replace(order, '') : '';
  return shuffled(
    d,
    order + both + filters + (d.chance(0.25) ? 'f' : '') + (d.chance(0.3) ? 'r' : '') + (d.chance(0.25) ? 'b' : ''),
  );
}

function shuffled(d: Dice, text: string): string {
  const characters = [...text];
  for (let i = characters.length - 1; i > 0; i--) {
    const j = d.below(i + 1);
    [characters[i], characters[j]] = [characters[j], characters[i]];
  }
  return characters.join('');
}

/** Spells letters as options, in one word or in several, short or long. */
function spelled(d: Dice, list: string): CaseOption[] {
  if (list === '') return [];
  if (d.chance(0.5)) return [{ words: [`-${list}`] }];
  return [...list].map((letter) => {
    const spelling = d.below(4);
    if (spelling === 0 && SORT_WORDS[letter] !== undefined) {
      const word = d.pick(SORT_WORDS[letter]);
      return { words: d.chance(0.7) ? [`--sort=${word}`] : ['--sort', word] };
    }
    return { words: [spelling < 2 ? `--${d.pick(LONG_NAMES[letter])}` : `-${letter}`] };
  });
}

/** POS1[,POS2] of -k. Its first field is `number`. */
function keyText(d: Dice, order: string, number: string): string {
  // Now and then a key of the whole line, which may be redundant.
  if (d.chance(0.06)) return `1${d.pick(['', '.1'])}${d.pick(['', 'r', 'r', 'b', 'd', 'f'])}`;
  const list = d.chance(0.7) ? letters(d, order) : '';
  const inFirst = [...list].filter(() => d.chance(0.7)).join('');
  const inSecond = [...list].filter((letter) => !inFirst.includes(letter)).join('');
  const first = number + (d.chance(0.25) ? `.${1 + d.below(d.chance(0.9) ? 4 : 40)}` : '');
  const second = field(d) + (d.chance(0.3) ? `.${d.below(d.chance(0.9) ? 5 : 40)}` : '');
  // Three keys in ten reach the end of the line, half of the others end in their first field, the rest anywhere.
  return d.chance(0.3)
    ? first + list
    : `${first}${inFirst},${d.chance(0.5) ? first.replace(/\..*/, '') : second}${inSecond}`;
}

function field(d: Dice): string {
  return String(
    d.chance(0.01) ? d.pick([99, '01', '4294967296', '99999999999999999999']) : 1 + d.below(d.pick([1, 2, 3, 5])),
  );
}

/** A key in either syntax with ordering `order`. Its first field is `number`. */
function key(d: Dice, order: string, number: string): CaseOption {
  if (d.chance(0.12)) {
    const place = (sign: string, passed: number): string =>
      `${sign}${passed}${d.chance(0.3) ? `.${d.below(4)}` : ''}${letters(d, d.chance(0.5) ? order : '')}`;
    const first = place('+', Math.min(Number(number) - 1, 9));
    return { words: d.chance(0.6) ? [first, place('-', d.below(4))] : [first] };
  }
  const text = keyText(d, order, number);
  return { words: d.pick([[`-k${text}`], ['-k', text], [`--key=${text}`], ['--key', text]]) };
}

function separatorOption(d: Dice, separator: string): CaseOption {
  const text = separator === '\0' ? '\\0' : separator;
  return { words: d.pick([[`-t${text}`], ['-t', text], [`--field-separator=${text}`], ['--field-sep', text]]) };
}

/** Words that GNU sort refuses, alone or in combination. */
const REFUSED: readonly (readonly string[])[] = [
  ['-k0'],
  ['-k', '1.0'],
  ['-k1,0'],
  ['-k', ''],
  ['-ka'],
  ['-k1,'],
  ['-k1.'],
  ['-k1x'],
  ['-k1,2x'],
  ['-k1.2.3'],
  ['-k-1'],
  ['-k', '1 ,2'],
  ['-k1,2.'],
  ['-k1,,2'],
  ['-kn'],
  ['-k', '+1'],
  ['-nM'],
  ['-dn'],
  ['-ng'],
  ['-hV'],
  ['-iM'],
  ['-gh'],
  ['-Rn'],
  ['-k1nM'],
  ['-k1d,1n'],
  ['-k1gR'],
  ['--sort=foo'],
  ['--sort='],
  ['--sort=ve', '-n'],
  ['--check=x'],
  ['--check=', '-r'],
  ['-cC'],
  ['-co', 'out'],
  ['-mc'],
  ['-t', ''],
  ['-t', '\\n'],
  ['-t,', '-t;'],
  ['-t,', '-t,'],
  ['-o', 'out', '-o', 'other'],
  ['-1'],
  ['-e'],
  ['--foo'],
  ['--ignore'],
  ['--re'],
  ['--random'],
  ['--version-sort=x'],
  ['-w'],
  ['--stable=1'],
  ['--random-source=absent', '-R'],
  ['--random-source=random', '--random-source=other'],
  ['--key'],
  ['-C', '--check=quiet'],
  ['-C', '--check'],
  ['+1x'],
  ['+1', '-2x'],
  ['+1.', '-2'],
  ['+0', '-0.1'],
];

/** Options, and the facts about them that generators of inputs need. */
export interface Options {
  readonly options: readonly CaseOption[];
  /** The ordering letter of each key ('' for bytes) and its first field, counted from 1. */
  readonly keys: readonly { readonly order: string; readonly field: number }[];
  /** The byte between fields; null: blanks. */
  readonly separator: string | null;
  readonly zeroTerminated: boolean;
  readonly mode: 'sort' | 'merge' | 'check';
}

/** Random options. GNU sort refuses one set in ten. */
export function optionsOf(d: Dice): Options {
  const someOrder = (): string => (d.chance(0.35) ? '' : d.character(ORDERS));
  const keys: { order: string; field: number }[] = [];
  const options: CaseOption[] = [];
  const count = d.pick([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4]);
  const main = someOrder();
  if (count === 0 || d.chance(0.3)) {
    keys.push({ order: main, field: 1 });
    options.push(...spelled(d, letters(d, main)));
  }
  for (let i = 0; i < count; i++) {
    const [order, number] = [someOrder(), field(d)];
    keys.push({ order, field: Number(number) });
    options.push(key(d, order, number));
  }
  const separator = d.chance(count > 0 ? 0.5 : 0.05) ? d.pick(SEPARATORS) : null;
  if (separator !== null) options.push(separatorOption(d, separator));
  if (d.chance(0.2)) options.push({ words: [d.pick(['-r', '--reverse'])] });
  if (d.chance(0.25)) options.push({ words: [d.pick(['-s', '--stable'])] });
  if (d.chance(0.22)) options.push({ words: [d.pick(['-u', '--unique'])] });
  const zeroTerminated = d.chance(0.15);
  if (zeroTerminated) options.push({ words: [d.pick(['-z', '--zero-terminated'])] });
  const mode = d.pick(['sort', 'sort', 'sort', 'sort', 'sort', 'sort', 'sort', 'merge', 'check'] as const);
  if (mode === 'merge') options.push({ words: [d.pick(['-m', '--merge'])], mode: true });
  if (mode === 'check')
    options.push({
      words: [
        d.pick(['-c', '-c', '--check', '--check=diagnose-first', '--check=d', '-C', '--check=quiet', '--check=silent']),
      ],
      mode: true,
    });
  if (d.chance(0.04)) options.push({ words: ['-o', 'out'] });
  if (d.chance(0.03)) options.push({ words: ['--debug'], mode: true });
  if (d.chance(0.08)) options.push({ words: d.pick(REFUSED) });
  return { options: mixed(d, options), keys, separator, zeroTerminated, mode };
}

/** Shuffles options but keeps the order of keys, which matters. */
function mixed(d: Dice, options: readonly CaseOption[]): CaseOption[] {
  const result: CaseOption[] = [];
  let from = 0;
  for (const option of options) {
    const isKey = /^(-k|--key|\+)/.test(option.words[0]);
    const at = isKey ? from + d.below(result.length - from + 1) : d.below(result.length + 1);
    result.splice(at, 0, option);
    if (isKey || at < from) from = isKey ? at + 1 : from + 1;
  }
  return result;
}
