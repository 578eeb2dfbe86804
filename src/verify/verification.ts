/**
 * --verify: compares the records that were read with the records that are written. The engine hashes its input in
 * place; large records and the inputs of -m are hashed here. The output is checked on its way to the sink.
 */

import type { BlockWriter, RecordForm } from '../contract/engine.js';
import { limitsLate, type SortJob } from '../job/job.js';
import { type Filter, passing } from '../output/filter.js';
import type { OutputWatch } from '../output/filters.js';
import { addDigests, type Digest, NO_RECORDS, type StageRecords, type Verified } from '../report/digest.js';
import { emitStored } from '../runs/stored-run.js';
import { allOver } from '../system/promises.js';
import { type Checkers, startCheckers } from './checkers.js';
import { CountedLines, differenceSentence, type Fail, failing, OutputChecker } from './output.js';
import { InputDigest, Summer } from './summer.js';

interface VerificationOptions {
  /** The form of the records in the stream. */
  readonly form: RecordForm;
  /** The bytes of the header before all records; called at the first block. */
  readonly headerBytes: () => number;
  /** Number of threads that check the output; 0: the calling thread does. */
  readonly threads: number;
  /** A descriptor for reading the bytes given to the sink; null: there is none. */
  readonly file: number | null;
  /** The output of earlier attempts, which is not written again. */
  readonly written: WrittenByAttempts;
}

/** The output of all attempts so far: its bytes and their digest. */
export interface WrittenByAttempts {
  bytes: number;
  digest: Digest;
}

export const nothingWritten = (): WrittenByAttempts => ({ bytes: 0, digest: NO_RECORDS });

/** The part of a job that decides what its output must be. */
type VerifiedJob = Pick<SortJob, 'mode' | 'input' | 'ordering' | 'output'>;

/**
 * The verification of one attempt to sort or merge. Another attempt has a verification of its own, which also compares
 * the beginning of the output with the bytes already written.
 */
export class Verification implements OutputWatch {
  private readonly job: VerifiedJob;
  private readonly options: VerificationOptions;
  private readonly fail: Fail;
  private input: Digest = NO_RECORDS;
  private readonly inputs: InputDigest[] = [];
  private readonly summer: Summer;
  /** The number of records in ordered chunks, and of large records. */
  private sortedRecords = 0;
  private checkers: Checkers | null = null;
  private output: OutputChecker | null = null;
  /** Bytes given to the sink. */
  private passed = 0;
  private counted: CountedLines | null = null;
  private limited: CountedLines | null = null;

  constructor(job: VerifiedJob, options: VerificationOptions) {
    this.job = job;
    this.options = options;
    this.fail = failing({ isMerge: job.mode === 'merge', toFile: job.output.file !== null });
    this.summer = new Summer(job.ordering.format);
  }

  /** The digest of the records read so far. */
  get read(): Digest {
    return this.input;
  }

  /** Adds the digest of records that an engine read. */
  addInput(digest: Digest): void {
    this.input = addDigests(this.input, digest);
  }

  /** Opens the digest of an input of -m. The caller adds the input's bytes as they are read. */
  openInput(): InputDigest {
    const input = new InputDigest(this.job.ordering, this.summer);
    this.inputs.push(input);
    return input;
  }

  /** Adds a record that is too large for a chunk. */
  async addLarge(large: {
    readonly bytes: number;
    readAt(byte: number, target: Uint8Array): Promise<void>;
  }): Promise<void> {
    const record = new Summer(this.job.ordering.format).openRecord();
    await emitStored(large, 0, large.bytes, async (part) => record.add(part));
    this.addInput(record.close());
    this.sortedRecords++;
  }

  /** Adds the number of records of an ordered chunk. */
  addSorted(records: number): void {
    this.sortedRecords += records;
  }

  stream(next: BlockWriter, place: { readonly afterHeader: boolean }): Filter {
    // Start the threads while the input is read.
    if (this.options.threads > 0) this.openOutput(place);
    return passing(async (block) => {
      // The block is written while it is checked.
      const writing = next(block);
      await allOver([writing, this.check(block, this.openOutput(place), writing)]);
    });
  }

  /** Checks a block. At the end of the earlier attempts' output, also checks that they wrote the same bytes. */
  private check(block: Uint8Array, output: OutputChecker, writing: Promise<void>): Promise<unknown> {
    const { written } = this.options;
    const before = this.passed;
    this.passed += block.length;
    if (before >= written.bytes) return output.take(block, writing);
    // The file has the bytes of an earlier attempt; those of this attempt are only in the block.
    if (this.passed < written.bytes) return output.take(block, null);
    const same = block.subarray(0, written.bytes - before);
    const { digest } = written;
    const taken = output.take(same, null);
    const compared = output.state().then((state) => {
      const difference = differenceSentence(digest, state);
      if (difference !== null)
        throw this.fail(`the output before the restart differs from what would be written now: ${difference}`);
    });
    return allOver([taken, compared, output.take(block.subarray(same.length), writing)]);
  }

