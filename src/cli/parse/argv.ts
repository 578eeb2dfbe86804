/**
 * The command line and the environment as bytes. Node decodes both as UTF-8 and turns invalid bytes into U+FFFD. If
 * that happened, this file reads the bytes again from /proc. To keep all bytes, its strings have one character per byte
 * ("latin1").
 */
import { basename } from 'node:path';
import type { FileName } from '../../job/job.js';
import { bytesToText } from '../../report/names.js';
import { fileSystem } from '../../system/file-system.js';

/**
 * If the program is called by this name, messages match GNU sort's byte for byte, without suggestions, and keys accept
 * only GNU's letters.
 */
export const GNU_NAME = 'sort';

/** Holds the id of the process that restarted itself as this one, with the same command line (stand-in.ts). */
const STARTER = 'GPUSORT_STARTED_BY';

/** The id in STARTER if it is the parent's; otherwise the name of this process in /proc. */
export function starter(): string {
  const pid = process.env[STARTER];
  return pid !== undefined && Number(pid) === process.ppid ? pid : 'self';
}

/** Environment variables for the process that this one restarts itself as. */
export function startedAs(): Readonly<Record<string, string>> {
  return { [STARTER]: String(process.pid) };
}

/** The process that started the program, not counting a process of gpusort itself (stand-in.ts). */
export function parentProcess(): number {
  if (starter() === 'self') return process.ppid;
  const status = fileSystem.readFileSync(`/proc/${process.ppid}/status`).toString('latin1');
  return Number(/^PPid:\s+([0-9]+)/m.exec(status)?.[1] ?? process.ppid);
}

/** The arguments after the program's name, one character per byte. */
export function rawArguments(): string[] {
  const decoded = process.argv.slice(2);
  if (!decoded.some(isDamaged)) return decoded.map(toBytes);
  // Options of Node come first, so the arguments are counted from the end.
  const raw = procStrings(`/proc/${starter()}/cmdline`).slice(-decoded.length);
  const isSame =
    raw.length === decoded.length &&
    raw.every((word, i) => Buffer.from(word, 'latin1').toString('utf8') === decoded[i]);
  return isSame ? raw : decoded.map(toBytes);
}

/** A variable of the environment, one character per byte; undefined if it is not set. */
export function rawVariable(name: string): string | undefined {
  const decoded = process.env[name];
  if (decoded === undefined || !isDamaged(decoded)) return decoded === undefined ? undefined : toBytes(decoded);
  const entry = procStrings(`/proc/${starter()}/environ`).find((candidate) => candidate.startsWith(`${name}=`));
  return entry === undefined ? toBytes(decoded) : entry.slice(name.length + 1);
}

/** The name by which the program was called: `sort` if a link of that name runs it. */
export function programName(): string {
  return basename(process.argv[1] ?? 'gpusort').replace(/\.cjs$/, '');
}

/** Turns bytes, one character each, into text for a message. */
export function toText(bytes: string): string {
  return bytesToText(Buffer.from(bytes, 'latin1'));
}

/** The file name of these bytes, one character each. */
export function toName(bytes: string): NonNullable<FileName> {
  return Buffer.from(bytes, 'latin1');
}

/** The input of this name, or null for standard input. */
export function toInput(bytes: string): FileName {
  return bytes === '-' ? null : toName(bytes);
}

/** Text as the bytes of its UTF-8, one character each. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function isDamaged(text: string): boolean {
  return text.includes('\uFFFD');
}

/** The NUL-terminated strings of a file in /proc; none if there is no /proc. */
function procStrings(path: string): string[] {
  try {
    return fileSystem.readFileSync(path).toString('latin1').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}
