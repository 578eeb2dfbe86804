/** The fields of a CSV record without their quotes, as in kernels/wasm/keys/csv.ts, for headers and for --debug. */

const [QUOTE, RETURN] = [34, 13];

export interface CsvFields {
  /** The fields without quotes, with separators between them. */
  readonly text: Uint8Array;
  /** Where each field begins in `text`. */
  readonly begins: readonly number[];
  /** The place of each byte of `text` in the record, and the end of the record. */
  readonly places: readonly number[];
}

/** Splits a record, without its delimiter. A carriage return at its end does not belong to it. */
export function csvFields(record: Uint8Array, separator: number): CsvFields {
  const end = record.at(-1) === RETURN ? record.length - 1 : record.length;
  const places: number[] = [];
  const begins = [0];
  let isQuoted = false;
  for (let at = 0, begin = 0; at < end; at++) {
    const byte = record[at];
    if (byte === QUOTE && at === begin) isQuoted = true;
    else if (isQuoted && byte === QUOTE && (at + 1 === end || record[at + 1] !== QUOTE)) isQuoted = false;
    else {
      if (isQuoted && byte === QUOTE) at++;
      places.push(at);
      if (isQuoted || byte !== separator) continue;
      begins.push(places.length);
      begin = at + 1;
    }
  }
  return { text: Uint8Array.from(places, (place) => record[place]), begins, places: [...places, end] };
}

/** The end of field number `field`, from 0, in `text`. */
export const csvFieldEnd = ({ text, begins }: CsvFields, field: number): number =>
  field + 1 < begins.length ? begins[field + 1] - 1 : text.length;
