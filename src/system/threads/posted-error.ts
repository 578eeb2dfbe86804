/** Passes errors between threads. A structured clone of a GpusortError is an Error without code and remedy. */
import { type ErrorCode, GpusortError } from '../errors.js';

/** `details`: the properties that the clone lacks; null: the error is not a GpusortError. */
export interface PostedError {
  readonly error: unknown;
  readonly details: {
    readonly code: ErrorCode;
    readonly exitCode: number;
    readonly hint?: string;
    readonly end: string;
  } | null;
}

export function postedError(error: unknown): PostedError {
  if (!(error instanceof GpusortError)) return { error, details: null };
  const { code, exitCode, hint, end } = error;
  return { error, details: { code, exitCode, end, ...(hint === undefined ? {} : { hint }) } };
}

/** The error as it was before it was posted; its cause is the clone. */
export function receivedError({ error, details }: PostedError): unknown {
  if (details === null) return error;
  return new GpusortError(details.code, (error as Error).message, { ...details, cause: error });
}
