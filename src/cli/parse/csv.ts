/** --csv and --tsv: what they mean for a job. */
import { GpusortError } from '../../system/errors.js';
import type { Values } from './option-values.js';
import { quoteLikeC } from './values.js';

/** Bytes that end records or enclose fields, and so cannot separate fields. */
const NO_SEPARATORS = '"\r\n\0';

export const isCsv = ({ csv, tsv }: Values): boolean => csv === true || tsv === true;

/** The field separator; null: a field starts with the blanks before it. */
export function separatorOf({ csv, tsv, fieldSeparator }: Values): Buffer | null {
  return fieldSeparator ?? (tsv ? Buffer.from('\t') : csv ? Buffer.from(',') : null);
}

/** The separator of CSV fields; null if the input is not CSV. */
export function csvSeparatorOf(values: Values): number | null {
  if (!isCsv(values)) return null;
  const separator = separatorOf(values)!.toString('latin1');
  if (separator.length === 1 && !NO_SEPARATORS.includes(separator)) return separator.charCodeAt(0);
  throw new GpusortError('usage', `invalid CSV separator ${quoteLikeC(separator)}`, {
    hint: 'Give -t one byte that is not a quote, a newline, a carriage return or NUL.',
  });
}

/** Throws if a key has a name but there is no header. */
export function refuseNamesWithoutHeader({ key = [], header }: Values): void {
  const named = header === 0 && key.find((part) => 'name' in part && part.name !== undefined);
  if (named && 'name' in named) {
    throw new GpusortError(
      'usage',
      `cannot look up the field ${quoteLikeC(named.name!)}: --header 0 says that there is no header`,
      { hint: 'Give the number of the field, for example -k 2,2.' },
    );
  }
}
