/**
 * The one error class: a stable code, data, a sentence for the user, an exit status.
 */

export type ErrorCode =
  | 'usage' | 'cannot-read' | 'cannot-write' | 'read-failed' | 'write-failed' | 'no-temporary-space' | 'compress-failed'
  | 'bad-records' | 'input-changed' | 'disorder' | 'no-adapter' | 'device-lost' | 'out-of-device-memory' | 'out-of-memory' | 'broken-pipe';

/** GNU's texts for the system errors a sort meets; others fall back to the code itself. */
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
  EBUSY: 'Device or resource busy',
  EINTR: 'Interrupted system call',
};

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
  const code = (error as NodeJS.ErrnoException)?.code;
  if (code !== undefined) return SYSTEM_TEXT[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

/** A failed system call on `name` as GNU sort reports it: `cannot read: x: No such file or directory`. */
export function systemError(code: ErrorCode, action: string, name: string, error: unknown, hint?: string): GpusortError {
  return new GpusortError(code, `${action}: ${name}: ${systemText(error)}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
