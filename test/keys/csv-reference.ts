/** A plain CSV parser and random CSV texts, one character a byte: the reference for kernels and whole jobs. */
import type { FieldSpan } from '../../src/job/ordering.js';
import type { RandomBelow } from '../support/random.js';

export interface CsvRecord {
  /** The record as written, without its newline. */
  readonly raw: string;
  /** The values of the fields, unquoted. */
  readonly fields: readonly string[];
}

/** All records of a text; the newline of the last one is optional. Throws if a quote is left open. */
export function parseCsv(text: string, separator = ','): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; ) {
    const end = recordEnd(text, at, separator);
    const raw = text.slice(at, end);
    records.push({ raw, fields: fieldsOf(raw, separator) });
    at = end + 1;
  }
  return records;
}

/** The end of the record that starts at `at`: the first newline outside quotes, or the end of the text. */
function recordEnd(text: string, at: number, separator: string): number {
  for (;;) {
    at += fieldAt(text, at, separator).length;
    if (at >= text.length || text[at] === '\n') return at;
    at++;
  }
}

/** The field at `at`: its length as written, and its value. */
function fieldAt(text: string, at: number, separator: string): { length: number; value: string } {
  const field =
    text[at] === '"'
      ? new RegExp(`"((?:[^"]|"")*)"(?!")([^${separator}\n]*)`, 'y')
      : new RegExp(`()([^${separator}\n]*)`, 'y');
  field.lastIndex = at;
  const found = field.exec(text);
  if (found === null) throw new Error(`quotes at ${at} do not end`);
  return { length: found[0].length, value: found[1].replaceAll('""', '"') + found[2] };
}

function fieldsOf(raw: string, separator: string): string[] {
  const record = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const { length, value } = fieldAt(record, at, separator);
    fields.push(value);
    at += length + 1;
  }
  return fields;
}

/** The part of a record that `span` selects, from the record's field values. */
export function csvSpan({ fields }: CsvRecord, { begin, end }: FieldSpan, separator = ','): string {
  const joined = fields.join(separator);
  const fieldBegin = (i: number): number =>
    i < fields.length ? fields.slice(0, i).reduce((sum, field) => sum + field.length + 1, 0) : joined.length;
  const place = (i: number, byte: number, skipBlanks: boolean): number => {
    const at = fieldBegin(i) + (skipBlanks ? /^[ \t\n]*/.exec(joined.slice(fieldBegin(i)))![0].length : 0);
    return Math.min(joined.length, at + byte);
  };
  const from = place(begin.field, begin.byte, begin.skipBlanks);
  const to =
    end === null
      ? joined.length
      : end.byte > 0
        ? place(end.field, end.byte, end.skipBlanks)
        : fieldBegin(end.field) + (fields[end.field]?.length ?? 0);
  return joined.slice(from, Math.max(from, to));
}

const PIECES = [
  ...['a', 'B', 'zz', '7', '-3.5', ' ', '\t', '""', '"', ',', ';', '\n', '\r\n', '\r', '\xff', '\xc3\xa4'],
  'a field of more than sixteen bytes',
];

/**
 * A random, valid CSV text. Most records have `columns` fields. Fields that need quotes have them; some others do, too.
 */
export function drawCsv(below: RandomBelow, rows: number, columns: number, separator = ','): string {
  const field = (): string => {
    const value = Array.from({ length: below(4) }, () => PIECES[below(PIECES.length)])
      .join('')
      .replaceAll('""', '"');
    const needsQuotes = new RegExp(`["\n\r${separator}]`).test(value);
    return needsQuotes || below(4) === 0 ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const ending = below(2) === 0 ? '\n' : '\r\n';
  return Array.from(
    { length: rows },
    () => Array.from({ length: below(8) === 0 ? below(2 * columns) + 1 : columns }, field).join(separator) + ending,
  ).join('');
}

/** A random sequence of the bytes that are special in CSV; no quote is left open. */
export function drawNonsense(below: RandomBelow, pieces: number): string {
  const text = Array.from({ length: pieces }, () => PIECES[below(PIECES.length)]).join('');
  for (const end of ['\n', '"\n']) {
    try {
      parseCsv(text + end);
      return text + end;
    } catch {
      /* quotes are open */
    }
  }
  throw new Error('quotes are open and cannot be closed');
}
