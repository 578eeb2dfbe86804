/** Decodes UTF-8, and ill-formed bytes such that different bytes always give different strings. */
import { constants } from 'node:buffer';
import { formatBytes } from '../../report/units.js';
import { GpusortError } from '../../system/errors.js';

/**
 * An ill-formed byte becomes this plus its value: a lone surrogate, which UTF-8 never yields and which collates after
 * all assigned characters.
 */
const ILL_FORMED = 0xdc00;
const REPLACEMENT = '\ufffd';

/**
 * The text of bytes [from, to). ASCII becomes a string with one byte for each character, which
 * collators compare fastest.
 */
export function decodeUtf8(bytes: Buffer, from: number, to: number): string {
  if (to - from > constants.MAX_STRING_LENGTH) {
    throw new GpusortError(
      'out-of-memory',
      `memory exhausted: a line of ${formatBytes(to - from)} is too long for --locale`,
    );
  }
  if (isAscii(bytes, from, to)) return bytes.toString('latin1', from, to);
  const text = bytes.toString('utf8', from, to);
  return text.includes(REPLACEMENT) ? decodeIllFormed(bytes, from, to) : text;
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let all = 0;
  for (let at = from; at < to; at++) all |= bytes[at];
  return all < 0x80;
}

function decodeIllFormed(bytes: Buffer, from: number, to: number): string {
  const parts: string[] = [];
  let wellFormed = from;
  for (let at = from; at < to; ) {
    const length = characterBytes(bytes, at, to);
    if (length === 0) {
      parts.push(bytes.toString('utf8', wellFormed, at), String.fromCharCode(ILL_FORMED + bytes[at]));
      wellFormed = at + 1;
    }
    at += Math.max(1, length);
  }
  parts.push(bytes.toString('utf8', wellFormed, to));
  return parts.join('');
}

/**
 * The length of the well-formed character at `at` in bytes, within [at, to); 0 if there is none. (The
 * Unicode Standard, table 3-7.)
 */
function characterBytes(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at];
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (bytes[at + 1] < least || bytes[at + 1] > most) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return 0;
  return length;
}
