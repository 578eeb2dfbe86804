/** Sized records: as runs hold them, with keys, and a plain model of a text of them. */
import type { KeyPart, Ordering } from '../../src/job/ordering.js';
import { TextRun } from '../../src/runs/text-run.js';

const WHOLE = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };
const PART: KeyPart = {
  ...{ span: WHOLE, order: 'bytes', bam: 'name' },
  ...{ dictionary: false, printing: false, fold: false, reverse: false },
};

/** An ordering of sized records by their keys alone. */
export const bySizedKeys = (more: Partial<Ordering> = {}): Ordering => ({
  format: { kind: 'sized' },
  key: { kind: 'normalized', parts: [PART], seed: null },
  ...{ reverse: false, unique: false, lastResort: false },
  ...more,
});

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The text after its length. */
export const sized = (text: Uint8Array): Buffer => Buffer.concat([uint32(text.length), text]);

/** A record with its key in front. */
export const keyedSized = (key: Uint8Array, record: Uint8Array): Buffer =>
  sized(Buffer.concat([uint32(key.length), key, record]));

/** A run of keyed records from byte `begin` of a memory on, with other bytes before and after it. */
export function sizedRun(records: readonly Uint8Array[], begin: number, ordering = bySizedKeys()): TextRun {
  const text = Buffer.concat(records);
  const memory = new SharedArrayBuffer(begin + text.length + 9);
  new Uint8Array(memory).fill(0xee).set(text, begin);
  return new TextRun(memory, { begin, end: begin + text.length }, ordering);
}
