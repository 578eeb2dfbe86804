/** The one error class: a stable code, a sentence for the user, a remedy and an exit status. */
import { isLinux } from './platform.js';
import { SYSTEM_TEXTS } from './system-texts.js';

/** The kinds of errors, one word each. */
export type ErrorCode =
  | 'usage'
  | 'cannot-read'
  | 'cannot-write'
  | 'read-failed'
  | 'write-failed'
  | 'no-temporary-space'
  | 'compress-failed'
  | 'bad-records'
  | 'input-changed'
  | 'disorder'
  | 'verify-failed'
  | 'no-adapter'
  | 'device-lost'
  | 'out-of-device-memory'
  | 'out-of-memory'
  | 'scheduler-failed'
  | 'interrupted'
  | 'broken-pipe'
  | 'internal';

/** An error with a sentence for the user. Its code stays the same in later versions; the sentence may change. */
export class GpusortError extends Error {
  /** The kind of error. */
  readonly code: ErrorCode;
  /** 1 for disorder, 2 for all other errors. */
  readonly exitCode: number;
  /** The remedy, printed on a second line. */
  readonly hint: string | undefined;
  /** The end of the message: a newline, or NUL if records end in NUL. */
  readonly end: string;

  constructor(
    code: ErrorCode,
    message: string,
    options: { exitCode?: number; hint?: string; end?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'GpusortError';
    this.code = code;
    this.exitCode = options.exitCode ?? 2;
    this.hint = options.hint;
    this.end = options.end ?? '\n';
  }
}

/**
 * The system's sentence for a failed call, for example `No such file or directory`; for other errors the first line of
 * their message. Never only a code.
 */
export function systemText(error: unknown): string {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  const number = isLinux() ? String(-(errno ?? 0)) : '';
  const known = code === undefined ? undefined : (SYSTEM_TEXTS[code] ?? SYSTEM_TEXTS[number]);
  if (known !== undefined) return known;
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0];
  // Node writes `ECODE: what happened, call 'file'`.
  const text =
    code === undefined || !message.startsWith(`${code}: `)
      ? message
      : message.slice(code.length + 2).replace(/, \w+( '.*)?$/, '');
  return text === '' || text === code || /^Unknown system error/.test(text)
    ? 'Unknown error'
    : text.replace(/\b(E[A-Z0-9]+)$/, (word) => SYSTEM_TEXTS[word] ?? word);
}

/** Whether the runtime ran out of memory for a buffer or for kernels. */
export function isOutOfMemory(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(WebAssembly\.|Array buffer allocation failed|Failed to allocate memory)/.test(error.message)
  );
}

/**
 * The error of a task as the user reads it: if memory ran out, here or in a worker thread, an error with `message` and
 * a remedy. Any other error is returned unchanged.
 */
export function explainMemory(
  error: unknown,
  message = 'memory exhausted',
  hint = 'Use a smaller -S or --parallel.',
): unknown {
  if (!(error instanceof Error) || error instanceof GpusortError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const exhausted = code === 'ERR_WORKER_OUT_OF_MEMORY' || isOutOfMemory(error) || /memory/i.test(error.message);
  return exhausted ? new GpusortError('out-of-memory', message, { cause: error, hint }) : error;
}

/** The error for a bug in gpusort, for which the user has no remedy. */
export function internalError(what: string): GpusortError {
  return new GpusortError('internal', `internal error: ${what}`, {
    hint: 'Please report this, with the command and what it prints if GPUSORT_DEBUG=1 is set.',
  });
}

/** A clause as a sentence; file names keep their case. */
export const sentence = (clause: string): string => `${clause.replace(/^the /, 'The ')}.`;

/**
 * The error for a failed system call on `name`, as GNU sort reports it: `cannot read: x: No such file or directory`.
 */
export function systemError(
  code: ErrorCode,
  action: string,
  name: string,
  error: unknown,
  hint?: string,
): GpusortError {
  return new GpusortError(code, `${action}: ${name}: ${systemText(error)}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}
