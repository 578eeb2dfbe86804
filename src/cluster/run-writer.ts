/**
 * Writes a stored run: a sink for a sort. Threads survey the written text by reading it back at once. The run is
 * complete when its index is.
 */

import type { BlockWriter, RecordForm } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { presenceDigits } from '../keys/presence.js';
import { readyPages } from '../output/ready-pages.js';
import { positionalWriter } from '../output/writers.js';
import { addDigests, type Digest, NO_RECORDS } from '../report/digest.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import type { SortSink } from '../run/sort-attempt.js';
import { sampleBytes } from '../runs/run-index.js';
import { GpusortError } from '../system/errors.js';
import { quiet } from '../system/promises.js';
import { restartable } from '../system/restartable.js';
import { inOneStep } from '../system/resumable.js';
import { type Crew, createCrew } from '../system/threads/crew.js';
import { type FileSurvey, openSurveyWorker, SURVEY_BYTES, type SurveyTask, surveyRole } from '../verify/survey.js';
import { createFile, type NewFile } from './directory.js';
import { writeIndex } from './run-index.js';

/** Runs below this size are surveyed in the calling thread. */
const THREADS_FROM = 16 << 20;
/** Most records end within this many bytes. So the survey of a block starts once this many bytes follow the block. */
const AHEAD_BYTES = 1 << 20;

/** The records of a run, and how many threads survey it. */
interface Surveyed {
  readonly ordering: Ordering;
  readonly form: RecordForm;
  readonly threads: number;
}

/** Where a run and its index are written, and the number of the share. */
interface RunPlace {
  readonly run: Buffer;
  readonly index: Buffer;
  readonly share: number;
}

export class RunWriter implements SortSink {
  readonly blocks = null;
  readonly canRestart = true;
  readonly duplicates = null;
  readonly file = null;
  readonly regularFile = null;
  private readonly run: Buffer;
  private readonly index: Buffer;
  private readonly share: number;
  private readonly ordering: Ordering;
  private readonly form: RecordForm;
  private readonly threads: number;
  private readonly recorder: Recorder;
  private readonly target: NewFile;
  private readonly writeBlock: BlockWriter;
  /** The writer of the run; its bytes go to the file. */
  private readonly output = restartable((block) => this.writeNext(block));
  private crew: Crew<SurveyTask, FileSurvey | null> | null = null;
  private readonly surveys: Promise<FileSurvey | null>[] = [];
  /** The number of bytes in the file before the first gap. */
  private written = 0;
  private last: Promise<void> = Promise.resolve();
  /** Settles once the file may be written; null: it may be. */
  private ready: Promise<void> | null = null;

  private constructor(
    target: NewFile,
    { run, index, share }: RunPlace,
    { ordering, form, threads }: Surveyed,
    recorder: Recorder,
  ) {
    this.target = target;
    this.run = run;
    this.index = index;
    this.share = share;
    this.ordering = ordering;
    this.form = form;
    this.threads = threads;
    this.recorder = recorder;
    this.writeBlock = positionalWriter(
      target.fd,
      displayName(run),
      recorder,
      'Free space there: the sorted shares need as much as the input, up to half more with keys.',
    );
  }

  /** Creates the file of the run. */
  static async open(place: RunPlace, surveyed: Surveyed, recorder: Recorder): Promise<RunWriter> {
    return new RunWriter(await createFile(place.run), place, surveyed, recorder);
  }

  expect(bytes: number): void {
    this.ready ??= readyPages(this.target.fd, bytes);
  }

  restart(): void {
    this.output.restart();
  }

  write(block: Uint8Array): Promise<void> {
    return this.output.write(block);
  }

  /**
   * Completes the run, then its index. `input`: the digest of the sorted records, which the run must have if `isAll`.
   * Throws `verify-failed`.
   */
  async finish(input: Digest, { isAll }: { readonly isAll: boolean }): Promise<void> {
    await this.last;
    this.surveyTo(Infinity);
    const surveys = await Promise.all(
      this.surveys.map(
        async (survey, i) => (await survey) ?? (await this.survey(i, { isAll: true })) ?? this.unfinished(),
      ),
    );
    const digest = surveys
      .flatMap(({ checkpoints }) => checkpoints.map((checkpoint) => checkpoint.digest))
      .reduce(addDigests, NO_RECORDS);
    if (isAll && (digest.records !== input.records || digest.bytes !== input.bytes || digest.hash !== input.hash))
      throw new GpusortError(
        'verify-failed',
        `${displayName(this.run)} has ${digest.records} records of ${digest.bytes} bytes, ` +
          `not the ${input.records} of ${input.bytes} bytes that were read, or has others`,
        { hint: 'Please report this.' },
      );
    await this.ready;
    await this.target.finish(this.output.written);
    await writeIndex(this.index, surveys, this.output.written, {
      headBytes: sampleBytes(this.ordering),
      presence: presenceDigits(this.recorder),
      input,
      share: this.share,
    });
    await this.close();
  }

  async abort(): Promise<void> {
    await quiet(this.last);
    await this.ready;
    await this.close();
    this.target.abort();
  }

  private async writeNext(block: Uint8Array): Promise<void> {
    const end = this.output.written;
    const writing = this.ready === null ? this.writeBlock(block) : this.ready.then(() => this.writeBlock(block));
    const inOrder = Promise.all([this.last, writing]).then(() => {
      this.written = end;
      this.surveyTo(end - AHEAD_BYTES);
    });
    // Handled by the caller of this write or an earlier one.
    quiet(inOrder);
    this.last = inOrder;
    await writing;
  }

  private async close(): Promise<void> {
    await Promise.allSettled(this.surveys);
    await this.crew?.close();
    this.crew = null;
  }

  /** Starts the surveys of the text that ends before `byte`; at the end, all of them. */
  private surveyTo(byte: number): void {
    const isEnd = byte === Infinity;
    while (this.surveys.length * SURVEY_BYTES < this.written) {
      const next = (this.surveys.length + 1) * SURVEY_BYTES;
      if (!isEnd && next > byte) return;
      const survey = this.survey(this.surveys.length, { isAll: isEnd });
      // Handled in finish.
      quiet(survey);
      this.surveys.push(survey);
    }
  }

  /** `isAll`: nothing more will be written. */
  private survey(number: number, { isAll }: { readonly isAll: boolean }): Promise<FileSurvey | null> {
    const from = number * SURVEY_BYTES;
    const { written: end } = this;
    if (this.crew === null) {
      const role = surveyRole(this.ordering, this.form);
      let survey: ((task: SurveyTask) => FileSurvey | null) | undefined;
      this.crew = createCrew<SurveyTask, FileSurvey | null>({
        workers: isAll && end < THREADS_FROM ? 0 : this.threads,
        role: { name: 'survey', data: role },
        helps: false,
        perform: inOneStep((task) => (survey ??= openSurveyWorker(role))(task)),
        explain: (error) => error,
      });
    }
    return this.crew.perform({ fd: this.target.fd, from, to: Math.min(end, from + SURVEY_BYTES), end });
  }

  private unfinished(): never {
    throw new GpusortError('internal', `internal error: ${displayName(this.run)} ends within a record`);
  }
}
