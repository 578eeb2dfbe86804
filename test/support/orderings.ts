/** The orderings on which engines, runs and merges are tested against the plain comparison of src/keys/compare.ts. */
import { delimiterOf, type Ordering } from '../../src/job/ordering.js';
import { LINES } from './records.js';

export const byLines = (more: Partial<Ordering> = {}): Ordering => ({ ...LINES, ...more });

/** Records of `size` bytes. `key`: its offset and length; null: the whole record. */
export const byFixed = (
  size: number,
  key: readonly [offset: number, length: number] | null,
  more: Partial<Ordering> = {},
): Ordering => ({
  format: { kind: 'fixed', size },
  key: key === null ? { kind: 'record' } : { kind: 'bytes', offset: key[0], length: key[1] },
  reverse: false,
  unique: false,
  lastResort: true,
  ...more,
});

/** An ordering and its name, as options. */
export type NamedOrdering = readonly [name: string, ordering: Ordering];

const STABLE = { lastResort: false } as const;
const UNIQUE = { unique: true, lastResort: false } as const;
const byKey = (more: Partial<Ordering> = {}): Ordering => byFixed(20, [2, 5], more);

export const LINE_ORDERINGS: readonly NamedOrdering[] = [
  ['lines', byLines()],
  ['lines, -r', byLines({ reverse: true })],
  ['lines, -u', byLines(UNIQUE)],
  ['lines, -ru', byLines({ ...UNIQUE, reverse: true })],
];

/** Records with a key have some bytes before it and some after it. */
export const ORDERINGS: readonly NamedOrdering[] = [
  ...LINE_ORDERINGS,
  ['lines, -z', byLines({ format: { kind: 'lines', delimiter: 0 } })],
  ['records', byFixed(13, null)],
  ['records by a key', byKey()],
  ['records by a key, -r', byKey({ reverse: true })],
  ['records by a key, -s', byKey(STABLE)],
  ['records by a key, -rs', byKey({ ...STABLE, reverse: true })],
  ['records by a key, -u', byKey(UNIQUE)],
];

/** Whether records that compare as equal are identical, or only one of them is kept. */
export const equalsAreAlike = ({ key, lastResort, unique }: Ordering): boolean =>
  key.kind === 'record' || lastResort || unique;

/** The size of fixed records; 0: lines. */
export const sizeOf = ({ format }: Ordering): number => (format.kind === 'fixed' ? format.size : 0);

/** Texts as records of the ordering: fixed records are padded with zeros, or cut, and end with their number. */
export function recordsFor(ordering: Ordering, texts: readonly Buffer[]): Buffer[] {
  if (ordering.format.kind === 'fixed')
    return fixedRecords(texts, ordering.format.size, ordering.key.kind !== 'record');
  const delimiter = delimiterOf(ordering.format);
  return texts.map((text) =>
    text.includes(delimiter) ? text.map((byte) => (byte === delimiter ? 1 : byte)) : text,
  ) as Buffer[];
}

/** Records padded with zeros or cut to `size` bytes. With `numbered`, the last 4 bytes are the record's number. */
export function fixedRecords(records: readonly Buffer[], size: number, numbered: boolean): Buffer[] {
  return records.map((record, i) => {
    const fixed = Buffer.alloc(size);
    record.copy(fixed, 0, 0, size);
    if (numbered) fixed.writeUInt32BE(i, size - 4);
    return fixed;
  });
}
