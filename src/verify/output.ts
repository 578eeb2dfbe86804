/**
 * Checks the output while it is written: cuts blocks into batches of whole records, has the batches checked, and
 * compares neighboring batches. A record that spans blocks is a batch of its own.
 */

import type { RecordForm } from '../contract/engine.js';
import type { Ordering, RecordFormat } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { KeyMaker } from '../keys/key-maker.js';
import { isKeyed, textWithoutKey } from '../keys/keyed.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { recordFinder } from '../records/record-finder.js';
import { addDigests, type Digest, hashText, NO_RECORDS } from '../report/digest.js';
import { numberOf } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { asBuffer, newMemory } from '../system/memory.js';
import { quiet } from '../system/promises.js';
import { type BatchReport, beginsSegment } from './batch-checker.js';
import type { Checkers } from './checkers.js';
import { CHECKED_PER_CALL, compileVerifyKernels, copyTo, openVerifyKernels } from './kernels.js';
import { pieceEnd } from './pieces.js';
import { HELD_BYTES, OpenRecords, Summer } from './summer.js';

export class OutputChecker {
  private readonly ordering: Ordering;
  private readonly checkers: Checkers;
  private readonly headerBytes: () => number;
  private readonly fail: Fail;
  private readonly form: RecordForm;
  /** Makes keys of the records on both sides of a batch's end. */
  private keys: KeyMaker | null = null;
  private encoder: RecordEncoder | null = null;
  /** Bytes of the header still to come; null: not yet known. */
  private header: number | null = null;
  /** Bytes of the output taken so far. */
  private passed = 0;
  private readonly records: OpenRecords;
  private digest = NO_RECORDS;
  /** The last joined record, in the form of the stream. */
  private previous: Uint8Array | null = null;
  /** Reports are joined in the order of the batches. */
  private joined: Promise<void> = Promise.resolve();
  private failure: unknown;

  /**
   * `headerBytes`: the number of bytes before all records, called at the first block. `form`: the form of the records.
   */
  constructor(
    ordering: Ordering,
    checkers: Checkers,
    headerBytes: () => number,
    fail: Fail,
    form: RecordForm = 'plain',
  ) {
    this.ordering = ordering;
    this.records = new OpenRecords(ordering);
    this.checkers = checkers;
    this.headerBytes = headerBytes;
    this.fail = fail;
    this.form = form;
  }

  /**
   * Takes the next block. The block is in the output once `written` is fulfilled; null: the output may have different
   * bytes there. Resolves when the block's memory is free again. Throws `verify-failed` once a disorder was found.
   */
  async take(block: Uint8Array, written: Promise<void> | null): Promise<void> {
    const end = (this.passed += block.length);
    if (this.failure !== undefined) throw this.failure;
    this.header ??= this.headerBytes();
    const skipped = Math.min(this.header, block.length);
    this.header -= skipped;
    const text = asBuffer(block.subarray(skipped));
    if (text.length === 0) return;
    const { ended, whole } = this.records.take(text);
    if (ended !== null) this.join(Promise.resolve(ended.report(this.checkers.local)));
    if (whole.length === 0) return;
    const taken = this.checkers.take(whole, end - text.length + whole.byteOffset - text.byteOffset, written);
    this.join(taken.then(({ report }) => report));
    await taken;
  }

  /** The digest of the records taken so far, including an unfinished one. */
  state(): Promise<Digest> {
    const open = this.records.open?.digest(new Summer(this.ordering.format)) ?? NO_RECORDS;
    // Later batches are joined after this point.
    return this.joined.then(() => addDigests(this.digest, open));
  }

  /** The digest of all output. Throws `verify-failed`. */
  async finish(): Promise<Digest> {
    await this.joined;
    const { records, bytes } = this.digest;
    if (this.records.open !== null)
      throw this.fail(`record ${records + 1} of the output, at byte ${bytes}, has no end`);
    return this.digest;
  }

  private join(report: Promise<BatchReport>): void {
    // Ignored if an earlier report has failed.
    quiet(report);
    this.joined = this.joined.then(async () => {
      this.add(await report);
    });
    this.joined.catch((error: unknown) => {
      this.failure ??= error;
    });
  }

