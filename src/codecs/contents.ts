/** Says in messages what some bytes are, as far as their beginning shows it. */
import { COMPRESSION_NAMES, detectCompression } from './detect.js';

/** Bytes that are looked at. */
export const SHOWN_BYTES = 64;
/** Bytes that a message shows. */
const PRINTED_BYTES = 4;
/** Bytes of text below the blank: tabs, the ends of lines and pages, and escape sequences of terminals. */
const CONTROLS = [9, 10, 11, 12, 13, 27];

/** What bytes are: compressed data, text in UTF-8, or something else. */
export interface Contents {
  readonly kind: 'compressed' | 'text' | 'other';
  /** The name of the compression, `text`, or the first bytes in hexadecimal. */
  readonly words: string;
}

/** What data that begins with `head`, of at least one byte, probably is. */
export function contentsOf(head: Uint8Array): Contents {
  const compression = detectCompression(head);
  if (compression !== null) return { kind: 'compressed', words: COMPRESSION_NAMES[compression] };
  if (isText(head.subarray(0, SHOWN_BYTES))) return { kind: 'text', words: 'text' };
  const bytes = Buffer.from(head.subarray(0, PRINTED_BYTES)).toString('hex');
  return { kind: 'other', words: bytes.replace(/..(?=.)/g, '$& ') };
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte === 0x7f || (byte < 0x20 && !CONTROLS.includes(byte)))) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
