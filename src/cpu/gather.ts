/**
 * Stage 5: copies records in order. Knows text, starts and an order; no keys.
 */
import { DROPPED } from './refine.js';

/**
 * Records of up to this many bytes are copied in words, longer ones by a call (50 to 70 ns each; words take 1.7 ns).
 */
export const WORD_COPY_MOST = 128;

/** Every how many records a run notes where it is: its places are found from there by reading at most as many records. */
export const INDEX_STEP = 64;

/** One piece of memory seen in three ways; made once for each buffer because views cost more than a record's copy. */
export interface Text {
  readonly view: DataView;
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

/** Views of a whole buffer, whose length is a multiple of 4. */
export function textOf(buffer: ArrayBuffer | SharedArrayBuffer): Text {
  return { view: new DataView(buffer), bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) };
}

/** Copies bytes [from, end) of `source` to `place` in `target`, and rubbish behind it where that is to be overwritten. */
export function copyRecord(source: Text, from: number, end: number, target: Text, place: number): void {
  if (end - from > WORD_COPY_MOST) target.bytes.set(source.bytes.subarray(from, end), place);
  else copyWords(source.view, from, end, target.view, place);
}

function copyWords(source: DataView, from: number, end: number, target: DataView, place: number): void {
  for (; from < end; from += 4, place += 4) target.setUint32(place, source.getUint32(from, true), true);
}

/**
 * Copies the records order[0..count) of `source` side by side to `at` in `target`, leaving DROPPED ones out. Where the first,
 * the INDEX_STEP-th, ... copied record went is appended to `index`, counted from `at`. Returns the number of records copied; their
 * bytes end at the returned place.
 */
export function gatherRecords(
  source: Text, starts: Uint32Array, order: Uint32Array, count: number, target: Text, at: number, index: number[],
): { records: number; end: number } {
  let place = at;
  let records = 0;
  for (let i = 0; i < count; i++) {
    const r = order[i];
    if (r === DROPPED) continue;
    if ((records & (INDEX_STEP - 1)) === 0) index.push(place - at);
    records++;
    const begin = starts[r];
    const end = starts[r + 1];
    copyRecord(source, begin, end, target, place);
    place += end - begin;
  }
  return { records, end: place };
}
