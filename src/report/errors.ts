/**
 * The one error class: a stable code, data, a sentence for the user, an exit status.
 */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

export type ErrorCode =
  | 'usage' | 'cannot-read' | 'cannot-write' | 'read-failed' | 'write-failed' | 'no-temporary-space' | 'compress-failed'
  | 'bad-records' | 'input-changed' | 'disorder' | 'no-adapter' | 'device-lost' | 'out-of-device-memory' | 'out-of-memory' | 'broken-pipe' | 'internal';

/** GNU's texts for the system errors a sort meets; others have Node's. */
const SYSTEM_TEXT: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  ENOSPC: 'No space left on device',
  EDQUOT: 'Disk quota exceeded',
  EIO: 'Input/output error',
  EROFS: 'Read-only file system',
  EMFILE: 'Too many open files',
  ENFILE: 'Too many open files in system',
  EBADF: 'Bad file descriptor',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  EFBIG: 'File too large',
  EINVAL: 'Invalid argument',
  ENXIO: 'No such device or address',
  ETXTBSY: 'Text file busy',
  EAGAIN: 'Resource temporarily unavailable',
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EINTR: 'Interrupted system call',
  ENODEV: 'No such device',
  ENOMEM: 'Cannot allocate memory',
  EPIPE: 'Broken pipe',
  ESTALE: 'Stale file handle',
  ETIMEDOUT: 'Connection timed out',
};

/** The names of the system's errors by their numbers, as far as Node has a constant for them. */
const ERROR_NAMES = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

export class GpusortError extends Error {
  readonly code: ErrorCode;
  /** 1 for disorder, 2 for any trouble. */
  readonly exitCode: number;
  /** What to do about it; printed on a second line. */
  readonly hint: string | undefined;
  /** What ends the message: a newline, but NUL where records end so. */
  readonly end: string;

  constructor(code: ErrorCode, message: string, options: { exitCode?: number; hint?: string; end?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'GpusortError';
    this.code = code;
    this.exitCode = options.exitCode ?? 2;
    this.hint = options.hint;
    this.end = options.end ?? '\n';
  }
}

/** The system's own sentence for a failed call, for example `No such file or directory`. */
export function systemText(error: unknown): string {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  // Node has no name for some errors, and a text of its own for most.
  const name = SYSTEM_TEXT[code] === undefined ? ERROR_NAMES.get(Math.abs(errno ?? 0)) ?? code : code;
  const text = SYSTEM_TEXT[name] ?? [...getSystemErrorMap().values()].find(([other]) => other === name)?.[1];
  return text === undefined ? 'Unknown error' : text[0]!.toUpperCase() + text.slice(1);
}

/** A fault of gpusort itself, which a user can do nothing about. */
export function internalError(what: string): GpusortError {
  return new GpusortError('internal', `internal error: ${what}`,
    { hint: 'please report this, with the command and GPUSORT_DEBUG=1 in its environment' });
}

/** A failed system call on `name` as GNU sort reports it: `cannot read: x: No such file or directory`. */
export function systemError(code: ErrorCode, action: string, name: string, error: unknown, hint?: string): GpusortError {
  return new GpusortError(code, `${action}: ${name}: ${systemText(error)}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
