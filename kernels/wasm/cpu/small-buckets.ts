/**
 * Distributes small records into buckets by the splitters of distribute.ts, without items. A record's bucket is found
 * once and kept until all buckets are counted.
 */
import { bucketOf } from './distribute';
import { size } from './shape';
import { moveSmall, smallKey } from './small-record';

/**
 * Writes the bucket numbers of the records in [from, to) to `numbers`, 2 bytes each, and adds their bytes to the sums
 * of the buckets, 4 bytes each at `sums`.
 */
export function countSmallBuckets(from: usize, to: usize, numbers: usize, sums: usize): void {
  for (let at = from; at < to; at += size, numbers += 2) {
    const bucket = bucketOf(smallKey(at));
    store<u16>(numbers, <u16>bucket);
    const sum = sums + (<usize>bucket << 2);
    store<u32>(sum, load<u32>(sum) + size);
  }
}

/** Appends the records in [from, to) to their buckets, whose ends are at `ends`. */
export function fillSmallBuckets(from: usize, to: usize, numbers: usize, ends: usize): void {
  for (let at = from; at < to; at += size, numbers += 2) {
    const end = ends + (<usize>load<u16>(numbers) << 2);
    const place = load<u32>(end);
    store<u32>(end, place + size);
    moveSmall(at, place);
  }
}
