/**
 * Checks a batch of output records: hashes them and compares each with the previous one. Fixed records and
 * whole lines are compared as they are. Parts of lines that are bytes or decimal numbers are compared in place. For
 * other orderings, and rare numbers, keys are made again from the written text. Each thread has a checker of its own.
 */

import type { RecordForm } from '../contract/engine.js';
import type { KeyPart, Ordering } from '../job/ordering.js';
import { Collation, isCollated } from '../keys/collation/collation.js';
import { isPlainPart, sameSegment, segmentMark, spanArguments, spanNumbers } from '../keys/fields.js';
import { KeyMaker } from '../keys/key-maker.js';
import { textWithoutKey } from '../keys/keyed.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import type { Presence } from '../report/recorder.js';
import { asBuffer, growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { CHECKED_PER_CALL, copyTo, digestAt, keyedDigestAt, openVerifyKernels, type VerifyKernels } from './kernels.js';
import { pieceEnd, recordBegin, recordEnd } from './pieces.js';

/** The modules that a checker needs for this ordering. */
export interface CheckerModules {
  readonly verify: WebAssembly.Module;
  /** Null: the ordering needs no keys and no encoding. */
  readonly keys: WebAssembly.Module | null;
}

/** The result of checking a batch of output records. */
export interface BatchReport {
  readonly digest: Digest;
  /** The first and last record, without delimiters; null if the batch holds none. */
  readonly first: Uint8Array | null;
  readonly last: Uint8Array | null;
  /**
   * The first record that must not follow the previous one, given by the number of records and bytes before it in the
   * batch. Nothing after it was examined.
   */
  readonly disorder: { readonly record: number; readonly byte: number } | null;
}

export interface BatchChecker {
  check(text: Uint8Array): BatchReport;
}

/** Decides whether a record may follow the previous one although it sorts before it. Both are given as written. */
export type Pardon = (previous: Uint8Array, next: Uint8Array) => boolean;

interface CheckerOptions {
  /** For orderings other than collations. Absent: records that begin a segment are pardoned. */
  readonly pardon?: Pardon;
  /** See KeyMaker. Not used for collations. */
  readonly presence?: Presence | null;
}

export function createBatchChecker(
  ordering: Ordering,
  modules: CheckerModules,
  form: RecordForm,
  { pardon = (previous, next) => beginsSegment(ordering, previous, next), presence = null }: CheckerOptions = {},
): BatchChecker {
  return isCollated(ordering)
    ? new CollatedChecker(ordering, modules)
    : new KernelChecker(ordering, modules, form, { pardon, presence });
}

/**
 * The address of the table of parts (kernels/wasm/verify/parts.ts), below the memory that KeyMaker uses, and its
 * maximum number of parts.
 */
const TABLE = 64;
const MOST_PARTS = 256;

/**
 * Whether `next` begins a segment. It may then follow `previous` although it sorts before it, or equals it under
 * `unique`. Both are records as written, but encoded if the ordering has an encoding.
 */
export function beginsSegment({ segments }: Ordering, previous: Uint8Array, next: Uint8Array): boolean {
  return segments !== undefined && !sameSegment(segmentMark(segments, previous), segmentMark(segments, next));
}

/** A checked piece. `disorder`: the number of the record that is out of order, within the piece. */
interface CheckedPiece {
  readonly digest: Digest;
  readonly disorder: number | null;
}

/**
 * `check` compares up to a given number of records. `isUnread`: whether it stopped at a number that the kernels cannot
 * read.
 */
interface KernelComparison {
  readonly check: VerifyKernels['checkRecords'];
  readonly isUnread: () => boolean;
}

class KernelChecker implements BatchChecker {
  private readonly ordering: Ordering;
  private readonly memory = newMemory();
  private readonly kernels: VerifyKernels;
  private readonly isKeyed: boolean;
  /** Makes keys of records that no longer have any. */
  private readonly keys: KeyMaker | null;
  /** Compares records in place; null: records are compared by their keys. */
  private readonly comparison: KernelComparison | null;
  /** Encodes records before they are compared; null: they are compared as they are. */
  private readonly encoder: RecordEncoder | null;
  private readonly delimiterBytes: number;
  private readonly pardon: Pardon;

  constructor(
    ordering: Ordering,
    modules: CheckerModules,
    form: RecordForm,
    { pardon, presence }: Required<CheckerOptions>,
  ) {
    const { format, key, lastResort, reverse, unique } = ordering;
    this.ordering = ordering;
    this.pardon = pardon;
    const kernels = (this.kernels = openVerifyKernels(modules.verify, format, this.memory));
    this.isKeyed = key.kind === 'normalized';
    this.keys =
      this.isKeyed && form === 'plain'
        ? new KeyMaker(ordering, { module: modules.keys!, memory: this.memory, presence })
        : null;
    this.encoder =
      ordering.encoding === undefined ? null : new RecordEncoder(ordering.encoding, modules.keys!, this.memory);
    this.delimiterBytes = format.kind === 'lines' ? 1 : 0;
    const [keyBegin, keyBytes] =
      key.kind === 'bytes' ? [key.offset, key.length] : [0, format.kind === 'fixed' ? format.size : 0];
    kernels.setOrder(keyBegin, keyBytes, Number(lastResort), Number(reverse), Number(unique));
    if (!this.isKeyed) this.comparison = { check: kernels.checkRecords, isUnread: () => false };
    else if (
      this.keys !== null &&
      key.kind === 'normalized' &&
      key.parts.length <= MOST_PARTS &&
      key.parts.every(isCompared)
    ) {
      this.comparison = { check: kernels.checkParts, isUnread: () => kernels.foundUnread() !== 0 };
      kernels.openParts(TABLE);
      for (const part of key.parts) addPart(kernels, part);
    } else this.comparison = null;
  }

  check(text: Uint8Array): BatchReport {
    const {
      ordering: { format },
      comparison,
      memory,
      keys,
      delimiterBytes,
    } = this;
    const buffer = asBuffer(text);
    const start = keys?.free ?? this.encoder?.free ?? 0;
    let digest = NO_RECORDS;
    let [lastBegin, lastEnd] = [0, 0];
    for (let at = 0; at < buffer.length; ) {
      const end = pieceEnd(format, buffer, at);
      // The previous record lies before the piece, with its delimiter in the slack.
      const previousEnd =
        copyTo(memory, buffer.subarray(lastBegin, lastEnd + (at > 0 ? delimiterBytes : 0)), start) -
        (at > 0 ? delimiterBytes : 0);
      const piece: PieceToCheck = {
        hasPrevious: at > 0,
        previous: start,
        previousEnd,
        begin: previousEnd + KERNEL_SLACK,
        end: 0,
      };
      piece.end = copyTo(memory, buffer.subarray(at, end), piece.begin);
      const found = (comparison && this.compare(comparison, piece)) ?? this.compareKeys(piece);
      if (found.disorder !== null)
        return { digest, first: null, last: null, disorder: this.placeOf(buffer, digest.records, at, found.disorder) };
      digest = addDigests(digest, found.digest);
      lastEnd = end - delimiterBytes;
      lastBegin = recordBegin(format, buffer, end);
      at = end;
    }
    if (digest.records === 0) return { digest, first: null, last: null, disorder: null };
    const first = buffer.subarray(0, recordEnd(format, buffer, 0) - delimiterBytes);
    return {
      digest,
      first: new Uint8Array(first),
      last: new Uint8Array(buffer.subarray(lastBegin, lastEnd)),
      disorder: null,
    };
  }

  /** Compares and hashes in one pass; null if the kernels cannot read a number. */
  private compare(
    { check, isUnread }: KernelComparison,
    { hasPrevious, previous, previousEnd, begin, end }: PieceToCheck,
  ): CheckedPiece | null {
    const { kernels } = this;
    const encoded = this.encoder && this.hashAndEncode(this.encoder, hasPrevious ? previous : begin, begin, end);
    kernels.resetSums();
    kernels.setPrevious(Number(hasPrevious), previous, previousEnd);
    for (let at = begin, pardoned = 0; at < end; ) {
      at = check(at, end, CHECKED_PER_CALL, pardoned);
      if (isUnread()) return null;
      if (kernels.foundDisorder() === 0) continue;
      pardoned = at;
      if (!this.pardons(at, (record) => record)) return { digest: NO_RECORDS, disorder: kernels.recordCount() };
    }
    if (encoded !== null) return { digest: encoded, disorder: null };
    return {
      digest: { records: kernels.recordCount(), bytes: end - begin, hash: BigInt.asUintN(64, kernels.hashSum()) },
      disorder: null,
    };
  }

  /** The digest of the records in [begin, end), before they and the one at `previous` are encoded. */
  private hashAndEncode(encoder: RecordEncoder, previous: number, begin: number, end: number): Digest {
    const digest = digestAt(this.kernels, begin, end);
    if (previous < begin) encoder.encodeAt(previous, begin - KERNEL_SLACK);
    encoder.encodeAt(begin, end);
    return digest;
  }

  /** Compares keyed lines, which are made of the piece unless it consists of them. */
  private compareKeys({ hasPrevious, previous, previousEnd, begin, end }: PieceToCheck): CheckedPiece {
    const { kernels, keys, ordering } = this;
    kernels.setPrevious(0, 0, 0);
    const digest = keys === null ? keyedDigestAt(kernels, begin, end) : digestAt(kernels, begin, end);
    let [from, to, first] = [begin, end, begin];
    if (keys === null) kernels.setPrevious(Number(hasPrevious), previous, previousEnd);
    else {
      from = end + KERNEL_SLACK;
      first = hasPrevious ? keys.keyTo(previous, previousEnd + 1, from, Infinity).end : from;
      to = keys.keyTo(begin, end, first, Infinity).end;
    }
    growTo(this.memory, to + KERNEL_SLACK);
    for (let at = from, pardoned = 0; at < to; ) {
      at = kernels.checkKeyed(at, to, CHECKED_PER_CALL, pardoned);
      if (kernels.foundDisorder() === 0) continue;
      pardoned = at;
      if (!this.pardons(at, (record) => textWithoutKey(ordering, record)))
        return { digest: NO_RECORDS, disorder: this.recordsBetween(first, at) };
    }
    return { digest, disorder: null };
  }

  /** Whether the record at `place` may follow the previous one. */
  private pardons(place: number, asWritten: (record: Uint8Array) => Uint8Array): boolean {
    const { kernels, memory } = this;
    const begin = kernels.previousRecordBegin();
    return this.pardon(
      asWritten(new Uint8Array(memory.buffer, begin, kernels.previousRecordEnd() - begin)),
      asWritten(this.recordAt(place)),
    );
  }

  /** The record at `place` of the memory, without its delimiter. */
  private recordAt(place: number): Uint8Array {
    const bytes = Buffer.from(this.memory.buffer, place);
    return new Uint8Array(this.memory.buffer, place, recordEnd(this.ordering.format, bytes, 0) - this.delimiterBytes);
  }

  private recordsBetween(from: number, to: number): number {
    let records = 0;
    for (let at = from; at < to; records++) at += this.recordAt(at).length + this.delimiterBytes;
    return records;
  }

  /** The place in the batch of record `number`, counted from byte `from`, which `records` records precede. */
  private placeOf(batch: Buffer, records: number, from: number, number: number): { record: number; byte: number } {
    let byte = from;
    for (let i = 0; i < number; i++) byte = recordEnd(this.ordering.format, batch, byte);
    return { record: records + number, byte };
  }
}

/** A piece of text in the memory, and the record before it. */
interface PieceToCheck {
  readonly hasPrevious: boolean;
  readonly previous: number;
  readonly previousEnd: number;
  readonly begin: number;
  end: number;
}

/** Whether kernels compare a part in place. */
function isCompared(part: KeyPart): boolean {
  const { order, dictionary, printing, fold } = part;
  return isPlainPart(part) && (order === 'numeric' || (order === 'bytes' && !dictionary && !printing && !fold));
}

function addPart(kernels: VerifyKernels, { order, reverse, dropsReturn, span }: KeyPart): void {
  const flags = [order === 'numeric', reverse, dropsReturn === true].map(Number) as [number, number, number];
  kernels.addPart(...flags, ...spanArguments(spanNumbers(span)));
}

/** Compares records by a collation, which takes as long as sorting by it. */
class CollatedChecker implements BatchChecker {
  private readonly ordering: Ordering;
  private readonly collation: Collation;
  private readonly kernels: VerifyKernels;
  private readonly memory = newMemory();

  constructor(ordering: Ordering, modules: CheckerModules) {
    this.ordering = ordering;
    this.collation = new Collation(ordering, { module: modules.keys ?? undefined });
    this.kernels = openVerifyKernels(modules.verify, ordering.format, this.memory);
  }

  check(text: Uint8Array): BatchReport {
    const { ordering, collation } = this;
    const buffer = asBuffer(text);
    let digest = NO_RECORDS;
    let first: Uint8Array | null = null;
    let previous: { readonly record: Uint8Array; readonly values: readonly string[] } | null = null;
    for (let at = 0, records = 0; at < buffer.length; records++) {
      const end = recordEnd(ordering.format, buffer, at);
      const record = buffer.subarray(at, end - 1);
      const values: readonly string[] =
        previous !== null && record.equals(previous.record) ? previous.values : collation.valuesOf(record);
      if (previous !== null) {
        const sign = collation.compareValues(previous.values, values) || collation.compareLast(previous.record, record);
        const isDisorder = sign > 0 || (sign === 0 && ordering.unique);
        if (isDisorder && !beginsSegment(ordering, previous.record, record))
          return { digest, first, last: null, disorder: { record: records, byte: at } };
      }
      previous = { record, values };
      first ??= new Uint8Array(record);
      at = end;
    }
    for (let at = 0; at < buffer.length; ) {
      const end = pieceEnd(ordering.format, buffer, at);
      digest = addDigests(digest, digestAt(this.kernels, 0, copyTo(this.memory, buffer.subarray(at, end), 0)));
      at = end;
    }
    return { digest, first, last: previous && new Uint8Array(previous.record), disorder: null };
  }
}
