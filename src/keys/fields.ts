/**
 * Finds parts of a record by fields, as GNU sort's -k does. Kernels have the same definition in
 * kernels/wgsl/segments/mark-fields.wgsl and kernels/wasm/shared/fields.ts.
 */
import type { FieldSpan, KeyPart } from '../job/job.js';

const [TAB, NEWLINE, SPACE] = [9, 10, 32];

/** A blank of the C locale. Newlines occur in records that end in NUL, and are blanks there. */
const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB || byte === NEWLINE;

/** Whether a part is in the record as written, so that this file can find it: not in quoted fields, JSON and BAM. */
export const isPlainPart = ({ span, path, bam }: KeyPart): boolean =>
  !span.quoted && path === undefined && bam === undefined;

/** The bytes of a record (without its delimiter) in `span`; empty if it ends before it begins. */
export function fieldSpan(span: FieldSpan, record: Uint8Array): Uint8Array {
  const { from, to } = fieldBounds(span, record);
  return record.subarray(from, Math.max(from, to));
}

/** The bounds of `span` in a record; `to` may be less than `from`. */
export function fieldBounds({ begin, end, separator }: FieldSpan, record: Uint8Array): { from: number; to: number } {
  const from = place(record, skipFields(record, begin.field, separator, true), begin.byte, begin.skipBlanks);
  if (end === null) return { from, to: record.length };
  const to =
    end.byte === 0
      ? skipFields(record, end.field + 1, separator, false)
      : place(record, skipFields(record, end.field, separator, true), end.byte, end.skipBlanks);
  return { from, to };
}

/** The place `byte` bytes after `at`, or after the blanks there; at most the record's end. */
function place(record: Uint8Array, at: number, byte: number, skipBlanks: boolean): number {
  while (skipBlanks && at < record.length && isBlank(record[at])) at++;
  return Math.min(record.length, at + byte);
}

/** The end of the first `count` fields, after the last one's separator if `passSeparator`. */
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
