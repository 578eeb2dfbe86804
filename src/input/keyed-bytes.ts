/**
 * Reads inputs as records in the form in which engines hold them, for -c, -m and samples: keyed lines
 * (src/keys/keyed.ts) and encoded binary records (src/keys/record-encoding.ts).
 */
import type { Ordering, RecordEncoding, RecordFormat } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels, KeyMaker } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { type LongKeyTask, openLongKeyWorker } from '../keys/long-key.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { completed, recordTexts, WholeRecords } from '../records/whole-records.js';
import type { Presence } from '../report/recorder.js';
import { KeyReader, keyedLarge, type LargeRecord, lineRun, type PlaceLarge, type WriteKey } from '../runs/large.js';
import type { TemporaryStore } from '../runs/store.js';
import { type ByteSource, sourceOf } from '../system/byte-source.js';
import { explainMemory } from '../system/errors.js';
import { rest } from '../system/promises.js';
import { inOneStep } from '../system/resumable.js';
import { createCrew } from '../system/threads/crew.js';
import type { InputFile } from './files.js';
import { openText } from './framed.js';
import type { Headers } from './header.js';

/** Bytes of text whose keys are made at once. */
const BATCH_BYTES = 128 << 10;

/** Receives the bytes of an input as they are read. */
interface InputWatch {
  add(bytes: Uint8Array): void;
  end(): void;
}

/** The whole records of an input after its header. `watch` receives its bytes. */
export async function textBytes(
  input: InputFile,
  headers: Headers | null,
  format: RecordFormat,
  watch?: InputWatch,
): Promise<ByteSource> {
  return completed(watched(await openText(input, headers), watch), recordFinder(format), input.label);
}

/** The same with records as engines hold them. */
export async function engineBytes(
  input: InputFile,
  keys: InputKeys,
  headers: Headers | null,
  watch?: InputWatch,
): Promise<ByteSource> {
  const { format, encoding } = keys.ordering;
  const source = await textBytes(input, headers, format, watch);
  if (isKeyed(keys.ordering)) return sourceOf(keyedPieces(source, keys), () => source.close());
  return encoding === undefined
    ? source
    : sourceOf(encodedTexts(source, recordFinder(format), encoding), () => source.close());
}

/** Encoded records. */
async function* encodedTexts(
  source: ByteSource,
  finder: RecordFinder,
  encoding: RecordEncoding,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new RecordEncoder(encoding);
  for await (const text of recordTexts(source, finder)) {
    const copy = Buffer.from(text);
    encoder.encode(copy);
    yield copy;
  }
}

/**
 * The key maker for all inputs of a job, used for one batch of lines after another. A memory for each input would take
 * long to create.
 */
export class InputKeys {
  readonly ordering: Ordering;
  readonly presence: Presence | null;
  private made: KeyMaker | null = null;

  /** `presence`: see KeyMaker. */
  constructor(ordering: Ordering, presence: Presence | null) {
    this.ordering = ordering;
    this.presence = presence;
  }

  /** Created when the first lines have been read, because the ordering is complete only then. */
  get keys(): KeyMaker {
    return (this.made ??= new KeyMaker(this.ordering, this));
  }
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

/**
 * The keyed lines of a text. A separate thread makes the keys of long lines.
 */
export async function keyedText(text: Buffer, keys: InputKeys): Promise<Buffer> {
  const texts = [text];
  const pieces: Uint8Array[] = [];
  for await (const piece of keyedPieces({ read: async () => texts.pop() ?? null }, keys))
    pieces.push(new Uint8Array(piece));
  return Buffer.concat(pieces);
}

/**
 * The lines of `source`, each after its key, in batches. A long line comes in pieces. Each piece is valid until the
 * next one.
 */
async function* keyedPieces(source: Pick<ByteSource, 'read'>, keys: InputKeys): AsyncGenerator<Uint8Array, void> {
  const finder = recordFinder(keys.ordering.format);
  const batches = new KeyedBatches(keys, finder);
  const records = new WholeRecords(finder);
  const keyedLine = (pieces: Uint8Array[]): AsyncGenerator<Uint8Array> | Generator<Uint8Array> =>
    isLong(lineBytes(pieces)) ? keyedLongLine(pieces, keys) : batches.of(Buffer.concat(pieces));
  for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
    const { spanning, whole } = records.take(bytes);
    if (spanning.length > 0) yield* keyedLine(spanning);
    yield* batches.of(whole);
  }
}

/** The keyed lines of whole lines, in batches, in a block that is reused. */
class KeyedBatches {
  private readonly keys: InputKeys;
  private readonly finder: RecordFinder;
  private block: Buffer = Buffer.alloc(0);

  constructor(keys: InputKeys, finder: RecordFinder) {
    this.keys = keys;
    this.finder = finder;
  }

  *of(lines: Buffer): Generator<Uint8Array> {
    for (let waiting = lines; waiting.length > 0; ) {
      const end = this.batchEnd(waiting);
      let filled = 0;
      this.keys.keys.make(waiting.subarray(0, end), (made) => {
        if (filled + made.length > this.block.length)
          this.block = Buffer.concat([this.block.subarray(0, filled)], 2 * filled + made.length);
        this.block.set(made, filled);
        filled += made.length;
      });
      waiting = waiting.subarray(end);
      yield this.block.subarray(0, filled);
    }
  }

