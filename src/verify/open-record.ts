/** Assembles a record of the output that spans blocks. Holds only the beginning of a very long one. */

import type { Ordering } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { isKeyed } from '../keys/keyed.js';
import type { Digest } from '../report/digest.js';
import type { BatchReport } from './batch-checker.js';
import { type LongRecord, Summer } from './summer.js';

/** Maximum bytes held of a line that is compared as it is. Lines with a longer common prefix count as equal. */
export const HELD_BYTES = 64 << 20;

export class OpenRecord {
  /** Bytes so far, including the delimiter once it has arrived. */
  bytes = 0;
  private readonly ordering: Ordering;
  private readonly most: number;
  private pieces: Buffer[] = [];
  /** Of a longer record: its beginning, and its hash so far. */
  private long: { readonly head: Buffer; readonly hash: LongRecord } | null = null;

  constructor(ordering: Ordering, most = HELD_BYTES) {
    this.ordering = ordering;
    // Keys and collations need whole records.
    this.most = ordering.format.kind === 'fixed' || isKeyed(ordering) || isCollated(ordering) ? Infinity : most;
  }

  /** Adds the next bytes. `ends`: they end the record and include its delimiter. */
  add(text: Buffer, ends: boolean): void {
    this.bytes += text.length;
    const hashed = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - Number(ends));
    if (this.long !== null) {
      this.long.hash.add(hashed(text));
      return;
    }
    this.pieces.push(Buffer.from(text));
    if (this.bytes <= this.most) return;
    const whole = Buffer.concat(this.pieces);
    this.pieces = [];
    this.long = { head: whole.subarray(0, this.most), hash: new Summer(this.ordering.format).openRecord() };
    this.long.hash.add(hashed(whole));
  }

  /** The digest so far, as if the record ended here. A record that is not held has only its length. */
  digest(summer: Summer): Digest {
    if (this.long !== null) return { records: 1, bytes: this.bytes, hash: 0n };
    const hash = summer.openRecord();
    for (const piece of this.pieces) hash.add(piece);
    return hash.close();
  }

  /** The report of the complete record. `check` makes it if the record is short. */
  report(check: (text: Uint8Array) => BatchReport): BatchReport {
    if (this.long === null) return check(Buffer.concat(this.pieces));
    const { head, hash } = this.long;
    return { digest: hash.close(), first: head, last: head, disorder: null };
  }
}
