/**
 * Decides, while chunks are distributed into buckets, whether the next ones are too. Knows the sizes of buckets, not
 * their text.
 */
import type { DistributionLimits } from '../../keys/splitters.js';

/** Counts the bytes distributed to each bucket, and decides whether to continue. */
export class Distribution {
  goesOn = true;
  private readonly limits: DistributionLimits;
  private readonly buckets: Float64Array;
  private total = 0;

  constructor(buckets: number, limits: DistributionLimits) {
    this.buckets = new Float64Array(buckets);
    this.limits = limits;
  }

  /** Adds a distributed text, given the ends of its buckets. */
  add(ends: readonly number[]): void {
    const { bucketBytes, bytes, share, judgedBytes } = this.limits;
    this.total += ends.at(-1)!;
    for (const [bucket, end] of ends.entries()) {
      const sum = (this.buckets[bucket] += end - (ends[bucket - 1] ?? 0));
      if (sum > bucketBytes || (this.total >= judgedBytes && sum > share * this.total)) this.goesOn = false;
    }
    if (this.total >= bytes) this.goesOn = false;
  }
}
