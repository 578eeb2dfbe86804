/** Short texts for tests. */

/** The words of some rows, separated by spaces; in a word, `␣` stands for a space, and `∅` is no text. */
export function words(...rows: readonly string[]): string[] {
  return rows.flatMap((row) => row.split(' ')).map((word) => (word === '∅' ? '' : word.replaceAll('␣', ' ')));
}
