/** Digests of text outside WebAssembly's memory: whole records, or one record in pieces. */
import type { Ordering, RecordFormat } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { isKeyed } from '../keys/keyed.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { asBuffer, newMemory } from '../system/memory.js';
import type { BatchReport } from './batch-checker.js';
import { compileVerifyKernels, copyTo, digestAt, openVerifyKernels, type VerifyKernels } from './kernels.js';
import { pieceEnd } from './pieces.js';

/** Bytes per step of the hash. */
const STEP_BYTES = 16;
/** Bytes of a long record copied at once. */
const COPY_BYTES = 1 << 20;

export class Summer {
  private readonly format: RecordFormat;
  private readonly memory = newMemory();
  private readonly kernels: VerifyKernels;

  constructor(format: RecordFormat, module = compileVerifyKernels()) {
    this.format = format;
    this.kernels = openVerifyKernels(module, format, this.memory);
  }

  /** The digest of `text`, whole records. */
  digest(text: Uint8Array): Digest {
    const buffer = asBuffer(text);
    let sum = NO_RECORDS;
    for (let at = 0; at < buffer.length; ) {
      const end = pieceEnd(this.format, buffer, at);
      sum = addDigests(sum, digestAt(this.kernels, 0, copyTo(this.memory, buffer.subarray(at, end), 0)));
      at = end;
    }
    return sum;
  }

  /**
   * Begins a record whose bytes, without its delimiter, are added in pieces of any length. No other digest may be
   * computed until it is complete.
   */
  openRecord(): HashedRecord {
    const { kernels, memory } = this;
    const delimiterBytes = this.format.kind === 'lines' ? 1 : 0;
    /** The number of bytes left over after the last whole step; they lie at the beginning of the memory. */
    let rest = 0;
    let bytes = 0;
    kernels.openRecord();
    return {
      add(text) {
        for (let at = 0; at < text.length; at += COPY_BYTES) {
          const end = copyTo(memory, text.subarray(at, at + COPY_BYTES), rest);
          const steps = end - (end % STEP_BYTES);
          kernels.addToRecord(0, steps);
          new Uint8Array(memory.buffer).copyWithin(0, steps, end);
          rest = end - steps;
        }
        bytes += text.length;
      },
      close() {
        kernels.resetSums();
        kernels.closeRecord(0, rest);
        return { records: 1, bytes: bytes + delimiterBytes, hash: BigInt.asUintN(64, kernels.hashSum()) };
      },
    };
  }
}

/** A record that is hashed as it arrives. */
interface HashedRecord {
  add(bytes: Uint8Array): void;
  close(): Digest;
}

/** The digest of an input that is read sequentially, in pieces of any length; for -m. */
export class InputDigest {
  sum: Digest = NO_RECORDS;
  private readonly records: OpenRecords;
  private readonly summer: Summer;

  /** Records have `ordering.format`. `summer` may be shared. */
  constructor(ordering: Ordering, summer: Summer) {
    this.records = new OpenRecords(ordering);
    this.summer = summer;
  }

  add(bytes: Uint8Array): void {
    const { ended, whole } = this.records.take(asBuffer(bytes));
    if (ended !== null) this.close(ended);
    this.sum = addDigests(this.sum, this.summer.digest(whole));
  }

  /** Ends the input. A last record without a delimiter counts as if it had one. */
  end(): void {
    const last = this.records.end();
    if (last !== null) this.close(last);
  }

  private close(open: OpenRecord): void {
    this.sum = addDigests(
      this.sum,
      open.report((record) => ({ digest: this.summer.digest(record), first: null, last: null, disorder: null })).digest,
    );
  }
}

/** The records that a block of a text completes. */
interface EndedRecords {
  /** The record that began in earlier blocks; null: there is none, or the block does not end it. */
  readonly ended: OpenRecord | null;
  /** The other whole records, a view of the block. */
  readonly whole: Buffer;
}

/**
 * Cuts a text into whole records; its blocks may split records anywhere. Unlike WholeRecords (src/records), it does not
 * hold long records, but hashes them as they arrive.
 */
export class OpenRecords {
  /** The incomplete record. */
  open: OpenRecord | null = null;
  private readonly ordering: Ordering;
  private readonly finder: RecordFinder;

  constructor(ordering: Ordering) {
    this.ordering = ordering;
    this.finder = recordFinder(ordering.format);
  }

  take(block: Buffer): EndedRecords {
    const { open, finder } = this;
    if (block.length === 0) return { ended: null, whole: block };
    let first = 0;
    if (open !== null) {
      first = finder.firstEnd(block, open.bytes);
      if (first < 0) {
        open.add(block);
        return { ended: null, whole: block.subarray(0, 0) };
      }
      open.add(block.subarray(0, first), { ends: finder.delimiter !== null });
      this.open = null;
    }
    const end = first + Math.max(0, finder.lastEnd(block.subarray(first), 0));
    if (end < block.length) {
      this.open = new OpenRecord(this.ordering);
      this.open.add(block.subarray(end));
    }
    return { ended: open, whole: block.subarray(first, end) };
  }

  /** Ends the text, which adds a missing delimiter. Returns the last record if that was missing. */
  end(): OpenRecord | null {
    const { open, finder } = this;
    if (finder.delimiter !== null) open?.add(Buffer.of(finder.delimiter), { ends: true });
    this.open = null;
    return open;
  }
}

/** Maximum bytes held of a line that is compared as it is. Lines with a longer common prefix count as equal. */
export const HELD_BYTES = 64 << 20;

export class OpenRecord {
  /** Bytes so far, including the delimiter once it has arrived. */
  bytes = 0;
  private readonly ordering: Ordering;
  private readonly most: number;
  private pieces: Buffer[] = [];
  /** The beginning of a longer record, and its hash so far. */
  private long: { readonly head: Buffer; readonly hash: HashedRecord } | null = null;

  constructor(ordering: Ordering, most = HELD_BYTES) {
    this.ordering = ordering;
    // Only whole records can be compared by keys or a collation.
    this.most = ordering.format.kind === 'fixed' || isKeyed(ordering) || isCollated(ordering) ? Infinity : most;
  }

  /** Adds the next bytes. `ends`: they end the record and include its delimiter. */
  add(text: Buffer, { ends }: { readonly ends: boolean } = { ends: false }): void {
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
