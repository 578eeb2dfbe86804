/**
 * Lines for the differential test: fields that exercise each ordering, rows of them, and near copies of other lines.
 * Strings have one character a byte.
 */
import type { Dice } from './dice.js';

/** A generator for each kind of field. */
export const FIELD_KINDS = {
  words: (d: Dice) => d.several(0, 8, () => d.character('abcABCxyzXYZ')).join(''),
  punctuated: (d: Dice) => d.several(1, 8, () => d.character('abAB12 .,-_/\'"(~[`{^@\t')).join(''),
  /** Bytes that -d and -i ignore, and their neighbours. */
  filtered: (d: Dice) => d.several(1, 6, () => d.character('aabB1 ~~\x7f\x7f\x1f\x80\t!/:@[`{\0\v')).join(''),
  integers: (d: Dice) => sign(d) + d.pick(['', '', '', '0', '00']) + String(d.below(d.pick([3, 30, 3000, 2 ** 31]))),
  decimals: (d: Dice) =>
    sign(d) +
    d.pick([digits(d, 0, 4), digits(d, 1, 3), digits(d, 15, 25), digits(d, 90, 130), '0', '0', '']) +
    d.pick([
      '',
      '.',
      `.${digits(d, 0, 4)}`,
      `.${'0'.repeat(d.below(25))}${digits(d, 1, 3)}`,
      `.${digits(d, 1, 2)}${'0'.repeat(d.below(3))}`,
    ]) +
    d.pick(['', '', '', 'x', ' 1', ',000', '.5', 'e3']),
  general: (d: Dice) =>
    d.pick(['', '', '', '', '', ' ', '\v', '\r\f']) +
    d.pick(['', '', '-', '+']) +
    d.pick([
      digits(d, 1, 3),
      `${digits(d, 0, 2)}.${digits(d, 0, 2)}`,
      `${digits(d, 1, 2)}e${d.pick(['', '+', '-'])}${digits(d, 0, 3)}`,
      `${digits(d, 1, 1)}E${d.pick(['', '-'])}${d.pick(['4932', '4950', '4951', '308', '324'])}`,
      `0x${d.pick(['', '1', 'fF', '1.8', '.1'])}${d.pick(['', 'p', 'p3', 'P-2', 'p-16445', 'p16383'])}`,
      'inf',
      'INFINITY',
      'Infx',
      'nan',
      'NaN',
      'nan(1)',
      'nanx',
      '.',
      'e',
      '',
      digits(d, 18, 24),
      `0.${'0'.repeat(d.below(30))}${digits(d, 1, 22)}`,
      '1.00000000000000000001',
      `1844674407370955161${5 + d.below(5)}`,
      `0x1000000000000000${d.below(2)}${d.character('0578f')}`,
    ]) +
    d.pick(['', '', '', 'x', ' 2']),
  sizes: (d: Dice) =>
    sign(d) +
    d.pick([digits(d, 1, 4), digits(d, 0, 2), `${digits(d, 0, 2)}.${digits(d, 0, 2)}`, '0', '0.0', '']) +
    d.pick(['', 'K', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y', 'k', 'm', 'Ki', 'KB', 'x', ' K', 'KK']),
  months: (d: Dice) =>
    d.pick([
      'Jan',
      'JANUARY',
      'feb',
      'Feb',
      'mar',
      'MAr',
      'apr',
      'May',
      'may',
      'maybe',
      'jun',
      'JUL',
      'Aug',
      'sep',
      'Sept',
      'oct',
      'nOv',
      'dec',
      'DECx',
      'ja',
      'Ma',
      'foo',
      '',
      'J an',
      '1jan',
      'd\xe9c',
    ]) + d.pick(['', '', ' 1', '3', '-']),
  versions: (d: Dice) =>
    d.pick([
      d.several(1, 4, () => digits(d, 1, 2)).join('.'),
      `${d.pick(['a', 'lib', 'v', 'x-'])}${d.several(1, 3, () => digits(d, 1, 2)).join(d.character('.-_'))}${suffix(d)}`,
      d.several(0, 6, () => d.character('ab01.~-Z')).join(''),
      `${d.pick(['.', '..', '.a', '.b', '...', ''])}${digits(d, 0, 2)}${suffix(d)}`,
      `${digits(d, 1, 2)}~rc${digits(d, 0, 1)}`,
      `a${'0'.repeat(d.below(4))}${digits(d, 1, 2)}b`,
      `a${digits(d, 20, 24)}`,
      d.several(1, 5, () => d.character('ab1.~\0\xe9_')).join(''),
    ]),
  blanks: (d: Dice) => d.several(0, 5, () => d.pick([' ', '\t', '  ', 'a', 'b', '1', '2', '\n', '\v', '\r'])).join(''),
  bytes: (d: Dice) =>
    d
      .several(0, 6, () =>
        String.fromCharCode(
          d.pick([
            d.below(256),
            d.below(16),
            8 + d.below(5),
            248 + d.below(8),
            122 + d.below(10),
            0,
            1,
            31 + d.below(3),
          ]),
        ),
      )
      .join(''),
  prefixed: (d: Dice) =>
    'prefix/'.repeat(d.chance(0.02) ? 650 : d.pick([1, 2, 20, 36, 40, 100])) +
    d.several(0, 3, () => d.character('abAB01 ')).join(''),
  empty: () => '',
} as const satisfies Readonly<Record<string, (d: Dice) => string>>;
export type FieldKind = keyof typeof FIELD_KINDS;

/** The composition of a file's lines. */
export interface Rows {
  /** The kind of each column. If there is only one, it is the whole line. */
  readonly columns: readonly FieldKind[];
  /** The separator between columns; null: blanks. */
  readonly separator: string | null;
  /** The delimiter, which lines do not contain. */
  readonly delimiter: '\n' | '\0';
}

/** The texts of `files` files, which have `count` lines in total. */
export function textsOf(d: Dice, rows: Rows, files: number, count: number): string[] {
  const { delimiter } = rows;
  // With few distinct fields in a column, later keys decide. In other inputs the fields mostly differ.
  const pools = rows.columns.map((kind) => (d.chance(0.4) ? d.several(1, 6, () => FIELD_KINDS[kind](d)) : null));
  const field = (column: number): string => {
    const pool = pools[column];
    return pool ? d.pick(pool) : FIELD_KINDS[rows.columns[column]](d);
  };
  const lines: string[] = [];
  const [nears, repeats] = [d.pick([0, 0.2, 0.6]), d.pick([0, 0.1, 0.5])];
  while (lines.length < count) {
    let line =
      lines.length > 0 && d.chance(repeats)
        ? d.pick(lines)
        : lines.length > 0 && d.chance(nears)
          ? near(d, d.pick(lines))
          : row(d, rows, field);
    line = line.replaceAll(delimiter, delimiter === '\n' ? '\0' : '\n');
    lines.push(line);
  }
  const texts = Array.from({ length: files }, () => '');
  for (const line of lines) texts[d.below(files)] += line + delimiter;
  return texts.map((text) => (d.chance(0.15) ? text.slice(0, -1) : text));
}

function row(d: Dice, { columns, separator }: Rows, field: (column: number) => string): string {
  const fields = columns.map((_, column) => field(column));
  // One row in ten lacks the last column.
  if (fields.length > 1 && d.chance(0.1)) fields.pop();
  if (separator !== null) return fields.join(separator);
  const blanks = (): string => d.several(1, 3, () => d.character('  \t')).join('');
  const text = fields.length === 1 ? fields[0] : fields.reduce((line, next) => line + blanks() + next);
  return (d.chance(0.2) ? blanks() : '') + text + (d.chance(0.1) ? blanks() : '');
}

/** A copy of `line` with a small change. */
function near(d: Dice, line: string): string {
  const at = d.below(line.length + 1);
  const [head, next, tail] = [line.slice(0, at), line.slice(at, at + 1), line.slice(at + 1)];
  switch (d.below(7)) {
    case 0:
      return head + tail;
    case 1:
      return head + next + next + tail;
    case 2:
      return head + d.character(' \t0.,-+~aAzZ_9KMe\0\x7f\x80\xff\v') + next + tail;
    case 3:
      return head + d.character(' 0159.-~aAbBzZ/\0\x7f\xfd\xfe\xff') + tail;
    case 4:
      return (
        head +
        (next === next.toLowerCase() ? next.toUpperCase() : next.toLowerCase()).replace(/[^\0-\xff]/g, 'A') +
        tail
      );
    case 5:
      return head + tail.slice(0, 1) + next + tail.slice(1);
    default:
      return d.pick([
        `${line}0`,
        `${line} `,
        ` ${line}`,
        `0${line}`,
        `-${line}`,
        `${line}a`,
        `${line}.0`,
        line.toUpperCase().replace(/[^\0-\xff]/g, 'A'),
      ]);
  }
}

function sign(d: Dice): string {
  return d.pick(['', '', '', '-', '-', '+', ' ', '\t -', '--']);
}

function digits(d: Dice, least: number, most: number): string {
  return d.several(least, most, () => d.character('0123456789')).join('');
}

function suffix(d: Dice): string {
  return d.pick(['', '', '.tar.gz', '.c', '.txt', '.a1', '.1', '~', '.~1~', '.', '.b~', '-rc1', '+1', '.tar.9']);
}
