/**
 * Bytes inside messages. A message is text, what it shows (a name, a line) may be any bytes: a byte above 127 stands in the text
 * as the lone surrogate U+DC00 + byte, which no real text holds, and is a byte again when the message is written.
 */

const RAW_BYTES = /([\udc80-\udcff]+)/u;

/** Any bytes as text that `textToBytes` turns back into the same bytes. */
export function bytesToText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    .replace(/[\x80-\xff]/g, byte => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
}

/** The bytes to write for a message: UTF-8, and raw bytes as they were. */
export function textToBytes(text: string): Buffer {
  if (!RAW_BYTES.test(text)) return Buffer.from(text, 'utf8');
  // Splitting by a group puts what it matched at the odd places.
  return Buffer.concat(text.split(RAW_BYTES).map((part, i) => i % 2 === 0
    ? Buffer.from(part, 'utf8')
    : Buffer.from(Array.from(part, character => character.charCodeAt(0) - 0xdc00))));
}
