/**
 * Arbitraries of options for the differential test: orderings, keys, modes and separators in every spelling that GNU
 * sort accepts, and some options that it refuses.
 */
import fc, { type Arbitrary } from 'fast-check';
import { chance, characters, either, joined, maybe, pick, weighted } from '../support/draws.js';
import type { CaseOption } from './case.js';

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
const SORT_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  g: ['general-numeric', 'g'],
  h: ['human-numeric', 'hum'],
  M: ['month', 'm'],
  n: ['numeric', 'nu'],
  R: ['random', 'r'],
  V: ['version', 'v'],
};
/** Orderings that exclude each other in a key; '' for plain bytes. */
const ORDERS = [...'nghMVR'];
export const LETTERS = 'bdfgiMhnRVr';

export const SEPARATORS = [...',,;:\t |x1.-\\\xff\x80\v\n\0'];

/** The facts that are drawn first: generators of options and of inputs need them. */
export interface Facts {
  /** The ordering letter of each key ('' for bytes) and its first field, counted from 1, as text. */
  readonly keys: readonly { readonly order: string; readonly field: string }[];
  /** The ordering of options that are in no key; null: there are none. */
  readonly main: string | null;
  /** The byte between fields; null: blanks. */
  readonly separator: string | null;
  readonly zeroTerminated: boolean;
  readonly mode: 'sort' | 'merge' | 'check';
}

const field: Arbitrary<string> = weighted(
  [99, either(...[1, 2, 3, 5].map((most) => fc.integer({ min: 1, max: most }).map(String)))],
  [1, pick(['99', '01', '4294967296', '99999999999999999999'])],
);

export const facts: Arbitrary<Facts> = fc
  .record({ count: pick([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4]), main: order(), isMain: chance(30) })
  .chain(({ count, main, isMain }) =>
    fc.record({
      keys: fc.array(fc.record({ order: order(), field }), { minLength: count, maxLength: count }),
      main: fc.constant(count === 0 || isMain ? main : null),
      separator: maybe(count > 0 ? 50 : 5, pick(SEPARATORS), null),
      zeroTerminated: chance(15),
      mode: pick(['sort', 'sort', 'sort', 'sort', 'sort', 'sort', 'sort', 'merge', 'check']),
    }),
  );

function order(): Arbitrary<string> {
  return maybe(65, pick(ORDERS), '');
}

/** Ordering letters: `of` with filters, -f, -r and -b, in any order. Seldom, letters that may not combine. */
function letters(of: string): Arbitrary<string> {
  const takesFilters = of === '' || of === 'V' || of === 'R';
  const both = of === 'R' || of === 'V' ? maybe(15, pick(['RV'.replace(of, '')]), '') : '';
  const filters = takesFilters ? [maybe(20, pick(['d']), ''), maybe(20, pick(['i']), '')] : [];
  const all = joined(
    of,
    both,
    ...filters,
    maybe(25, pick(['f']), ''),
    maybe(30, pick(['r']), ''),
    maybe(25, pick(['b']), ''),
  );
  const shuffled = all.chain((text) =>
    fc.shuffledSubarray([...text], { minLength: text.length }).map((list) => list.join('')),
  );
  return maybe(2, characters(1, 4, LETTERS), null).chain((odd) => (odd === null ? shuffled : pick([odd])));
}

/** The letters as options, in one word or in several, short or long. */
function spelled(list: string): Arbitrary<CaseOption[]> {
  const short = (letter: string): CaseOption => ({ words: [`-${letter}`] });
  const ways = [...list].map((letter) => {
    const long = pick(LONG_NAMES[letter]).map((name) => ({ words: [`--${name}`] }));
    const sorts = SORT_WORDS[letter];
    const sort =
      sorts &&
      fc
        .tuple(pick(sorts), chance(30))
        .map(([word, apart]) => ({ words: apart ? ['--sort', word] : [`--sort=${word}`] }));
    return either<CaseOption>(pick([short(letter)]), pick([short(letter)]), long, sort ?? long);
  });
  return list === '' ? fc.constant([]) : either(pick([[short(list)]]), fc.tuple(...ways));
}

/** POS1[,POS2] of -k. */
function keyText(order: string, number: string): Arbitrary<string> {
  const parts = fc.record({
    list: maybe(70, letters(order), ''),
    isFirst: fc.array(chance(70), { minLength: 12, maxLength: 12 }),
    byte: maybe(25, maybe(10, fc.integer({ min: 5, max: 40 }), 0), null),
    some: fc.integer({ min: 1, max: 4 }),
    end: pick(['line', 'line', 'line', 'field', 'field', 'field', 'any', 'any', 'any', 'any']),
    second: field,
    secondByte: maybe(30, either(...Array(9).fill(fc.nat(4)), fc.nat(39)), null),
  });
  const drawn = parts.map(({ list, isFirst, byte, some, end, second, secondByte }) => {
    const first = number + (byte === null ? '' : `.${byte || some}`);
    if (end === 'line') return first + list;
    const inFirst = [...list].filter((_, i) => isFirst[i]).join('');
    const inSecond = [...list].filter((letter) => !inFirst.includes(letter)).join('');
    const to = end === 'field' ? number : `${second}${secondByte === null ? '' : `.${secondByte}`}`;
    return `${first}${inFirst},${to}${inSecond}`;
  });
  // Now and then a key of the whole line, which may be redundant.
  return weighted([94, drawn], [6, joined('1', ['', '.1'], ['', 'r', 'r', 'b', 'd', 'f'])]);
}