  /** The end of the last line within the first BATCH_BYTES of `lines`, or of the first line if that is longer. */
  private batchEnd(lines: Buffer): number {
    if (lines.length <= BATCH_BYTES) return lines.length;
    const last = this.finder.lastEnd(lines.subarray(0, BATCH_BYTES), 0);
    return last > 0 ? last : this.finder.firstEnd(lines, 0);
  }
}

/** The keyed line of a line given in pieces with its delimiter, which are released as they are passed on. */
async function* keyedLongLine(line: Uint8Array[], { ordering, presence }: InputKeys): AsyncGenerator<Uint8Array> {
  const key: Uint8Array[] = [];
  await longLineKeys(ordering, presence)(recordOfPieces(line), async (piece) => {
    key.push(new Uint8Array(piece));
  });
  for (const list of [key, line]) for (let piece = list.shift(); piece !== undefined; piece = list.shift()) yield piece;
}

/** The length of a line that is given in pieces, without its delimiter. */
function lineBytes(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, -1);
}

/** A line given in pieces with its delimiter, as a record, readable once and sequentially. */
function recordOfPieces(pieces: readonly Uint8Array[]): Pick<LargeRecord, 'bytes' | 'readAt'> {
  let number = 0;
  let within = 0;
  return {
    bytes: lineBytes(pieces),
    async readAt(_, target) {
      for (let done = 0; done < target.length; ) {
        const piece = pieces[number];
        const part = piece.subarray(within, within + target.length - done);
        target.set(part, done);
        done += part.length;
        within += part.length;
        if (within === piece.length) [number, within] = [number + 1, 0];
      }
      await rest();
    },
  };
}

function keyedLines(keys: KeyMaker, lines: Uint8Array): Buffer {
  return joined(keys.keyed(lines));
}

function joined(pieces: readonly SharedArrayBuffer[]): Buffer {
  return pieces.length === 1 ? Buffer.from(pieces[0]) : Buffer.concat(pieces.map((piece) => new Uint8Array(piece)));
}

/** The records of a sample, without delimiters and one list per window, as engines hold them. */
export function engineRecords(
  windows: readonly (readonly Uint8Array[])[],
  ordering: Ordering,
): readonly (readonly Uint8Array[])[] {
  if (ordering.encoding !== undefined) {
    const hold = recordHolder(ordering);
    return windows.map((records) => records.map(hold));
  }
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

/** Yields records, without delimiters, as engines hold them, one by one. */
export function recordHolder(ordering: Ordering): (record: Uint8Array) => Uint8Array {
  const { encoding } = ordering;
  if (encoding !== undefined) {
    const encoder = new RecordEncoder(encoding);
    return (record) => {
      const copy = Uint8Array.from(record);
      encoder.encode(copy);
      return copy;
    };
  }
  if (!isKeyed(ordering)) return (record) => record;
  const keys = new KeyMaker(ordering);
  const end = Uint8Array.of(recordFinder(ordering.format).delimiter!);
  return (record) => keyedLines(keys, Buffer.concat([record, end])).subarray(0, -1);
}

/** Minimum length of a line that is worth a thread, which takes 20 ms to start. */
const LONG_BYTES = 4 << 20;

/** The remedy if a thread runs out of memory. */
const MEMORY_HINT = 'Shorten the longest lines: keys are limited to lines of a few hundred megabytes.';

/** Whether longLineKeys should make the key of a line of this length. */
const isLong = (bytes: number): boolean => bytes >= LONG_BYTES;

/** Makes the keys of one line after another. The thread of a long line ends with it, which frees its memory. */
function longLineKeys(ordering: Ordering, presence: Presence | null): WriteKey {
  const data = { ordering, module: compileKeyKernels(), presence };
  /** Used for lines that are not worth a thread. */
  let own: KeyReader | undefined;
  return async (record, write) => {
    if (!isLong(record.bytes)) return (own ??= new KeyReader(openLongKeyWorker(data))).write(record, write);
    let perform: ((task: LongKeyTask) => number) | undefined;
    const crew = createCrew({
      workers: 1,
      role: { name: 'long-key', data },
      helps: false,
      explain: (error) => explainMemory(error, 'memory exhausted while making keys', MEMORY_HINT),
      perform: inOneStep((task: LongKeyTask) => (perform ??= openLongKeyWorker(data))(task)),
    });
    try {
      await new KeyReader((task) => crew.perform(task)).write(record, write);
    } finally {
      await crew.close();
    }
  };
}

/**
 * How a line that is larger than a chunk is placed among runs; null: it is compared as it was read. `presence`: see
 * KeyMaker.
 */
export function placeLargeBy(ordering: Ordering, store: TemporaryStore, presence: Presence | null): PlaceLarge | null {
  if (isKeyed(ordering)) {
    const writeKey = longLineKeys(ordering, presence);
    return (record, slices) => keyedLarge(record, ordering, store, slices, writeKey);
  }
  return isCollated(ordering) ? (record) => lineRun(record, ordering, store) : null;
}
