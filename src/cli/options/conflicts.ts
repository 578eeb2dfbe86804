/** Refuses options that are incompatible, by the option table. */
import { optionValue, type Values } from '../parse/option-values.js';
import { incompatible } from '../parse/usage.js';
import { isOwn, type OptionRow } from './option.js';
import { OPTIONS, rowOf } from './table.js';

/** Throws `usage` for the first two incompatible options of which gpusort's own is at least one. */
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
  // GNU sort writes one word for both: letters come first, and a letter after another one loses its dash.
  const [name, otherName] = [nameOf(row, values), nameOf(other, values)];
  throw incompatible(row.short === undefined ? `${otherName} ${name}` : `${otherName}${name.slice(1)}`);
}

/** The given options that are incompatible with `row`; none if `row` is not given. */
function conflictsOf({ long, conflicts }: OptionRow, values: Values): OptionRow[] {
  const value = optionValue(values, long);
  if (value === undefined || conflicts === undefined) return [];
  const others = typeof conflicts === 'function' ? conflicts(value as string) : conflicts;
  return others.map(rowOf).filter((other) => optionValue(values, other.long) !== undefined);
}

/** How messages name an option that is given. */
function nameOf(row: OptionRow, values: Values): string {
  const value = optionValue(values, row.long);
  if (row.argument !== undefined && row.named !== undefined) return row.named(value as never);
  return row.short === undefined ? `--${row.long}` : `-${row.short}`;
}
