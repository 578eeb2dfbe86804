/**
 * Raw bytes inside messages. A message is text, but a name or line that it shows may be any bytes. In the text, a byte
 * above 127 is the lone surrogate U+DC00 + byte, which well-formed text never contains. When the message is written, it
 * becomes the byte again.
 */

const RAW_BYTES = /([\udc80-\udcff]+)/u;

/** Converts bytes to text that `textToBytes` converts back. */
export function bytesToText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
}

/** The bytes to write for a message: UTF-8, and raw bytes unchanged. */
export function textToBytes(text: string): Buffer {
  if (!RAW_BYTES.test(text)) return Buffer.from(text, 'utf8');
  // Splitting by a group puts its matches at odd indices.
  return Buffer.concat(
    text
      .split(RAW_BYTES)
      .map((part, i) =>
        i % 2 === 0
          ? Buffer.from(part, 'utf8')
          : Buffer.from(Array.from(part, (character) => character.charCodeAt(0) - 0xdc00)),
      ),
  );
}
