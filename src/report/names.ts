/**
 * File names and arguments in messages, quoted as GNU's programs quote them, so that a name can be pasted into a shell.
 * Knows nothing of options or files; only whether the locale says that bytes above 127 are UTF-8 text.
 */
import type { FileName } from '../job.js';
import { bytesToText } from './raw-text.js';

/** Characters that need no quotes anywhere in a name (`#` and `~` only need them in front, `{` and `}` only alone). */
const PLAIN = /^(?:[A-Za-z0-9%+,\-./\]_@{}#~]|(?![\p{C}\p{Zl}\p{Zp}])[^\x00-\x7f])*$/u;
/** Characters that mean the same between double quotes as between single ones. */
const SAFE_IN_DOUBLE_QUOTES = /^[#~]?[A-Za-z0-9%+,\-./:\]_@ ']*$/;
const LETTER_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v',
};

/** A name as GNU sort prints it after `cannot read: `: quoted only where a shell would need it; `-` for standard input. */
export function displayName(name: FileName): string {
  if (name === null) return '-';
  const text = decode(name);
  const isPlain = PLAIN.test(text) && text !== '' && !/^[#~]/.test(text) && text !== '{' && text !== '}';
  return isPlain ? text : quote(text);
}

/** A name always in quotes, as in `extra operand 'b' not allowed with -c`. */
export function quoteName(name: Buffer): string {
  return quote(decode(name));
}

/** The name's characters where the locale is UTF-8 and the name is, else its bytes, which `quote` prints as octal. */
function decode(name: Buffer): string {
  if (isUtf8Locale(process.env)) {
    const text = name.toString('utf8');
    if (!text.includes('\uFFFD')) return text;
  }
  return bytesToText(name);
}

/** Whether messages may hold characters outside ASCII: the first of LC_ALL, LC_CTYPE, LANG that is set decides, as in setlocale. */
function isUtf8Locale(environment: NodeJS.ProcessEnv): boolean {
  return /utf-?8/i.test(environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '');
}

/** Between quotes for a POSIX shell with `$'...'`: 'a b', "it's", 'a'$'\n''b'. */
function quote(text: string): string {
  if (text.includes("'") && SAFE_IN_DOUBLE_QUOTES.test(text)) return `"${text}"`;
  let out = "'";
  let escaping = false;
  for (const character of text) {
    const escape = escapeOf(character);
    if (escape !== null) {
      out += (escaping ? '' : "'$'") + escape;
      escaping = true;
    } else if (character === "'") {
      out += "'\\''";
      escaping = false;
    } else {
      out += (escaping ? "''" : '') + character;
      escaping = false;
    }
  }
  return out + "'";
}

/** How an unprintable character is written inside `$'...'`; null for a printable one. */
function escapeOf(character: string): string | null {
  const code = character.codePointAt(0)!;
  if (code >= 0xdc80 && code <= 0xdcff) return octal(code - 0xdc00);
  if (code > 0x7f) return /[\p{C}\p{Zl}\p{Zp}]/u.test(character) ? [...Buffer.from(character)].map(octal).join('') : null;
  if (code >= 0x20 && code < 0x7f) return null;
  return LETTER_ESCAPES[character] ?? octal(code);
}

function octal(byte: number): string {
  return '\\' + byte.toString(8).padStart(3, '0');
}
