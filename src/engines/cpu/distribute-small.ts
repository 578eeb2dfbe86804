/** Distributes a chunk of small records into buckets, each in input order. */
import type { Steps } from '../../system/steps.js';
import { type CpuKernels, copyOut, layOut, type PlacedText, SLACK } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';
import { parts } from './sort-small.js';

/** Bytes of an element of `sums`: a 32-bit byte count or address. */
const SUM_BYTES = 4;

/** Distributes a text. `into` gives the target for the number of bytes it is passed. */
export function* distributeSmall(
  kernels: CpuKernels,
  { size }: RecordShape,
  { begin, end }: PlacedText,
  buckets: number,
  into: (bytes: number) => Uint8Array,
): Steps<Outcome> {
  const records = (end - begin) / size;
  const [sums, numbers, room] = layOut(kernels, [buckets * SUM_BYTES, records, end - begin], end + SLACK) as [
    number,
    number,
    number,
  ];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets).fill(0);
  for (const [from, to] of parts(begin, end, size))
    kernels.countSmallBuckets(from, to, numbers + (from - begin) / size, sums);
  yield;
  let place = room;
  for (const [bucket, bytes] of ends.entries()) {
    ends[bucket] = place;
    place += bytes;
  }
  for (const [from, to] of parts(begin, end, size))
    kernels.fillSmallBuckets(from, to, numbers + (from - begin) / size, sums);
  yield;
  copyOut(kernels, room, place, into(end - begin));
  return { bytes: end - begin, records, index: new Uint32Array(), buckets: Array.from(ends, (to) => to - room) };
}
