/** The option table. The parser, the conflicts, --help, the manual page and the completions are made from it. */

import type { Surroundings } from '../parse/environment.js';
import type { GivenOption, OptionNames } from '../parse/getopt.js';
import { optionValue, type Values, valueName } from '../parse/option-values.js';
import { incompatible } from '../parse/usage.js';
import { CLUSTER_ROWS } from './cluster-rows.js';
import { GENOMICS_ROWS } from './genomics-rows.js';
import { isOwn, type KeySyntax, type OptionRow } from './option.js';
import { ORDERING_ROWS } from './ordering-rows.js';
import { OTHER_ROWS } from './other-rows.js';
import { OWN_ROWS } from './own-rows.js';

export const OPTIONS: readonly OptionRow[] = [
  ...ORDERING_ROWS,
  ...OTHER_ROWS,
  ...OWN_ROWS,
  ...GENOMICS_ROWS,
  ...CLUSTER_ROWS,
];

/** The long names of GNU sort, in the order in which it lists them if an abbreviation is ambiguous. */
const GNU_NAMES: readonly string[] = [
  'ignore-leading-blanks',
  'check',
  'compress-program',
  'debug',
  'dictionary-order',
  'ignore-case',
  'files0-from',
  'general-numeric-sort',
  'ignore-nonprinting',
  'key',
  'merge',
  'month-sort',
  'numeric-sort',
  'human-numeric-sort',
  'version-sort',
  'random-sort',
  'random-source',
  'sort',
  'output',
  'reverse',
  'stable',
  'batch-size',
  'buffer-size',
  'field-separator',
  'temporary-directory',
  'unique',
  'zero-terminated',
  'parallel',
  'help',
  'version',
];

/** The names by which a command line is split into options and operands. */
export const OPTION_NAMES: OptionNames<OptionRow> = { rows: OPTIONS, gnuNames: GNU_NAMES };

/** The row of an option that exists. */
export function rowOf(long: string): OptionRow {
  const row = OPTIONS.find((candidate) => candidate.long === long);
  if (row === undefined) throw new Error(`no option --${long}`);
  return row;
}

/** Throws `usage` for the first two incompatible options, at least one of which is gpusort's own. */
export function refuseOwnConflicts(values: Values): void {
  for (const row of OPTIONS) {
    for (const other of conflictsOf(row, values))
      if (isOwn(row.group) || isOwn(other.group)) throw incompatible(nameOf(row, values), nameOf(other, values));
  }
}

/** Throws `usage` if another option of GNU sort is incompatible with option `long`, in GNU's words. */
export function refuseGnuConflicts(long: string, values: Values): void {
  const row = rowOf(long);
  const other = conflictsOf(row, values).find(({ group }) => !isOwn(group));
  if (other === undefined) return;
  // GNU sort writes both options as one word: letters come first, and the second of two letters loses its dash.
  const [name, otherName] = [nameOf(row, values), nameOf(other, values)];
  throw incompatible(row.short === undefined ? `${otherName} ${name}` : `${otherName}${name.slice(1)}`);
}

/** The given options that are incompatible with `row`; none if `row` is not given. */
function conflictsOf({ long, conflicts }: OptionRow, values: Values): OptionRow[] {
  const value = optionValue(values, long);
  if (value === undefined || conflicts === undefined) return [];
  const others = typeof conflicts === 'function' ? conflicts(value as never) : conflicts;
  return others.map(rowOf).filter((other) => optionValue(values, other.long) !== undefined);
}

/** The name of a given option in messages. */
function nameOf(row: OptionRow, values: Values): string {
  const value = optionValue(values, row.long);
  if (row.argument !== undefined && row.named !== undefined) return row.named(value as never);
  return row.short === undefined ? `--${row.long}` : `-${row.short}`;
}

/** The values of options as they were given, by the parsers of the option table. */
export function readValues(options: readonly GivenOption<OptionRow>[], surroundings: Surroundings): Values {
  // These options change what -k accepts, even if they come after -k.
  const has = (...names: string[]): boolean => options.some(({ row }) => names.includes(row.long));
  const keys: KeySyntax = has('record-size') ? 'bytes' : has('array') ? 'none' : has('csv', 'tsv') ? 'csv' : 'fields';
  const isJson = has('json');
  const values: Record<string, unknown> = {};
  for (const { row, spelling, text } of options) {
    const name = valueName(row.long);
    values[name] =
      row.argument === undefined || text === undefined
        ? true
        : row.parse(text, { row, spelling, previous: values[name], keys, isJson, surroundings });
  }
  return values;
}
