/**
 * One attempt to deliver ordered records to the output: filters, verification and a sink. Sorts, merges and the ranges
 * of a cluster write to it.
 */
import { textOf } from '../codecs/bgzf.js';
import type { BlockOutput } from '../contract/bam-sort.js';
import type { BgzfWriter, BlockWriter, RecordForm } from '../contract/engine.js';
import type { FastaSections } from '../input/fasta-section.js';
import type { SortJob } from '../job/job.js';
import type { Filter } from '../output/filter.js';
import { type Outputs, outputFilters, runFilters } from '../output/filters.js';
import type { Spool } from '../output/limit.js';
import type { Recorder } from '../report/recorder.js';
import { nothingWritten, Verification, type WrittenByAttempts } from '../verify/verification.js';
import type { RecordCounter } from './caller.js';

/** The product of a sort: the output of its job, or a run of a cluster. */
export type Made = 'output' | 'run';

/** What a delivery writes to. */
interface DeliverySink extends Outputs {
  /** A descriptor that reads back the written bytes, at the same offsets; null if that is impossible. */
  readonly file: number | null;
}

interface DeliveryOptions {
  readonly makes: Made;
  /** The form of the records that are written to it. */
  readonly form: RecordForm;
  /** Returns the text before all records, called at the first block; null: there is none. */
  readonly header: (() => Uint8Array) | null;
  /** The text after all records; null: there is none. */
  readonly sections: FastaSections | null;
  /** Holds records that are written last. */
  readonly store: Spool;
  /** Threads that check the output; 0: the calling thread does. */
  readonly threads: number;
  /** The output of earlier attempts; absent: there was none. */
  readonly written?: WrittenByAttempts;
  /** Counts the records of the output; null: the count is not needed. */
  readonly tally: RecordCounter | null;
  /** Takes blocks of BGZF in place of text. Null or absent: text is needed. */
  readonly blocks?: BlockOutput | null;
  readonly recorder: Recorder;
}

export interface Delivery {
  readonly form: RecordForm;
  /** Takes the ordered records. */
  readonly output: Filter;
  /** Takes records as blocks of BGZF, in place of their text. Null: the output needs text. */
  readonly writeBlocks: BgzfWriter | null;
  /** Compares the output with the input, whose digest the sort adds; null: the job is not verified. */
  readonly verification: Verification | null;
  /**
   * Passes on records that were held back, and the text after all records. Throws `verify-failed` if the output is
   * wrong.
   */
  finish(): Promise<void>;
  /** Ends the threads that check. */
  close(): Promise<void>;
}

/**
 * Opens the delivery of a complete job to `target`. A run gets records as runs hold them, without a header and, under
 * `count`, not yet counted; it is checked when it is complete, not here.
 */
export function openDelivery(
  job: SortJob,
  sink: DeliverySink,
  {
    makes,
    form,
    header,
    sections,
    store,
    threads,
    written = nothingWritten(),
    tally,
    blocks = null,
    recorder,
  }: DeliveryOptions,
): Delivery {
  const { duplicates, file } = sink;
  const write: BlockWriter = (block) => sink.write(block);
  const headerBytes = (): number => header?.().length ?? 0;
  const verification = job.output.verify ? new Verification(job, { form, headerBytes, threads, file, written }) : null;
  const watches = { verification, tally: tally?.begin(job.ordering.format) ?? null };
  const output =
    makes === 'run'
      ? runFilters(job, store, write)
      : outputFilters(job, header, store, { write, duplicates }, watches, form);
  return {
    form,
    output,
    writeBlocks: blocks && blockWriter(output, blocks, recorder),
    verification,
    finish: async () => {
      await output.finish();
      await sections?.writeTo(write);
      if (verification !== null && makes === 'output') recorder.verified(await verification.finish());
    },
    close: async () => verification?.close(),
  };
}

/** Writes blocks after what comes first in the output. */
function blockWriter(output: Filter, blocks: BlockOutput, recorder: Recorder): BgzfWriter {
  let begun: Promise<void> | null = null;
  return async (bytes, sizes) => {
    await (begun ??= output.write(new Uint8Array()));
    await blocks.write(bytes, sizes);
    recorder.advance('writing', textOf(sizes));
  };
}