  countedLines(next: BlockWriter): Filter {
    return this.watchLines(next, (this.counted = this.newCountedLines()));
  }
  limitedLines(next: BlockWriter): Filter {
    return this.watchLines(next, (this.limited = this.newCountedLines()));
  }

  /** Counts of reads are labels at the ends of their first lines (src/output/count.ts). */
  private newCountedLines(): CountedLines {
    return new CountedLines(this.job.ordering.format, this.job.input.genomics !== null);
  }

  /** Compares input and output. Called after everything has been read and written. Throws `verify-failed`. */
  async finish(): Promise<Verified> {
    for (const input of this.inputs) this.addInput(input.sum);
    const output = this.output === null ? NO_RECORDS : await this.output.finish();
    const {
      input,
      job: { mode, output: request, ordering },
    } = this;
    const { limit } = request;
    // Once the first records are written, -m does not read the rest, and --count and --unique=last do not pass it on.
    const isPartial = limit?.end === 'first' && (mode === 'merge' || limitsLate(request));
    const same = !ordering.unique && (limit === null || limitsLate(request)) && !isPartial;
    const difference = same ? differenceSentence(input, output) : null;
    if (difference !== null) throw this.fail(difference);
    const stages = this.stages(output.records);
    if (!isPartial) for (const stage of stages) this.checkStage(stage);
    return { input, output, same, stages };
  }

  /** Keeps the digest of the output for another attempt, and ends the threads. */
  async close(): Promise<void> {
    const { written } = this.options;
    const digest = (await this.output?.state().catch(() => null)) ?? null;
    if (digest !== null && this.passed > written.bytes) Object.assign(written, { bytes: this.passed, digest });
    await this.checkers?.close();
  }

  private openOutput({ afterHeader }: { readonly afterHeader: boolean }): OutputChecker {
    if (this.output !== null) return this.output;
    const { form, threads, headerBytes, file } = this.options;
    const { ordering } = this.job;
    // If this comes after the header, the stream is exactly the stream of the sink.
    this.checkers = startCheckers(ordering, threads, form, afterHeader ? file : null);
    return (this.output = new OutputChecker(
      ordering,
      this.checkers,
      afterHeader ? headerBytes : () => 0,
      this.fail,
      form,
    ));
  }

  private watchLines(next: BlockWriter, lines: CountedLines): Filter {
    return passing((block) => {
      lines.add(block);
      return next(block);
    });
  }

  private stages(written: number): StageRecords[] {
    const {
      job: { mode, output },
      input,
      sortedRecords,
      counted,
      limited,
    } = this;
    const stages: StageRecords[] = [];
    const add = (stage: string, recordsIn: number, recordsOut: number): number => {
      stages.push({ stage, recordsIn, recordsOut });
      return recordsOut;
    };
    const { limit } = output;
    const limiting = limit === null ? null : limit.end === 'first' ? 'top' : 'bottom';
    let records = input.records;
    if (mode === 'sort') records = add('sort', records, sortedRecords);
    if (!limitsLate(output) && limiting !== null) records = add(`merge and ${limiting}`, records, written);
    else records = add('merge', records, written);
    if (counted !== null) records = add('count', records, counted.lines);
    if (limited !== null && limiting !== null) add(limiting, records, limited.lines);
    return stages;
  }

  private checkStage({ stage, recordsIn, recordsOut }: StageRecords): void {
    const {
      job: {
        output,
        ordering: { unique },
      },
      counted,
      input,
    } = this;
    const { limit } = output;
    const isLate = limitsLate(output);
    const [limits, drops] = [/top|bottom/.test(stage), unique || limit !== null];
    if (recordsOut > recordsIn || (recordsIn > 0 && recordsOut === 0 && limit?.count !== 0))
      throw this.fail(`stage ${stage} took ${recordsIn} records and gave ${recordsOut}`);
    if (stage === 'count' && counted!.sum !== input.records)
      throw this.fail(`the counts add up to ${counted!.sum} records, but the input has ${input.records}`);
    const expected =
      limits && (!unique || isLate)
        ? Math.min(limit!.count, isLate ? recordsIn : input.records)
        : stage !== 'count' && (isLate || !drops)
          ? recordsIn
          : null;
    if (expected !== null && recordsOut !== expected)
      throw this.fail(`stage ${stage} gave ${recordsOut} records, not ${expected}`);
  }
}
