/** The values of options as they were given, by the parsers of the option table. */
import type { KeyForm, OptionRow } from './options/option.js';
import type { Surroundings } from './parse/environment.js';
import type { GivenOption } from './parse/getopt.js';
import { type Values, valueName } from './parse/option-values.js';

export function readValues(options: readonly GivenOption<OptionRow>[], surroundings: Surroundings): Values {
  // These options change what -k accepts, even if they come after it.
  const has = (...names: string[]): boolean => options.some(({ row }) => names.includes(row.long));
  const keys: KeyForm = has('record-size') ? 'bytes' : has('array') ? 'none' : has('csv', 'tsv') ? 'csv' : 'fields';
  const values: Record<string, unknown> = {};
  for (const { row, spelling, text } of options) {
    const name = valueName(row.long);
    values[name] =
      row.argument === undefined || text === undefined
        ? true
        : row.parse(text, { row, spelling, previous: values[name], keys, surroundings });
  }
  return values;
}
