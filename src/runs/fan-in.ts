/**
 * Decides how many texts a merge takes at once, how large their windows are, and which texts are merged in advance if
 * there are more. It applies to the runs of a sort and to the inputs of -m.
 */

/** The memory for windows. */
export interface WindowSizes {
  /** Total bytes for all windows, and for runs that stay in memory during the merge. */
  readonly bytes: number;
  /** Minimum bytes of a window. */
  readonly least: number;
}

/** A larger window makes no read faster. */
const MOST_WINDOW = 8 << 20;
/** A smaller one is too short for many records. */
const SHORTEST_WINDOW = 4 << 10;

/** The number of texts that have two windows each in `bytes` bytes. At least two: a merge must reduce their number. */
export function mostTexts(bytes: number, least: number): number {
  return Math.max(2, Math.floor(bytes / (2 * least)));
}

/**
 * The bytes of a window if `texts` texts have two each in `bytes` bytes: one is merged while the other is filled.
 * Smaller than `least` if large records prevent texts from being merged in advance.
 */
export function windowBytes(texts: number, bytes: number, least: number, most: number): number {
  const share = Math.floor(bytes / (2 * texts));
  const smallest = texts > 2 ? Math.min(least, Math.max(SHORTEST_WINDOW, share)) : least;
  return Math.max(smallest, Math.min(most, MOST_WINDOW, share));
}

/** `count` texts of a list, from index `from` on. */
export interface Neighbors {
  readonly from: number;
  readonly count: number;
}

/**
 * The merges that leave at most `most` of the texts with these sizes in bytes. Each merges neighbors into one text,
 * which replaces them in the list; equal records thus stay in the order of the texts. Merges as few texts as possible,
 * always the neighbors with the fewest bytes: each byte is read and written about once per level of merges. Neighbors
 * on both sides of a border, an index before which something else is placed, are not merged.
 */
export function* mergesInAdvance(
  sizes: readonly number[],
  most: number,
  borders: Iterable<number> = [],
): Generator<Neighbors & { readonly bytes: number }> {
  const texts = [...sizes];
  let apart = new Set(borders);
  while (texts.length > most) {
    const count = Math.min(most, texts.length - most + 1, longestBetween(apart, texts.length));
    if (count < 2) return;
    const from = fewestBytes(texts, count, apart);
    const bytes = texts.slice(from, from + count).reduce((sum, size) => sum + size, 0);
    yield { from, count, bytes };
    texts.splice(from, count, bytes);
    apart = new Set([...apart].map((border) => (border > from ? border - count + 1 : border)));
  }
}

/** The maximum number of texts without a border inside, of `count` texts. */
function longestBetween(borders: ReadonlySet<number>, count: number): number {
  let [before, longest] = [0, 0];
  for (const border of [...borders].filter((one) => one > 0 && one < count).sort((a, b) => a - b)) {
    longest = Math.max(longest, border - before);
    before = border;
  }
  return Math.max(longest, count - before);
}

/** The index where the `count` neighbors with the fewest bytes begin, the first of several, without a border inside. */
function fewestBytes(sizes: readonly number[], count: number, borders: ReadonlySet<number>): number {
  let [sum, least, found, first] = [0, Infinity, 0, 0];
  for (let i = 0; i < sizes.length; i++) {
    if (borders.size > 0 && borders.has(i)) first = i;
    sum += sizes[i];
    if (i >= count) sum -= sizes[i - count];
    const from = i + 1 - count;
    if (from < first || sum >= least) continue;
    least = sum;
    found = from;
  }
  return found;
}
