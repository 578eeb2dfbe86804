/**
 * Arbitraries of input files: fields that exercise each ordering, rows of them, and near copies of other lines. Texts
 * have one character a byte.
 */
import fc, { type Arbitrary } from 'fast-check';
import { byte, chance, characters, digits, either, joined, maybe, pick, repeated, several } from '../support/draws.js';

const sign = pick(['', '', '', '-', '-', '+', ' ', '\t -', '--']);
const SUFFIXES = ['', '', '.tar.gz', '.c', '.txt', '.a1', '.1', '~', '.', '.b~', '-rc1', '+1', '.tar.9'];
const MONTHS =
  'Jan JANUARY feb Feb mar MAr apr May may maybe jun JUL Aug sep Sept oct nOv dec DECx ja Ma foo 1jan d\xe9c'.split(
    ' ',
  );
const below = (n: number): Arbitrary<string> => fc.nat(n - 1).map(String);

/** For each kind of field, its texts. */
export const FIELD_KINDS = {
  words: characters(0, 8, 'abcABCxyzXYZ'),
  punctuated: characters(1, 8, 'abAB12 .,-_/\'"(~[`{^@\t'),
  /** Bytes that -d and -i ignore, and their neighbors. */
  filtered: characters(1, 6, 'aabB1 ~~\x7f\x7f\x1f\x80\t!/:@[`{\0\v'),
  integers: joined(sign, ['', '', '', '0', '00'], either(below(3), below(30), below(3000), below(2 ** 31))),
  decimals: joined(
    sign,
    either(digits(0, 4), digits(1, 3), digits(15, 25), digits(90, 130), pick(['0', '0', ''])),
    either(
      pick(['', '.']),
      joined('.', digits(0, 4)),
      joined('.', repeated('0', 0, 24), digits(1, 3)),
      joined('.', digits(1, 2), repeated('0', 0, 2)),
    ),
    ['', '', '', 'x', ' 1', ',000', '.5', 'e3'],
  ),
  general: joined(
    ['', '', '', '', '', ' ', '\v', '\r\f'],
    ['', '', '-', '+'],
    either(
      digits(1, 3),
      joined(digits(0, 2), '.', digits(0, 2)),
      joined(digits(1, 2), 'e', ['', '+', '-'], digits(0, 3)),
      joined(digits(1, 1), 'E', ['', '-'], ['4932', '4950', '4951', '308', '324']),
      joined('0x', ['', '1', 'fF', '1.8', '.1'], ['', 'p', 'p3', 'P-2', 'p-16445', 'p16383']),
      pick(['inf', 'INFINITY', 'Infx']),
      pick(['nan', 'NaN', 'nan(1)', 'nanx']),
      pick(['.', 'e', '']),
      digits(18, 24),
      joined('0.', repeated('0', 0, 29), digits(1, 22)),
      pick(['1.00000000000000000001']),
      joined('1844674407370955161', '56789'.split('')),
      joined('0x1000000000000000', ['0', '1'], '0578f'.split('')),
    ),
    ['', '', '', 'x', ' 2'],
  ),
  sizes: joined(
    sign,
    either(digits(1, 4), digits(0, 2), joined(digits(0, 2), '.', digits(0, 2)), pick(['0', '0.0', ''])),
    ['', 'K', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y', 'k', 'm', 'Ki', 'KB', 'x', ' K', 'KK'],
  ),
  months: joined([...MONTHS, '', 'J an'], ['', '', ' 1', '3', '-']),
  versions: either(
    several(1, 4, digits(1, 2)).map((parts) => parts.join('.')),
    fc
      .tuple(pick(['a', 'lib', 'v', 'x-']), several(1, 3, digits(1, 2)), pick(['.', '-', '_']), pick(SUFFIXES))
      .map(([name, parts, between, suffix]) => name + parts.join(between) + suffix),
    characters(0, 6, 'ab01.~-Z'),
    joined(['.', '..', '.a', '.b', '...', ''], digits(0, 2), SUFFIXES),
    joined(digits(1, 2), '~rc', digits(0, 1)),
    joined('a', repeated('0', 0, 3), digits(1, 2), 'b'),
    joined('a', digits(20, 24)),
    characters(1, 5, 'ab1.~\0\xe9_'),
  ),
  blanks: characters(0, 5, [' ', '\t', '  ', 'a', 'b', '1', '2', '\n', '\v', '\r']),
  bytes: several(
    0,
    6,
    either(byte(), byte(0, 15), byte(8, 12), byte(248, 255), byte(122, 131), pick(['\0', '\x01']), byte(31, 33)),
  ).map((bytes) => bytes.join('')),
  prefixed: joined(
    [...Array.from({ length: 8 }, () => [1, 2, 20, 36, 40, 100]).flat(), 650].map((count) => 'prefix/'.repeat(count)),
    characters(0, 3, 'abAB01 '),
  ),
  empty: fc.constant(''),
} as const satisfies Readonly<Record<string, Arbitrary<string>>>;
export type FieldKind = keyof typeof FIELD_KINDS;

/** The composition of the lines. */
export interface Rows {
  /** The kind of each column. If there is only one, it is the whole line. */
  readonly columns: readonly {
    readonly kind: FieldKind;
    /** Whether its fields have few distinct values, which makes later keys decide. */
    readonly isPooled: boolean;
  }[];
  /** The separator between columns; null: blanks. */
  readonly separator: string | null;
  /** The delimiter, which lines do not contain. */
  readonly delimiter: '\n' | '\0';
  readonly files: number;
  readonly mostLines: number;
  /** In percent, the lines that nearly repeat another line, and those that repeat one. */
  readonly nears: number;
  readonly repeats: number;
}

const MOST_POOLED = 6;
const OTHER_LINES = 1 << 16;

/** The texts of the files. */
export function textsOf(rows: Rows): Arbitrary<string[]> {
  const { columns, separator, delimiter, files, mostLines, nears, repeats } = rows;
  const pools = columns.map(({ kind, isPooled }) =>
    isPooled ? several(1, MOST_POOLED, FIELD_KINDS[kind]) : fc.constant([]),
  );
  const fields = columns.map(({ kind, isPooled }) => (isPooled ? fc.nat(MOST_POOLED - 1) : FIELD_KINDS[kind]));
  const blanks = characters(1, 3, '  \t');
  const line = fc.record({
    fields: fc.tuple(...(fields as Arbitrary<string | number>[])),
    blanks: fc.array(blanks, { minLength: columns.length, maxLength: columns.length }),
    lacksLast: chance(10),
    before: maybe(20, blanks, ''),
    after: maybe(10, blanks, ''),
    /** The line that this one repeats, counted from the beginning over and over, with a change. */
    other: maybe(repeats, fc.nat(OTHER_LINES), null),
    near: maybe(nears, fc.record({ other: fc.nat(OTHER_LINES), change }), null),
    file: fc.nat(files - 1),
  });
  return fc
    .record({
      pools: fc.tuple(...pools),
      lines: several(mostLines > 1 ? 2 : 0, mostLines, line),
      isOpen: several(files, files, chance(15)),
    })
    .map(({ pools, lines, isOpen }) => {
      const all: string[] = [];
      const texts = Array.from({ length: files }, () => '');
      for (const one of lines) {
        const number = one.other ?? one.near?.other;
        let text: string;
        if (number !== undefined && all.length > 0) {
          text = all[number % all.length];
          if (one.other === null) text = one.near!.change(text);
        } else {
          const cells = one.fields.map((field, i) =>
            typeof field === 'number' ? pools[i][field % pools[i].length] : field,
          );
          if (one.lacksLast && cells.length > 1) cells.pop();
          text =
            separator !== null
              ? cells.join(separator)
              : one.before + cells.reduce((line, next, i) => line + one.blanks[i] + next) + one.after;
        }
        text = text.replaceAll(delimiter, delimiter === '\n' ? '\0' : '\n');
        all.push(text);
        texts[one.file] += text + delimiter;
      }
      return texts.map((text, i) => (isOpen[i] ? text.slice(0, -1) : text));
    });
}

const otherCase = (text: string): string =>
  (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()).replace(/[^\0-\xff]/g, 'A');

/** Small changes of a line. */
const change: Arbitrary<(line: string) => string> = fc
  .record({
    kind: fc.nat(6),
    place: fc.nat(OTHER_LINES),
    inserted: pick([...' \t0.,-+~aAzZ_9KMe\0\x7f\x80\xff\v']),
    replaced: pick([...' 0159.-~aAbBzZ/\0\x7f\xfd\xfe\xff']),
    end: pick<(line: string) => string>([
      (line) => `${line}0`,
      (line) => `${line} `,
      (line) => ` ${line}`,
      (line) => `0${line}`,
      (line) => `-${line}`,
      (line) => `${line}a`,
      (line) => `${line}.0`,
      (line) => line.toUpperCase().replace(/[^\0-\xff]/g, 'A'),
    ]),
  })
  .map(({ kind, place, inserted, replaced, end }) => (line: string) => {
    const at = place % (line.length + 1);
    const [head, next, tail] = [line.slice(0, at), line.slice(at, at + 1), line.slice(at + 1)];
    const changed = [
      head + tail,
      head + next + next + tail,
      head + inserted + next + tail,
      head + replaced + tail,
      head + otherCase(next) + tail,
      head + tail.slice(0, 1) + next + tail.slice(1),
    ];
    return changed[kind] ?? end(line);
  });
