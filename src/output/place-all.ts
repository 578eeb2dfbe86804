/**
 * Puts several complete outputs in place, in order. Nothing is put in place if it is known that one of them cannot be.
 * The first failure stops: its message says which files are complete, and where the output for the others is.
 */
import { atExit } from '../report/cleanup.js';
import { warn } from '../report/warnings.js';
import { GpusortError, sentence } from '../system/errors.js';
import type { Destination } from './destination.js';

export async function placeAll(files: readonly Destination[]): Promise<void> {
  // The end of the program must not remove an output while another one, which belongs to it, is in place already.
  for (const file of files) file.keep();
  let placed = 0;
  const forget = atExit(() => {
    for (const file of files.slice(placed + 1)) {
      const where = file.keep();
      if (where !== null) warn(where);
    }
  });
  let at = 0;
  try {
    for (; at < files.length; at++) files[at].check();
    for (at = 0; at < files.length; at++) {
      await files[at].place();
      placed++;
    }
  } catch (error) {
    const kept = files.filter((_, i) => i >= placed && i !== at);
    throw withOthers(error, files.slice(0, placed), kept);
  } finally {
    forget();
  }
}

/** The error of one output, with what became of others: some are in place; others are complete and get kept. */
export function withOthers(error: unknown, placed: readonly Destination[], others: readonly Destination[]): unknown {
  if (!(error instanceof GpusortError)) return error;
  const { code, message, hint, exitCode, end, cause } = error;
  const sentences = [
    ...(hint === undefined ? [] : [hint]),
    ...placed.map(({ label }) => `${label} is complete.`),
    ...others.flatMap((file) => {
      const where = file.keep();
      return where === null ? [] : [sentence(where)];
    }),
  ];
  return new GpusortError(code, message, { exitCode, end, cause, hint: sentences.join(' ') });
}