  private add({ digest, first, last, disorder }: BatchReport): void {
    const { records, bytes } = this.digest;
    const { unique } = this.ordering;
    if (this.previous !== null && first !== null && this.isDisorder(this.previous, first))
      throw this.fail(disorderSentence(unique, records, bytes));
    if (disorder !== null) throw this.fail(disorderSentence(unique, records + disorder.record, bytes + disorder.byte));
    this.digest = addDigests(this.digest, digest);
    if (last !== null) this.previous = last;
  }

  private isDisorder(previous: Uint8Array, next: Uint8Array): boolean {
    const { ordering } = this;
    const [before, after] = [this.held(previous), this.held(next)];
    const sign = compareRecords(ordering, before, after);
    if (sign < 0 || (sign === 0 && !ordering.unique)) return false;
    // Only the beginnings of these records are known.
    if (previous.length >= HELD_BYTES && next.length >= HELD_BYTES && sign === 0) return false;
    return !beginsSegment(ordering, textWithoutKey(ordering, before), textWithoutKey(ordering, after));
  }

  /** A record in the form in which the sort holds it. */
  private held(record: Uint8Array): Uint8Array {
    const { ordering, form } = this;
    if (form === 'run') return record;
    if (ordering.encoding !== undefined) {
      const copy = Uint8Array.from(record);
      (this.encoder ??= new RecordEncoder(ordering.encoding)).encode(copy);
      return copy;
    }
    if (!isKeyed(ordering)) return record;
    const line = Buffer.concat([record, Buffer.of(recordFinder(ordering.format).delimiter!)]);
    return Buffer.concat(
      (this.keys ??= new KeyMaker(ordering)).keyed(line).map((piece) => new Uint8Array(piece)),
    ).subarray(0, -1);
  }
}

/** Counts the lines that --count writes, and adds up their counts. */
export class CountedLines {
  lines = 0;
  sum = 0;
  private readonly format: RecordFormat;
  private readonly labelled: boolean;
  private readonly memory = newMemory();
  private readonly kernels;

  /** `labelled`: counts are at the end of the first lines of records, as in src/output/count.ts. */
  constructor(format: RecordFormat, labelled = false) {
    this.format = format;
    this.labelled = labelled;
    this.kernels = openVerifyKernels(compileVerifyKernels(), format, this.memory);
  }

  /** Adds a block of whole lines. */
  add(block: Uint8Array): void {
    const { kernels, memory } = this;
    const text = asBuffer(block);
    kernels.resetSums();
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(this.format, text, at);
      const to = copyTo(memory, text.subarray(at, end), 0);
      for (let from = 0; from < to; ) from = kernels.sumCounted(from, to, CHECKED_PER_CALL, Number(this.labelled));
      at = end;
    }
    this.lines += kernels.recordCount();
    this.sum += kernels.countedSum();
  }
}

/** Makes the error for a sentence. The second line of the error depends on the job. */
export type Fail = (what: string) => GpusortError;

/** `isMerge`: the inputs themselves may be out of order. `toFile`: -o was given. */
export function failing({ isMerge, toFile }: { readonly isMerge: boolean; readonly toFile: boolean }): Fail {
  const written = toFile
    ? 'A file of -o keeps its contents; discard what was written to a pipe or device.'
    : 'Discard what was written to standard output.';
  const remedy = isMerge
    ? 'Check each input with gpusort -c.'
    : 'Sort again, with another --engine if there is one, and please report this error.';
  return (what) => new GpusortError('verify-failed', `verification failed: ${what}`, { hint: `${remedy} ${written}` });
}

/** A record that must not follow the previous one. `records` and `bytes` precede it. */
function disorderSentence(unique: boolean, records: number, bytes: number): string {
  const place = unique ? 'is not after' : 'is before';
  return `record ${records + 1} of the output, at byte ${bytes}, ${place} record ${records}`;
}

/** How the digests of output and input differ; null if they do not. */
export function differenceSentence(input: Digest, output: Digest): string | null {
  if (input.records !== output.records)
    return `the input has ${numberOf(input.records, 'record')}, the output ${output.records}`;
  if (input.bytes !== output.bytes)
    return `the records of the input have ${numberOf(input.bytes, 'byte')}, those of the output ${output.bytes}`;
  if (input.hash !== output.hash) {
    const sums = `${hashText(output.hash)}, not ${hashText(input.hash)}`;
    return `the records of the output differ from those of the input: the sum of their hashes is ${sums}`;
  }
  return null;
}
