/** Binary searches over indexes. Searches of text, whose records have no numbers, are in src/runs. */

/**
 * The first index in [from, to) for which `holds` is true; `to` if there is none. Once it is true, it must be true for
 * all later ones.
 */
export function firstIndex(from: number, to: number, holds: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The last index in [from, to) for which `holds` is true; it must be true for `from`, and for all indexes before
 * another for which it is true.
 */
export function lastIndex(from: number, to: number, holds: (index: number) => boolean): number {
  return firstIndex(from + 1, to, (index) => !holds(index)) - 1;
}
