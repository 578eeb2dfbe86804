/**
 * Stage 5: copies records in order. Knows text, starts and an order; no keys.
 */
import { DROPPED } from './refine.js';

/**
 * Records of up to this many bytes are copied in words, longer ones by a call (about 60 ns each, 4 bytes in 1.3 ns by words).
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

/**
 * Copies the records order[0..count) of `source` side by side to `at` in `target`, leaving DROPPED ones out. Where the first,
 * the INDEX_STEP-th, ... copied record went is appended to `index`, counted from `at`. Returns the number of records copied; their
 * bytes end at the returned place.
 */
export function gatherRecords(
  source: Text, starts: Uint32Array, order: Uint32Array, count: number, target: Text, at: number, index: number[],
): { records: number; end: number } {
  const from = source.view;
  const to = target.view;
  let place = at;
  let records = 0;
  for (let i = 0; i < count; i++) {
    const r = order[i];
    if (r === DROPPED) continue;
    if ((records & (INDEX_STEP - 1)) === 0) index.push(place - at);
    records++;
    let s = starts[r];
    const end = starts[r + 1];
    const next = place + end - s;
    if (end - s <= WORD_COPY_MOST) for (; s < end; s += 4, place += 4) to.setUint32(place, from.getUint32(s, true), true);
    else target.bytes.set(source.bytes.subarray(s, end), place);
    place = next;
  }
  return { records, end: place };
}
