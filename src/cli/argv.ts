/**
 * The command line and the environment as bytes. Node decodes both as UTF-8, which turns other bytes into U+FFFD; where that
 * happened the bytes are read again from /proc. Here a string is one character a byte ("latin1"), so that nothing is lost.
 */
import { basename } from 'node:path';
import { fileSystem } from '../file-system.js';
import { bytesToText } from '../report/raw-text.js';

/** The arguments after the program's name, one character a byte. */
export function rawArguments(): string[] {
  const decoded = process.argv.slice(2);
  if (!decoded.some(isDamaged)) return decoded.map(toBytes);
  // Options of Node itself come first, so the arguments are counted from the end.
  const raw = procStrings('/proc/self/cmdline').slice(-decoded.length);
  const isSame = raw.length === decoded.length && raw.every((word, i) => Buffer.from(word, 'latin1').toString('utf8') === decoded[i]);
  return isSame ? raw : decoded.map(toBytes);
}

/** A variable of the environment, one character a byte; undefined where it is not set. */
export function rawVariable(name: string): string | undefined {
  const decoded = process.env[name];
  if (decoded === undefined || !isDamaged(decoded)) return decoded === undefined ? undefined : toBytes(decoded);
  const entry = procStrings('/proc/self/environ').find(candidate => candidate.startsWith(`${name}=`));
  return entry === undefined ? toBytes(decoded) : entry.slice(name.length + 1);
}

/** What the program was called by: `sort` where a link of that name runs it. */
export function programName(): string {
  return basename(process.argv[1] ?? 'gpusort').replace(/\.cjs$/, '');
}

/** Bytes, one character each, as text for a message. */
export function toText(bytes: string): string {
  return bytesToText(Buffer.from(bytes, 'latin1'));
}

function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function isDamaged(text: string): boolean {
  return text.includes('\uFFFD');
}

/** The NUL-terminated strings of a file in /proc; none where there is no /proc. */
function procStrings(path: string): string[] {
  try {
    return fileSystem.readFileSync(path).toString('latin1').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}
