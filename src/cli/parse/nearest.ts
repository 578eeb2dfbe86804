/** Finds what a misspelt word was most likely meant to be. */

/**
 * The candidate with the fewest edits (a letter added, left out, replaced, or swapped with the next one) from `word`,
 * without regard to case; the first one of several. Undefined if all need more edits than a typing error: one in
 * three to five letters, two in a longer word.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
  let [best, fewest]: [string | undefined, number] = [undefined, most + 1];
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** The number of edits between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, above] = [above, row];
  }
  return above[b.length];
}
