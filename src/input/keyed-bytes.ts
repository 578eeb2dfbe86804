/** Inputs as keyed lines (src/keys/keyed.ts): for -m, and for a sample, which look at records as engines have them. */
import type { Ordering } from '../job.js';
import { isKeyed } from '../keys/keyed.js';
import { KeyMaker } from '../keys/key-maker.js';
import { rest } from '../promises.js';
import { recordFinder, type RecordFinder } from '../records/format.js';
import type { InputFile } from './files.js';
import { withFieldNumbers, type Headers } from './header.js';
import { isLong, keyLines } from './long-lines.js';
import { inputBytes, type ByteSource } from './record-cursor.js';

/** Text that keys are made of at once. */
const BATCH_BYTES = 128 << 10;

/** Is given the bytes of an input as they are read. */
export interface InputWatch {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** The bytes of an input behind its header. */
export async function textBytes(input: InputFile, headers: Headers | null): Promise<ByteSource> {
  return bytesBehind(await inputBytes(input), headers);
}

/** The same with its records as engines have them. */
export async function engineBytes(input: InputFile, keys: InputKeys, headers: Headers | null, watch?: InputWatch): Promise<ByteSource> {
  const source = watched(await textBytes(input, headers), watch);
  return isKeyed(keys.ordering) ? keyedBytes(source, keys) : source;
}

/** What makes keys for the inputs of a job, one batch of lines after another: a memory for each input would be slow to make. */
export class InputKeys {
  private readonly asked: Ordering;
  private readonly headers: Headers | null;
  private readonly csvSeparator: number | null;
  private made: { readonly ordering: Ordering; readonly keys: KeyMaker } | null = null;

  constructor(ordering: Ordering, headers: Headers | null, csvSeparator: number | null) {
    this.asked = ordering;
    this.headers = headers;
    this.csvSeparator = csvSeparator;
  }

  /** With numbers for fields once an input that holds anything was asked for its header. */
  get ordering(): Ordering { return this.made?.ordering ?? withFieldNumbers(this.asked, this.headers, this.csvSeparator); }

  /** Made when the first lines have been read. */
  get keys(): KeyMaker { return (this.made ??= { ordering: this.ordering, keys: new KeyMaker(this.ordering) }).keys; }
}

function watched(source: ByteSource, watch: InputWatch | undefined): ByteSource {
  if (watch === undefined) return source;
  return {
    ...source,
    read: async () => {
      const bytes = await source.read();
      if (bytes === null) watch.end();
      else watch.add(bytes);
      return bytes;
    },
  };
}

async function bytesBehind(source: ByteSource, headers: Headers | null): Promise<ByteSource> {
  if (headers === null) return source;
  try {
    return { label: source.label, ...await headers.behind(source, source.label) };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** `source` with keys, some lines at a time; a last line that does not end is ended. */
function keyedBytes(source: ByteSource, keys: InputKeys): ByteSource {
  const lines = new LineReader(source, recordFinder(keys.ordering.format));
  /** Whole lines that have no keys yet, and a block of keyed lines, made anew by each read. */
  let waiting: Buffer = Buffer.alloc(0);
  let block: Buffer = Buffer.alloc(0);
  return {
    label: source.label,
    async read() {
      if (waiting.length === 0) {
        const next = await lines.read();
        if (next === null) return null;
        if (isLong(next.length)) return longLines(keys.ordering, next);
        waiting = next;
      }
      const end = lines.batchEnd(waiting, BATCH_BYTES);
      let filled = 0;
      keys.keys.make(waiting.subarray(0, end), (made) => {
        if (filled + made.length > block.length) block = Buffer.concat([block.subarray(0, filled)], 2 * filled + made.length);
        block.set(made, filled);
        filled += made.length;
      });
      waiting = waiting.subarray(end);
      return block.subarray(0, filled);
    },
    close: () => source.close(),
  };
}

/** Reads whole lines of a source. */
class LineReader {
  private readonly source: ByteSource;
  private readonly finder: RecordFinder;
  /** The beginning of a line whose end was not read yet, in pieces. */
  private open: Uint8Array[] = [];
  private ended = false;

  constructor(source: ByteSource, finder: RecordFinder) {
    this.source = source;
    this.finder = finder;
  }

  /** The next lines, valid until the next call; null at the end. */
  async read(): Promise<Buffer | null> {
    while (!this.ended) {
      const bytes = await this.source.read();
      if (bytes === null) {
        this.ended = true;
        return this.open.length === 0 ? null : Buffer.concat([...this.open, Uint8Array.of(this.finder.delimiter!)]);
      }
      const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const end = this.finder.lastEnd(read, 0);
      if (end < 0) {
        this.open.push(new Uint8Array(read));
        continue;
      }
      const lines = [...this.open, read.subarray(0, end)];
      this.open = end < read.length ? [new Uint8Array(read.subarray(end))] : [];
      return lines.length === 1 ? read.subarray(0, end) : joinedInParts(lines);
    }
    return null;
  }

  /** Where the lines end that are in the first `bytes` bytes of `lines`; the first line's end at least. */
  batchEnd(lines: Buffer, bytes: number): number {
    if (lines.length <= bytes) return lines.length;
    const last = this.finder.lastEnd(lines.subarray(0, bytes), 0);
    return last > 0 ? last : this.finder.firstEnd(lines, 0);
  }
}

async function joinedInParts(parts: readonly Uint8Array[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    await rest();
  }
  return whole;
}

/** Keyed lines of long lines, made by a thread. */
async function longLines(ordering: Ordering, lines: Uint8Array): Promise<Buffer> {
  const text = new SharedArrayBuffer(lines.length);
  new Uint8Array(text).set(lines);
  return joined(await keyLines(ordering, text));
}

function keyedLines(keys: KeyMaker, lines: Uint8Array): Buffer {
  return joined(keys.keyed(lines));
}

function joined(pieces: readonly SharedArrayBuffer[]): Buffer {
  return pieces.length === 1 ? Buffer.from(pieces[0]!) : Buffer.concat(pieces.map((piece) => new Uint8Array(piece)));
}

/** Records of a sample (without delimiters, a list a window) as engines have them. */
export function engineRecords(windows: readonly (readonly Uint8Array[])[], ordering: Ordering): readonly (readonly Uint8Array[])[] {
  if (!isKeyed(ordering)) return windows;
  const keys = new KeyMaker(ordering);
  const finder = recordFinder(ordering.format);
  const end = Uint8Array.of(finder.delimiter!);
  return windows.map((records) => {
    const keyed = keyedLines(keys, Buffer.concat(records.flatMap((record) => [record, end])));
    let at = 0;
    return records.map(() => {
      const from = at;
      at += finder.firstEnd(keyed.subarray(from), from);
      return keyed.subarray(from, at - 1);
    });
  });
}
