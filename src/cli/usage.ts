/** The error for a command line that cannot be understood. */
import { GpusortError } from '../report/errors.js';

/** GNU's two lines: what is wrong and where to look. `before` is printed between them. */
export function usageError(message: string, programName: string, before = ''): GpusortError {
  return new GpusortError('usage', message, { hint: `${before}Try '${programName} --help' for more information.` });
}
