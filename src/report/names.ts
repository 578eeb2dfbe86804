/**
 * Quotes file names and arguments in messages as GNU programs do: they can be pasted into a shell. Knows no options and
 * no files, but knows whether the locale's text is UTF-8.
 */

import type { FileName } from '../job/job.js';
import { asBuffer } from '../system/memory.js';
import { isWindows } from '../system/platform.js';

/** The names of nearly all files: plain, and shown alike in every locale. */
const SIMPLE = /^[A-Za-z0-9%+,\-./_@]+$/;
/** Characters that need no quotes (`#` and `~` only need them at the beginning, `{` and `}` only alone). */
const PLAIN = (): RegExp => /^(?:[A-Za-z0-9%+,\-./\]_@{}#~]|(?![\p{C}\p{Zl}\p{Zp}])\P{ASCII})*$/u;
/** The separator in paths of Windows, where it needs no quotes. */
const WINDOWS_SEPARATORS = /[\\:]/g;
/** Characters that mean the same in double quotes as in single quotes. */
const SAFE_IN_DOUBLE_QUOTES = /^[#~]?[A-Za-z0-9%+,\-./:\]_@ ']*$/;
const LETTER_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A name as GNU sort prints it after `cannot read: `: quoted only if a shell would need it; `-` for standard input. */
export function displayName(name: FileName): string {
  if (name === null) return '-';
  const bytes = name.toString('latin1');
  if (SIMPLE.test(bytes)) return bytes;
  const text = decode(name);
  const isPlain =
    PLAIN().test(isWindows() ? text.replace(WINDOWS_SEPARATORS, '/') : text) &&
    text !== '' &&
    !/^[#~]/.test(text) &&
    text !== '{' &&
    text !== '}';
  return isPlain ? text : quote(text);
}

/** A quoted name, as in `extra operand 'b' not allowed with -c`. */
export function quoteName(name: Buffer): string {
  return quote(decode(name));
}

/**
 * The name's characters if both the locale and the name are UTF-8, as they always are on Windows; otherwise its bytes,
 * which `quote` prints in octal.
 */
function decode(name: Buffer): string {
  if (isWindows() || isUtf8Locale(process.env)) {
    const text = name.toString('utf8');
    if (!text.includes('\uFFFD')) return text;
  }
  return bytesToText(name);
}

/**
 * Whether messages may contain non-ASCII characters: the first of LC_ALL, LC_CTYPE and LANG that is set
 * decides, as in setlocale.
 */
function isUtf8Locale(environment: NodeJS.ProcessEnv): boolean {
  return /utf-?8/i.test(environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '');
}

/** Quotes text for a POSIX shell with `$'...'`: 'a b', "it's", 'a'$'\n''b'. */
function quote(text: string): string {
  if (text.includes("'") && SAFE_IN_DOUBLE_QUOTES.test(text)) return `"${text}"`;
  let out = "'";
  let escaping = false;
  for (const character of text) {
    const escaped = escapeOf(character);
    if (escaped !== null) {
      out += (escaping ? '' : "'$'") + escaped;
      escaping = true;
    } else if (character === "'") {
      out += "'\\''";
      escaping = false;
    } else {
      out += (escaping ? "''" : '') + character;
      escaping = false;
    }
  }
  return `${out}'`;
}

/** The escape of an unprintable character inside `$'...'`; null for a printable one. */
function escapeOf(character: string): string | null {
  const code = character.codePointAt(0)!;
  if (code >= 0xdc80 && code <= 0xdcff) return octal(code - 0xdc00);
  if (code > 0x7f)
    return /[\p{C}\p{Zl}\p{Zp}]/u.test(character) ? [...Buffer.from(character)].map(octal).join('') : null;
  if (code >= 0x20 && code < 0x7f) return null;
  return LETTER_ESCAPES[character] ?? octal(code);
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}

/**
 * Raw bytes inside messages. A message is text, but a name or line that it shows may be any bytes. In the text, a byte
 * above 127 is the lone surrogate U+DC00 + byte, which well-formed text never contains. When the message is written, it
 * becomes the byte again.
 */
const RAW_BYTES = /([\udc80-\udcff]+)/u;

/** Converts bytes to text that `textToBytes` converts back. */
export function bytesToText(bytes: Uint8Array): string {
  return asBuffer(bytes)
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
