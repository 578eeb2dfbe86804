/**
 * Parts of a record by fields, as GNU sort's -k finds them. (Kernels have the same definition in kernels/shared/segment-mark-2.wgsl and
 * kernels/cpu/fields.ts.)
 */
import type { FieldSpan, KeyPart } from '../job.js';

const [TAB, NEWLINE, SPACE] = [9, 10, 32];

/** A blank of the C locale; a newline is one where NUL ends records. */
const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB || byte === NEWLINE;

/** Whether a part is one of the record as that is written, for this file to find, and not of what quotes or JSON stand for. */
export const isPlainPart = ({ span, path }: KeyPart): boolean => !span.quoted && path === undefined;

/** The bytes of a record (given without its delimiter) that `span` names; none where it ends before it begins. */
export function fieldSpan(span: FieldSpan, record: Uint8Array): Uint8Array {
  const { from, to } = fieldBounds(span, record);
  return record.subarray(from, Math.max(from, to));
}

/** The two places in a record that `span` names, of which `to` may be the first. */
export function fieldBounds({ begin, end, separator }: FieldSpan, record: Uint8Array): { from: number; to: number } {
  const from = place(record, skipFields(record, begin.field, separator, true), begin.byte, begin.skipBlanks);
  if (end === null) return { from, to: record.length };
  const to = end.byte === 0 ? skipFields(record, end.field + 1, separator, false)
    : place(record, skipFields(record, end.field, separator, true), end.byte, end.skipBlanks);
  return { from, to };
}

/** `byte` bytes behind `at`, or behind the blanks there; not beyond the record. */
function place(record: Uint8Array, at: number, byte: number, skipBlanks: boolean): number {
  while (skipBlanks && at < record.length && isBlank(record[at])) at++;
  return Math.min(record.length, at + byte);
}

/** The end of the first `count` fields, behind the separator that ends the last of them where `passSeparator`. */
function skipFields(record: Uint8Array, count: number, separator: Uint8Array | null, passSeparator: boolean): number {
  let at = 0;
  for (let left = count; left > 0 && at < record.length; left--) {
    if (separator === null) {
      while (at < record.length && isBlank(record[at])) at++;
      while (at < record.length && !isBlank(record[at])) at++;
    } else {
      while (at < record.length && !separator.every((byte, i) => record[at + i] === byte)) at++;
      if (at < record.length && (left > 1 || passSeparator)) at += separator.length;
    }
  }
  return at;
}
