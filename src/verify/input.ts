/** The digest of an input that is read sequentially, in pieces of any length; for -m. */

import type { Ordering } from '../job/job.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { OpenRecord } from './open-record.js';
import { asBuffer } from './pieces.js';
import type { Summer } from './summer.js';

export class InputDigest {
  sum: Digest = NO_RECORDS;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;
  private readonly summer: Summer;
  private open: OpenRecord | null = null;

  /** Records have `ordering.format`. `summer` may be shared. */
  constructor(ordering: Ordering, summer: Summer) {
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
    this.summer = summer;
  }

  add(bytes: Uint8Array): void {
    let text = asBuffer(bytes);
    if (text.length === 0) return;
    if (this.open !== null) {
      const end = this.finder.firstEnd(text, this.open.bytes);
      this.open.add(text.subarray(0, end < 0 ? text.length : end), end >= 0 && this.finder.delimiter !== null);
      if (end < 0) return;
      this.close(this.open);
      text = text.subarray(end);
    }
    const to = text.length === 0 ? 0 : Math.max(0, this.finder.lastEnd(text, 0));
    this.sum = addDigests(this.sum, this.summer.digest(text.subarray(0, to)));
    if (to === text.length) return;
    this.open = new OpenRecord(this.ordering);
    this.open.add(text.subarray(to), false);
  }

  /** Ends the input. A last record without a delimiter counts as if it had one. */
  end(): void {
    if (this.open === null) return;
    if (this.finder.delimiter !== null) this.open.add(Buffer.of(this.finder.delimiter), true);
    this.close(this.open);
  }

  private close(open: OpenRecord): void {
    this.sum = addDigests(
      this.sum,
      open.report((record) => ({ digest: this.summer.digest(record), first: null, last: null, disorder: null })).digest,
    );
    this.open = null;
  }
}
