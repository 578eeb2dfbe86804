/** Makes the errors of the command line, in GNU sort's words, with a suggestion if there is one. */
import { GpusortError } from '../../system/errors.js';

/** Under this name messages are GNU sort's to the byte, so they end without a suggestion. */
export const GNU_NAME = 'sort';

interface Details {
  /** Lines between the error and the reference to --help. */
  readonly list?: string;
  /** Default 2. */
  readonly exitCode?: number;
  /** What the user probably meant, if anything is near what was written. */
  readonly meant?: string | undefined;
}

/** GNU's two lines: the error, and the reference to --help. */
export function usageError(
  message: string,
  programName: string,
  { list = '', exitCode = 2, meant }: Details = {},
): GpusortError {
  const suggestion = meant === undefined || programName === GNU_NAME ? '' : `\nDid you mean '${meant}'?`;
  return new GpusortError('usage', message, {
    exitCode,
    hint: `${list}Try '${programName} --help' for more information.${suggestion}`,
  });
}

/** Incompatible options: GNU's letters in one word, or several words. */
export function incompatible(...options: string[]): GpusortError {
  return new GpusortError('usage', `options ${options.map((option) => `'${option}'`).join(' and ')} are incompatible`);
}
