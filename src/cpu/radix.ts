/**
 * Stage 3 for many records: stable least-significant-digit radix sort by the leading bytes of (hi, lo). Knows prefixes and
 * record numbers only.
 *
 * Not all eight digits are sorted by: a sample says how many leading bytes tell nearly all records apart, and what they leave
 * tied is refined from the text, which costs less than the passes saved. Digits with one full bin are skipped. Digits are
 * bytes, so that the width can be chosen in them; a pass over 11 bits costs 5.9 ns a record, over 8 bits 5.4 ns.
 */

/** Prefixes looked at to choose how many leading bytes to sort by. */
const SAMPLE = 512;
/** Records expected to be tied with each record after the sort: a look into the text each, against a pass for all. Not tuned. */
const TIES_WANTED = 0.25;

/** Histograms of all eight digits; one workspace for the thread. */
const counts = new Uint32Array(8 * 256);

/**
 * How many leading bytes (1 to 8) should be sorted by: the fewest that leave at most TIES_WANTED ties a record, where each
 * byte is taken to tell apart as many values as a random pair would show (1 over the chance that two are equal).
 */
export function chooseWidth(hi: Uint32Array, lo: Uint32Array, from: number, to: number): number {
  counts.fill(0);
  const step = (to - from) / SAMPLE;
  for (let s = 0; s < SAMPLE; s++) {
    const i = from + Math.floor(s * step);
    const h = hi[i];
    const l = lo[i];
    counts[h >>> 24]++;
    counts[256 + (h >>> 16 & 255)]++;
    counts[512 + (h >>> 8 & 255)]++;
    counts[768 + (h & 255)]++;
    counts[1024 + (l >>> 24)]++;
    counts[1280 + (l >>> 16 & 255)]++;
    counts[1536 + (l >>> 8 & 255)]++;
    counts[1792 + (l & 255)]++;
  }
  let ties = to - from;
  for (let digit = 0; digit < 8; digit++) {
    let squares = 0;
    for (let bin = 0; bin < 256; bin++) squares += counts[digit * 256 + bin] ** 2;
    ties *= squares / (SAMPLE * SAMPLE);
    if (ties <= TIES_WANTED) return digit + 1;
  }
  return 8;
}

/**
 * Sorts [from, to) of hi, lo and order by the first `width` bytes of (hi, lo), stably; the second set of arrays is room. With a
 * width of at most 4, lo is left as it was.
 */
export function radixSort(
  hi: Uint32Array, lo: Uint32Array, order: Uint32Array,
  hiRoom: Uint32Array, loRoom: Uint32Array, orderRoom: Uint32Array, from: number, to: number, width: number,
): void {
  countDigits(hi, lo, from, to, width);
  let h = hi, l = lo, o = order;
  let h2 = hiRoom, l2 = loRoom, o2 = orderRoom;
  for (let digit = width - 1; digit >= 0; digit--) {
    if (!placeBins(digit, from, to)) continue;
    const shift = (3 - (digit & 3)) << 3;
    const next = counts.subarray(digit * 256, digit * 256 + 256);
    if (width <= 4) scatterPairs(h, o, h2, o2, from, to, shift, next);
    else if (digit < 4) scatterTriples(h, l, o, h2, l2, o2, from, to, shift, next);
    else scatterTriples(l, h, o, l2, h2, o2, from, to, shift, next);
    let t = h; h = h2; h2 = t;
    t = l; l = l2; l2 = t;
    t = o; o = o2; o2 = t;
  }
  if (o !== order) {
    hi.set(h.subarray(from, to), from);
    if (width > 4) lo.set(l.subarray(from, to), from);
    order.set(o.subarray(from, to), from);
  }
}

/** Counts the first `width` digits of all prefixes in one read. */
function countDigits(hi: Uint32Array, lo: Uint32Array, from: number, to: number, width: number): void {
  counts.fill(0);
  for (let i = from; i < to; i++) {
    const h = hi[i];
    counts[h >>> 24]++;
    counts[256 + (h >>> 16 & 255)]++;
    counts[512 + (h >>> 8 & 255)]++;
    counts[768 + (h & 255)]++;
  }
  if (width <= 4) return;
  for (let i = from; i < to; i++) {
    const l = lo[i];
    counts[1024 + (l >>> 24)]++;
    counts[1280 + (l >>> 16 & 255)]++;
    counts[1536 + (l >>> 8 & 255)]++;
    counts[1792 + (l & 255)]++;
  }
}

/** Turns a digit's counts into the first place of each bin; false where one bin holds everything. */
function placeBins(digit: number, from: number, to: number): boolean {
  let place = from;
  for (let bin = digit * 256; bin < digit * 256 + 256; bin++) {
    const count = counts[bin];
    if (count === to - from) return false;
    counts[bin] = place;
    place += count;
  }
  return true;
}

function scatterPairs(
  key: Uint32Array, order: Uint32Array, keyTo: Uint32Array, orderTo: Uint32Array,
  from: number, to: number, shift: number, next: Uint32Array,
): void {
  for (let i = from; i < to; i++) {
    const k = key[i];
    const place = next[k >>> shift & 255]++;
    keyTo[place] = k;
    orderTo[place] = order[i];
  }
}

function scatterTriples(
  key: Uint32Array, other: Uint32Array, order: Uint32Array, keyTo: Uint32Array, otherTo: Uint32Array, orderTo: Uint32Array,
  from: number, to: number, shift: number, next: Uint32Array,
): void {
  for (let i = from; i < to; i++) {
    const k = key[i];
    const place = next[k >>> shift & 255]++;
    keyTo[place] = k;
    otherTo[place] = other[i];
    orderTo[place] = order[i];
  }
}
