/**
 * Stage 3 for few records: stable sorts by (hi, lo) in place. Insertion below INSERTION_MOST records, bottom-up merges of
 * such pieces above it. Know prefixes and record numbers only.
 */

/** Up to this many records, moving them by one place costs less than a level of a merge; a customary size, not tuned. */
export const INSERTION_MOST = 20;

/** Sorts [from, to) of the three arrays by (hi, lo); equal ones stay in order. Quadratic: for short ranges. */
export function insertionSort(hi: Uint32Array, lo: Uint32Array, order: Uint32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const high = hi[i];
    const low = lo[i];
    const r = order[i];
    let j = i - 1;
    for (; j >= from; j--) {
      const h = hi[j];
      if (h < high || (h === high && lo[j] <= low)) break;
      hi[j + 1] = h;
      lo[j + 1] = lo[j];
      order[j + 1] = order[j];
    }
    hi[j + 1] = high;
    lo[j + 1] = low;
    order[j + 1] = r;
  }
}

/** Sorts [from, to) by (hi, lo), stably, with a second set of arrays as room. */
export function mergeSort(
  hi: Uint32Array, lo: Uint32Array, order: Uint32Array,
  hiRoom: Uint32Array, loRoom: Uint32Array, orderRoom: Uint32Array, from: number, to: number,
): void {
  for (let i = from; i < to; i += INSERTION_MOST) insertionSort(hi, lo, order, i, Math.min(i + INSERTION_MOST, to));
  let h = hi, l = lo, o = order;
  let h2 = hiRoom, l2 = loRoom, o2 = orderRoom;
  for (let width = INSERTION_MOST; width < to - from; width *= 2) {
    for (let left = from; left < to; left += 2 * width) {
      const middle = Math.min(left + width, to);
      const right = Math.min(left + 2 * width, to);
      let i = left, j = middle;
      for (let k = left; k < right; k++) {
        const takeRight = i >= middle || (j < right && (h[j] < h[i] || (h[j] === h[i] && l[j] < l[i])));
        const source = takeRight ? j++ : i++;
        h2[k] = h[source];
        l2[k] = l[source];
        o2[k] = o[source];
      }
    }
    let t = h; h = h2; h2 = t;
    t = l; l = l2; l2 = t;
    t = o; o = o2; o2 = t;
  }
  if (o !== order) {
    hi.set(h.subarray(from, to), from);
    lo.set(l.subarray(from, to), from);
    order.set(o.subarray(from, to), from);
  }
}
