/** --csv, --tsv and --json: what they mean for a job, and what cannot be had with them. */
import { GpusortError } from '../report/errors.js';
import type { Values } from './make-job.js';
import { incompatible } from './usage.js';
import { quoteLikeC } from './values.js';

/** What ends records or stands around fields parts none. */
const NO_SEPARATORS = '"\r\n\0';

export const isCsv = ({ csv, tsv }: Values): boolean => csv === true || tsv === true;

/** What parts fields; null: fields begin where blanks do. */
export function separatorOf({ csv, tsv, fieldSeparator }: Values): Buffer | null {
  return fieldSeparator ?? (tsv ? Buffer.from('\t') : csv ? Buffer.from(',') : null);
}

/** The byte that parts fields of CSV; null where the input is none. */
export function csvSeparatorOf(values: Values): number | null {
  if (!isCsv(values)) return null;
  const separator = separatorOf(values)!.toString('latin1');
  if (separator.length === 1 && !NO_SEPARATORS.includes(separator)) return separator.charCodeAt(0);
  throw new GpusortError('usage', `fields of CSV cannot be parted by ${quoteLikeC(separator)}`, { hint: 'Give -t one byte that is no quote and no end of a line.' });
}

/**
 * Throws where records are said to be something else, too, or to be parted or shown by what they look like, where what is written would be no CSV, and where there is
 * no header for the name of a key.
 */
export function refuseBeside({ csv, tsv, json, key, recordSize, zeroTerminated, fieldSeparator, segmentBy, segments, header, headerPrefix, count, debug }: Values): void {
  const refuse = (option: string, ...others: readonly (readonly [other: string, given: unknown])[]): void => {
    const found = others.find(([, given]) => given !== undefined);
    if (found !== undefined) throw incompatible(option, found[0]);
  };
  const refusedByAll = [['--record-size', recordSize], ['--debug', debug]] as const;
  const refusedByCsv = [['--json', json], ['-z', zeroTerminated], ['--segment-by', segmentBy], ['--segments', segments], ['--header-prefix', headerPrefix], ['--count', count]] as const;
  if (csv) refuse('--csv', ['--tsv', tsv], ...refusedByAll, ...refusedByCsv);
  if (tsv) refuse('--tsv', ['-t', fieldSeparator], ...refusedByAll, ...refusedByCsv);
  if (json !== undefined) refuse('--json', ['-k', key], ...refusedByAll);
  const named = header === 0 && Array.isArray(key) ? key.find(({ name }) => name !== undefined) : undefined;
  if (named !== undefined) throw new GpusortError('usage', `no header, as --header 0 says, names the field ${quoteLikeC(named.name!)}`, { hint: 'Give the number of the field, for example -k 2,2.' });
}
