/** A stable sort of indices with few comparisons, because each one may call ICU. */

/** Compares two numbers; if the result is 0, the order of the list stays. */
export type CompareNumbers = (a: number, b: number) => number;

/** Runs of this length are first sorted by insertion. */
const RUN = 8;

/** Sorts numbers [from, to) of `list`; `spare` is as long as the list. */
export function mergeSort(
  list: Uint32Array,
  spare: Uint32Array,
  from: number,
  to: number,
  compare: CompareNumbers,
): void {
  for (let begin = from; begin < to; begin += RUN) insertionSort(list, begin, Math.min(to, begin + RUN), compare);
  let [source, target] = [list, spare];
  for (let width = RUN; width < to - from; width *= 2) {
    for (let begin = from; begin < to; begin += 2 * width) {
      mergeRuns(source, target, begin, Math.min(to, begin + width), Math.min(to, begin + 2 * width), compare);
    }
    [source, target] = [target, source];
  }
  if (source !== list) list.set(source.subarray(from, to), from);
}

function insertionSort(list: Uint32Array, begin: number, end: number, compare: CompareNumbers): void {
  for (let i = begin + 1; i < end; i++) {
    const number = list[i];
    let place = i;
    for (; place > begin && compare(list[place - 1], number) > 0; place--) list[place] = list[place - 1];
    list[place] = number;
  }
}

/** Merges [begin, middle) and [middle, end) of `source` into `target`. */
function mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  begin: number,
  middle: number,
  end: number,
  compare: CompareNumbers,
): void {
  if (middle === end || compare(source[middle - 1], source[middle]) <= 0) {
    target.set(source.subarray(begin, end), begin);
    return;
  }
  let [a, b, to] = [begin, middle, begin];
  while (a < middle && b < end) target[to++] = compare(source[a], source[b]) <= 0 ? source[a++] : source[b++];
  target.set(source.subarray(a, middle), to);
  target.set(source.subarray(b, end), to + middle - a);
}
