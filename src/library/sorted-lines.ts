/**
 * A sort as an iteration over its records, one at a time. split2 splits the output at delimiters; it gets whole records
 * only, so text is decoded as if each record were alone, and a long record is searched once.
 */
import { constants } from 'node:buffer';
import type { Writable } from 'node:stream';
import split2 from 'split2';
import type { SortJob } from '../job/job.js';
import { RecordEnder } from '../keys/csv-text.js';
import { GpusortError } from '../system/errors.js';
import { sortedReadable } from './sort-streams.js';
import type { LineEncoding, SortedLine, SortInput, SortResult } from './types.js';

/** Starts a sort. `onJob` gets the job before anything is read, and may refuse it. */
type StartLines = (
  input: SortInput,
  output: Writable,
  control: { readonly stop: AbortSignal; onJob(job: SortJob): void },
) => Promise<SortResult>;

/**
 * The records of the output, without their delimiters. The sort starts with the first call of `next`, and has ended
 * when the iteration ends, also if that ends early.
 */
export async function* linesOf<E extends LineEncoding>(
  input: SortInput,
  encoding: E,
  start: StartLines,
): AsyncGenerator<SortedLine<E>, void, undefined> {
  let cutter: LineCutter | undefined;
  const stream = sortedReadable(input, (from, output, stop) =>
    start(from, output, {
      stop,
      onJob: (job) => {
        cutter = new LineCutter(job);
      },
    }),
  );
  try {
    let splitter: LineSplitter<E> | undefined;
    for await (const block of stream) {
      const text = cutter!.next(block);
      splitter ??= new LineSplitter(cutter!.delimiter, encoding);
      if (text === null) continue;
      for (const line of splitter.split(text)) yield line;
    }
  } finally {
    // The iteration of the stream has ended it. Its temporary files are gone when the result is known.
    await stream.result.catch(() => undefined);
  }
}

/** Splits text into lines with split2. */
class LineSplitter<E extends LineEncoding> {
  private readonly encoding: E;
  private readonly stream: ReturnType<typeof split2>;

  constructor(delimiter: number, encoding: E) {
    this.encoding = encoding;
    const toLine = (line: string): string | Buffer => (encoding === 'buffer' ? Buffer.from(line, 'latin1') : line);
    // split2 decodes buffers as UTF-8 and takes text as it is.
    this.stream = split2(String.fromCharCode(delimiter), toLine, { decodeStrings: false });
  }

  /** The lines of `text`, which ends in a delimiter. The stream splits within the call of `write`. */
  *split(text: Buffer): Generator<SortedLine<E>, void, undefined> {
    const { stream, encoding } = this;
    if (encoding === 'utf8') stream.write(text);
    else stream.write(text.toString('latin1'), 'latin1');
    for (let line = stream.read(); line !== null; line = stream.read()) yield line;
  }
}

/** The longest text that fits a string. */
const MOST_BYTES = constants.MAX_STRING_LENGTH;
const NEWLINE = 10;
const NUL = 0;

/** Cuts the blocks of the output after their last whole record. */
class LineCutter {
  /** The byte after each record. In CSV, it replaces the newline, because records may contain newlines. */
  readonly delimiter: number;
  private readonly ender: RecordEnder | null;
  /** The beginning of a record whose end is in a later block. */
  private held: Buffer[] = [];
  private heldBytes = 0;

  /** Throws `usage` if the output of the job does not consist of lines or of records of CSV. */
  constructor({ input: { framing, genomics }, ordering: { format }, output: { compression, convertsTo } }: SortJob) {
    if (compression !== null) throw notLines(`the output is compressed (${compression.kind})`);
    if (format.kind === 'fixed') throw notLines('records of a fixed size have no delimiter');
    const alignments = convertsTo ?? genomics?.format;
    if (framing?.kind === 'fastq' || framing?.kind === 'fasta' || alignments === 'bam')
      throw notLines(`records of ${genomics!.format.toUpperCase()} are not lines`);
    this.ender = framing?.kind === 'csv' ? new RecordEnder(framing.separator) : null;
    if (this.ender !== null) this.delimiter = NUL;
    else this.delimiter = framing === null ? format.delimiter : NEWLINE;
  }

  /** The whole records that end in `block`, which is changed; null: none does. Throws `bad-records`. */
  next(block: Buffer): Buffer | null {
    this.ender?.end(block);
    const end = block.lastIndexOf(this.delimiter) + 1;
    if (this.heldBytes + block.length > MOST_BYTES)
      throw new GpusortError('bad-records', `a record is longer than ${MOST_BYTES} bytes, which no string can hold`, {
        hint: 'Use sorted(): its blocks may end within a record.',
      });
    if (end === 0) {
      this.held.push(block);
      this.heldBytes += block.length;
      return null;
    }
    const text = Buffer.concat([...this.held, block.subarray(0, end)]);
    this.held = end === block.length ? [] : [block.subarray(end)];
    this.heldBytes = block.length - end;
    return text;
  }
}

const notLines = (why: string): GpusortError =>
  new GpusortError('usage', `sortedLines() yields lines: ${why}`, {
    hint: 'Use sorted(), which returns the output as a stream of blocks.',
  });
