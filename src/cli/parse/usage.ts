/** Makes the errors of the command line, in GNU sort's words, with a suggestion if there is one. */
import { GpusortError } from '../../system/errors.js';
import { GNU_NAME } from './argv.js';

interface Details {
  /** Lines between the error and the reference to --help. */
  readonly list?: string;
  /** Default: 2. */
  readonly exitCode?: number;
  /** The option or word that the user probably meant, if one is similar. */
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

/**
 * The candidate that is the fewest edits from `word`, ignoring case. An edit adds, removes or replaces a letter, or
 * swaps it with the next one; the first letter counts as two, because few people mistype it. Of equally close
 * candidates, the first one. Undefined if all need more edits than a typing error: one in words of three to seven
 * letters, two in longer words. So --date is not --mate, and --config is not --contigs.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = word.length < 3 ? 0 : word.length < 8 ? 1 : 2;
  let [best, fewest]: [string | undefined, number] = [undefined, most + 1];
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** The price of the edits between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  // What is added or removed before the other word begins changes its first letter.
  let above = Array.from({ length: b.length + 1 }, (_, j) => (j === 0 ? 0 : j + 1));
  for (let i = 1; i <= a.length; i++) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const price = i === 1 && j === 1 ? 2 : 1;
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (isSame ? 0 : price));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, above] = [above, row];
  }
  return above[b.length];
}
