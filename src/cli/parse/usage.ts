/** Errors of the command line. */
import { GpusortError } from '../../report/errors.js';

/** GNU's two lines: the error, and the reference to --help. `before` is printed between them. */
export function usageError(message: string, programName: string, before = '', exitCode = 2): GpusortError {
  return new GpusortError('usage', message, {
    exitCode,
    hint: `${before}Try '${programName} --help' for more information.`,
  });
}

/** Incompatible options: GNU's letters in one word, or several words. */
export function incompatible(...options: string[]): GpusortError {
  return new GpusortError('usage', `options ${options.map((option) => `'${option}'`).join(' and ')} are incompatible`);
}
