/**
 * A chunk from input order into buckets, each of which has its records in the order of the input: tokenize, count and fill, one tile at a time, then one bucket behind the other.
 */
import type { Splitters } from '../keys/splitters.js';
import type { Steps } from '../steps.js';
import { ITEM_BYTES, layOut, SLACK, STEP_RECORDS, type Kernels, type PlacedText } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { Shape } from './shape.js';
import { readTile, tileSizes } from './tiles.js';

/** Bytes of a sum of bytes, and of a bucket's end. */
const SUM_BYTES = 4;

/** The kernels with splitters to distribute by, which lie where their free memory began. */
export function placeSplitters(kernels: Kernels, { prefix, keys }: Splitters): Kernels {
  const [table, text] = layOut(kernels, [keys.byteLength, prefix.length]);
  new BigUint64Array(kernels.memory.buffer, table!, keys.length).set(keys);
  new Uint8Array(kernels.memory.buffer).set(prefix, text!);
  kernels.setSplitters(table!, keys.length + 1, text!, prefix.length);
  return { ...kernels, free: text! + prefix.length + SLACK };
}

/** Distributes a text to where `into` says, which is told how many bytes that takes. */
export function* distributeText(kernels: Kernels, shape: Shape, { begin, end }: PlacedText, buckets: number, into: (bytes: number) => Uint8Array): Steps<Outcome> {
  const target = into(end - begin);
  if (begin === end) return { bytes: 0, records: 0, index: new Uint32Array(), buckets: new Array<number>(buckets).fill(0) };
  const { tileBytes, tileRecords, mostTiles } = tileSizes(shape, end - begin);
  const [items, text, sums] = layOut(kernels, [tileRecords * ITEM_BYTES, end - begin + mostTiles * buckets * SLACK, buckets * SUM_BYTES], end + SLACK) as [number, number, number];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets);
  const tiles: { begins: Uint32Array; ends: Uint32Array }[] = [];
  let place = text;
  let records = 0;
  for (let from = begin; from < end;) {
    ends.fill(0);
    const count = readTile(kernels, shape, { items, tileBytes, tileRecords }, from, end, (at, step) => kernels.countBuckets(at, step, sums));
    from = kernels.textEnd(items, count);
    yield;
    records += count;
    kernels.placeBuckets(sums, buckets, place);
    const begins = ends.slice();
    for (let at = 0; at < count; at += STEP_RECORDS) kernels.fillBuckets(items + at * ITEM_BYTES, Math.min(STEP_RECORDS, count - at), sums);
    tiles.push({ begins, ends: ends.slice() });
    place = ends[buckets - 1]! + SLACK;
  }
  let at = 0;
  const bucketEnds = Array.from({ length: buckets }, (_, bucket) => {
    for (const tile of tiles) {
      const part = new Uint8Array(kernels.memory.buffer, tile.begins[bucket]!, tile.ends[bucket]! - tile.begins[bucket]!);
      target.set(part, at);
      at += part.length;
    }
    return at;
  });
  return { bytes: at, records, index: new Uint32Array(), buckets: bucketEnds };
}
