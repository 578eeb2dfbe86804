/** Makes the key parts that orders of genomics data consist of. */
import type { FieldSpan, KeyPart } from '../../job/job.js';

/** Field number `field`, counted from 0, after its first `skip` bytes. Null: blanks separate fields. */
export function field(separator: string | null, field: number, skip = 0): FieldSpan {
  return {
    begin: { field, byte: skip, skipBlanks: false },
    end: { field, byte: 0, skipBlanks: false },
    separator: separatorOf(separator),
  };
}

/** All fields from number `first` on. */
export function fieldsFrom(separator: string, first: number): FieldSpan {
  return { begin: { field: first, byte: 0, skipBlanks: false }, end: null, separator: separatorOf(separator) };
}

/** Fields number `first` to `last`, with the separators between them. */
export function fieldsTo(separator: string, first: number, last: number): FieldSpan {
  return { ...field(separator, first), end: { field: last, byte: 0, skipBlanks: false } };
}

/** The whole record. */
export const WHOLE: FieldSpan = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };

export function part(order: KeyPart['order'], span: FieldSpan, more: Partial<KeyPart> = {}): KeyPart {
  return { span, order, dictionary: false, printing: false, fold: false, reverse: false, ...more };
}

function separatorOf(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text);
}
