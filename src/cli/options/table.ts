/** The option table. The parser, the conflicts, --help, the manual page and the completions are made from it. */
import type { OptionNames } from '../parse/getopt.js';
import { CLUSTER_ROWS } from './cluster-rows.js';
import { GENOMICS_ROWS } from './genomics-rows.js';
import type { OptionRow } from './option.js';
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

/** GNU sort's long names in the order in which it lists them if an abbreviation is ambiguous. */
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

/** What splits a command line into options and operands. */
export const OPTION_NAMES: OptionNames<OptionRow> = { rows: OPTIONS, gnuNames: GNU_NAMES };

/** The row of an option that exists. */
export function rowOf(long: string): OptionRow {
  const row = OPTIONS.find((candidate) => candidate.long === long);
  if (row === undefined) throw new Error(`no option --${long}`);
  return row;
}