/** A key in either syntax. */
function keyOption({ order, field }: Facts['keys'][number]): Arbitrary<CaseOption> {
  const text = keyText(order, field);
  const modern = fc
    .tuple(text, fc.nat(3))
    .map(([text, way]) => ({ words: [[`-k${text}`], ['-k', text], [`--key=${text}`], ['--key', text]][way] }));
  const place = (passed: readonly string[] | Arbitrary<string>): Arbitrary<string> =>
    joined(passed, maybe(30, joined('.', ['0', '1', '2', '3']), ''), either(letters(order), letters('')));
  const first = place([`+${Math.min(Number(field) - 1, 9)}`]);
  const old = fc
    .tuple(first, maybe(60, place(['-0', '-1', '-2', '-3']), null))
    .map((words) => ({ words: words.filter((word) => word !== null) }));
  return weighted<CaseOption>([88, modern], [12, old]);
}

function separatorOption(separator: string): Arbitrary<CaseOption> {
  const text = separator === '\0' ? '\\0' : separator;
  return pick([[`-t${text}`], ['-t', text], [`--field-separator=${text}`], ['--field-sep', text]]).map((words) => ({
    words,
  }));
}

/** Options in any order, but keys in theirs. GNU sort refuses one list in ten. */
export function optionsOf({ keys, main, separator, zeroTerminated, mode }: Facts): Arbitrary<CaseOption[]> {
  const one = (words: Arbitrary<string>): Arbitrary<CaseOption> => words.map((word) => ({ words: [word] }));
  const modeOption = (words: readonly string[]): Arbitrary<CaseOption> =>
    pick(words).map((word) => ({ words: [word], mode: true }));
  const CHECKS = [
    '-c',
    '-c',
    '--check',
    '--check=diagnose-first',
    '--check=d',
    '-C',
    '--check=quiet',
    '--check=silent',
  ];
  const list = (option: Arbitrary<CaseOption>): Arbitrary<CaseOption[]> => option.map((only) => [only]);
  const others: Arbitrary<CaseOption[]>[] = [
    main === null ? fc.constant([]) : letters(main).chain(spelled),
    ...(separator === null ? [] : [list(separatorOption(separator))]),
    maybe(20, list(one(pick(['-r', '--reverse']))), []),
    maybe(25, list(one(pick(['-s', '--stable']))), []),
    maybe(22, list(one(pick(['-u', '--unique']))), []),
    ...(zeroTerminated ? [list(one(pick(['-z', '--zero-terminated'])))] : []),
    ...(mode === 'merge' ? [list(modeOption(['-m', '--merge']))] : []),
    ...(mode === 'check' ? [list(modeOption(CHECKS))] : []),
    maybe(4, list(pick([{ words: ['-o', 'out'] }])), []),
    maybe(3, list(modeOption(['--debug'])), []),
    maybe(8, list(pick(REFUSED).map((words) => ({ words }))), []),
  ];
  // One option in a hundred is left out: so any of them is, when a case is shrunk.
  const places = fc.array(fc.nat(999), { minLength: others.length, maxLength: others.length });
  return fc
    .record({
      keys: fc.tuple(...keys.map((key) => maybe(99, keyOption(key), null))),
      others: fc.tuple(...others.map((options) => maybe(99, options, []))),
      places,
    })
    .map(({ keys, others, places }) => {
      const kept = keys.filter((key) => key !== null);
      const placed = [
        ...others.flatMap((options, i) => options.map((option) => ({ option, place: places[i] }))),
        ...kept.map((option, i) => ({ option, place: (1000 * (i + 0.5)) / kept.length })),
      ];
      return placed.sort((a, b) => a.place - b.place).map(({ option }) => option);
    });
}

/** Words that GNU sort refuses, alone or in combination. */
const REFUSED: readonly (readonly string[])[] = [
  ...`
    -k0 -k1,0 -ka -k1, -k1. -k1x -k1,2x -k1.2.3 -k-1 -k1,2. -k1,,2 -kn -nM -dn -ng -hV -iM -gh -Rn -k1nM -k1d,1n
    -k1gR --sort=foo --sort= --check=x -cC -mc -1 -e --foo --ignore --re --random --version-sort=x -w --stable=1
    --key +1x
  `
    .trim()
    .split(/\s+/)
    .map((word) => [word]),
  ['-k', '1.0'],
  ['-k', ''],
  ['-k', '1 ,2'],
  ['-k', '+1'],
  ['--sort=ve', '-n'],
  ['--check=', '-r'],
  ['-co', 'out'],
  ['-t', ''],
  ['-t', '\\n'],
  ['-t,', '-t;'],
  ['-t,', '-t,'],
  ['-o', 'out', '-o', 'other'],
  ['--random-source=absent', '-R'],
  ['--random-source=random', '--random-source=other'],
  ['-C', '--check=quiet'],
  ['-C', '--check'],
  ['+1', '-2x'],
  ['+1.', '-2'],
  ['+0', '-0.1'],
];
