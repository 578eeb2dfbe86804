/**
 * The bytes of a record that a key part consists of, as `sort --debug` shows them: its fields, and for numbers and
 * months only what is read as one. The values are known only to kernels/wasm/keys/.
 */
import type { KeyPart, PartOrder } from '../job/job.js';
import { fieldBounds } from './fields.js';

/** Bytes [from, to) of a record. */
export interface LineExtent {
  readonly from: number;
  readonly to: number;
}

const DECIMAL = '-?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)';
/** What counts at the beginning of a part, after its blanks. Parts of other orderings count as a whole. */
const COUNTED: Readonly<Partial<Record<PartOrder, RegExp>>> = {
  numeric: new RegExp(`^${DECIMAL}`),
  'human-numeric': new RegExp(`^${DECIMAL}[KkMGTPEZY]?`),
  // As strtold reads it in the C locale, including its own leading white space.
  'general-numeric': new RegExp(
    '^[ \\t-\\r]*[+-]?(?:' +
      '0x(?:[0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)(?:p[+-]?[0-9]+)?|' +
      '(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[+-]?[0-9]+)?|' +
      'inf(?:inity)?|nan(?:\\([0-9a-z_]*\\))?)',
    'i',
  ),
  month: /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i,
};

/** The bytes of `record` (without its delimiter) that count for `part`; empty if it has no such part. */
export function partExtent({ span, order }: KeyPart, record: Uint8Array): LineExtent {
  const { begin } = span;
  const fromLineBegin = begin.field === 0 && begin.byte === 0;
  // An empty extent is still shown in GNU sort's place. Blanks at the beginning of a line are skipped only up to the
  // part's end. Other blanks before a number are skipped even if the part ends before it begins.
  const { from, to } = fieldBounds(fromLineBegin ? { ...span, begin: { ...begin, skipBlanks: false } } : span, record);
  const counted = COUNTED[order];
  if (counted === undefined && !(fromLineBegin && begin.skipBlanks)) return { from, to: Math.max(from, to) };
  const text = Buffer.from(record.buffer, record.byteOffset, record.length).toString(
    'latin1',
    from,
    to < from ? record.length : to,
  );
  const blanks = /^[ \t\n]*/.exec(text)![0].length;
  const bytes =
    to < from ? 0 : counted === undefined ? text.length - blanks : (counted.exec(text.slice(blanks))?.[0].length ?? 0);
  return { from: from + blanks, to: from + blanks + bytes };
}
