/**
 * The command line and the environment as bytes. Node decodes both as UTF-8, which turns other bytes into U+FFFD; where that
 * happened the bytes are read again from /proc. Here a string is one character a byte ("latin1"), so that nothing is lost.
 */
import { basename } from 'node:path';
import { fileSystem } from '../file-system.js';
import { bytesToText } from '../report/raw-text.js';

/** Names the process whose command line and environment are this one's, which it started (restart.ts). */
const STARTER = 'GPUSORT_STARTED_BY';

/** The process of that name's value, if it is the parent. */
function starter(): string {
  const pid = process.env[STARTER];
  return pid !== undefined && Number(pid) === process.ppid ? pid : 'self';
}

/** What a process that this one starts in its own place must find in its environment. */
export function startedAs(): Readonly<Record<string, string>> { return { [STARTER]: String(process.pid) }; }

/** The process that started the program: not one that did so in its own place. */
export function parentProcess(): number {
  if (starter() === 'self') return process.ppid;
  const status = fileSystem.readFileSync(`/proc/${process.ppid}/status`).toString('latin1');
  return Number(/^PPid:\s+([0-9]+)/m.exec(status)?.[1] ?? process.ppid);
}

/** The arguments after the program's name, one character a byte. */
export function rawArguments(): string[] {
  const decoded = process.argv.slice(2);
  if (!decoded.some(isDamaged)) return decoded.map(toBytes);
  // Options of Node itself come first, so the arguments are counted from the end.
  const raw = procStrings(`/proc/${starter()}/cmdline`).slice(-decoded.length);
  const isSame = raw.length === decoded.length && raw.every((word, i) => Buffer.from(word, 'latin1').toString('utf8') === decoded[i]);
  return isSame ? raw : decoded.map(toBytes);
}

/** A variable of the environment, one character a byte; undefined where it is not set. */
export function rawVariable(name: string): string | undefined {
  const decoded = process.env[name];
  if (decoded === undefined || !isDamaged(decoded)) return decoded === undefined ? undefined : toBytes(decoded);
  const entry = procStrings(`/proc/${starter()}/environ`).find(candidate => candidate.startsWith(`${name}=`));
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
