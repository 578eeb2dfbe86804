/**
 * Cuts the inputs into chunks of whole records and reads them straight into the engine's memory. For files, it finds
 * the boundaries first, in small windows; then many positional reads fill the chunk. Inputs that are read sequentially
 * fill the chunk as their bytes come: the bytes after its last whole record wait for the next chunk. A record too large
 * for a chunk becomes a LargeRecord: an extent of its file, or a blob if its input is read sequentially.
 */
import type { Chunk, Engine, EngineInflater, InflatedRecords } from '../contract/engine.js';
import type { SegmentRule } from '../job/ordering.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import type { LargeRecord } from '../runs/large.js';
import type { InputPlace } from '../runs/placed-run.js';
import type { TemporaryStore } from '../runs/store.js';
import { emitStored } from '../runs/stored-run.js';
import { mostOpenInputs } from '../system/limits.js';
import { allOver, quiet, rest } from '../system/promises.js';
import { type BegunInput, openSequential } from './beginning.js';
import { endsComplete, lastRecordEnd, lastSegmentEnd, nextRecordEnd, type OpenFile } from './boundary.js';
import { warnIfCompressed, warnIfFileCompressed } from './decompress.js';
import {
  closeInput,
  contentOf,
  endsInside,
  type FileExtent,
  type InputFile,
  inputChanged,
  openInput,
  positional,
  readFully,
  SMALL_FILE_BYTES,
  smallFile,
} from './files.js';
import { fillChunk, PieceWriter, type TextExtent } from './fill-chunk.js';
import type { Headers } from './header.js';
import type { SequentialRecords } from './sequential-records.js';
import { isBgzf, openStretches, type Stretches } from './stretches.js';

/** The next portion of the input, in input order. */
type Portion =
  | {
      readonly kind: 'chunk';
      readonly chunk: Chunk;
      readonly bytes: number;
      /** Settles when the chunk has been read. */
      readonly filled: Promise<void>;
      /** Where its text may be read again; null: nowhere. */
      readonly place: InputPlace | null;
    }
  | { readonly kind: 'large'; readonly record: LargeRecord }
  | {
      /** Bytes of an input that the engine inflates. */
      readonly kind: 'stretch';
      /** Inflates and orders them, once the stretch before has been ordered. */
      order(): Promise<InflatedRecords>;
      /** Called in place of `order` if that failed. */
      discard(): void;
    };

/** Maximum number of files that end in one chunk. They are open at the same time as those of a few other chunks. */
const MOST_FILES = 256;
/** The maximum bytes of small files in memory besides the chunk: those of `MOST_FILES` files. */
const MOST_SMALL_BYTES = MOST_FILES * SMALL_FILE_BYTES;
/**
 * For inputs that are read sequentially, the chunk size doubles whenever this many chunks of one size have been read.
 * So there are few chunks, but even a short input has some for each thread.
 */
const CHUNKS_PER_SIZE = 64;

/** A file of fewer chunks is not read again: that would save little memory. */
const REREAD_CHUNKS = 16;

interface Current extends OpenFile {
  readonly input: InputFile;
  at: number;
}

export class ChunkReader {
  private readonly inputs: readonly InputFile[];
  private readonly finder: RecordFinder;
  private readonly store: TemporaryStore;
  private readonly recorder: Recorder;
  private readonly segments: SegmentRule | undefined;
  private readonly headers: Headers | null;
  private readonly isOutput: (fd: number) => boolean;
  private next = 0;
  private file: Current | undefined;
  /** The open input that is read sequentially. */
  private sequential: BegunInput | null;
  /** Whether nothing of it was passed on. */
  private isNew = true;
  /** The open input that the engine inflates, and the bytes of its header. */
  private stored: { readonly stretches: Stretches; headerBytes: number | null } | null = null;
  /** Bytes of inputs read sequentially that were passed on so far. */
  private passedOn = 0;
  /**
   * Open files and their descriptors. A file stays open until all its chunks are read, or to the end if it has large
   * records.
   */
  private readonly open = new Map<InputFile, number>();
  /** Settles when all chunks so far are filled. */
  private filling: Promise<unknown> = Promise.resolve();
  /** Inputs that are read again when their records are written. */
  private readonly held = new Set<InputFile>();
  /** Maximum number of open inputs; half of them may be in `held`. */
  private readonly mostOpen = mostOpenInputs();

  /**
   * `first`: an input before `inputs`, which is open already; the reader closes it. `segments`: chunks of
   * files end at the end of a segment if one is near. `headers`: see openSequential. `isOutput`: whether an open file
   * is the output, or may be. Only other files are read again while it is written.
   */
  constructor(
    inputs: readonly InputFile[],
    finder: RecordFinder,
    store: TemporaryStore,
    recorder: Recorder,
    {
      first = null,
      segments,
      headers = null,
      isOutput = () => false,
    }: {
      readonly first?: BegunInput | null;
      readonly segments?: SegmentRule | undefined;
      readonly headers?: Headers | null;
      readonly isOutput?: (fd: number) => boolean;
    } = {},
  ) {
    this.inputs = inputs;
    this.finder = finder;
    this.store = store;
    this.recorder = recorder;
    this.sequential = first;
    this.segments = segments;
    this.headers = headers;
    this.isOutput = isOutput;
  }

  /**
   * The next portion; null at the end. To keep reads going without a gap, a chunk may be requested while the previous
   * one is still being filled in memory of `engine`.
   */
  async portion(engine: Engine): Promise<Portion | null> {
    for (;;) {
      if (this.sequential !== null && this.isNew) await this.leaveTo(engine, this.sequential);
      if (this.stored !== null) return this.storedPortion(engine.inflater!, this.stored);
      if (this.sequential !== null) {
        const portion = await this.sequentialPortion(engine, this.sequential.records);
        if (portion !== null) return portion;
        this.closeSequential();
      } else {
        const portion = await this.filePortion(engine);
        if (portion !== null) return portion;
      }
      if (this.sequential === null && this.file === undefined && !(await this.openNext(engine))) return null;
    }
  }

  /** Closes all open inputs. */
  close(): void {
    this.closeSequential();
    for (const [input, fd] of this.open) closeInput(input, fd);
    this.open.clear();
  }

  private closeSequential(): void {
    this.sequential?.records.close();
    this.sequential = null;
    this.stored?.stretches.close();
    this.stored = null;
  }

  /** Opens the next input. `engine` takes its chunks. */
  private async openNext(engine: Engine): Promise<boolean> {
    const input = this.inputs[this.next];
    if (input === undefined) return false;
    this.next++;
    const extent = positional(input);
    if (extent === null) {
      const records = await openSequential(input, this.finder, this.headers, this.recorder);
      this.sequential = { input, records };
      this.isNew = true;
    } else {
      const fd = await openInput(input);
      this.open.set(input, fd);
      if (engine.checksText === true && this.mayReadAgain(fd, extent, engine.chunkBytes)) this.held.add(input);
      this.file = { input, fd, label: input.label, end: extent.end, at: extent.begin };
      this.finder.checkWhole(input.label, extent.end - extent.begin);
      if (!input.headerStripped) await warnIfFileCompressed(input, fd, extent.begin);
    }
    return true;
  }

  /** A chunk of extents of one or more files; null if the next input is read sequentially or there is none. */
  private async filePortion(engine: Engine): Promise<Portion | null> {
    const extents: TextExtent[] = [];
    let place: InputPlace | null = null;
    const finished: InputFile[] = [];
    let bytes = 0;
    let copied = 0;
    const most = portionBytes(engine, engine.chunkBytes);
    while (
      finished.length < MOST_FILES &&
      copied < MOST_SMALL_BYTES &&
      (this.file !== undefined || this.nextIsPositional())
    ) {
      if (this.file === undefined) {
        const small = this.wholeFile(most - bytes);
        if (small !== null) {
          extents.push(small);
          copied += small.bytes;
          bytes += small.bytes + Number(small.addDelimiter);
          await rest();
          continue;
        }
        if (this.open.size >= this.mostOpen && finished.length === 0) await this.filling;
        if (this.open.size >= this.mostOpen && finished.length > 0) break;
        await this.openNext(engine);
      }
      const file = this.file!;
      if (file.at === file.end) {
        finished.push(file.input);
        this.file = undefined;
        continue;
      }
      let extent = await this.extentOf(file, most - bytes);
      if (extent === null && bytes === 0 && most < engine.chunkBytes)
        extent = await this.extentOf(file, engine.chunkBytes);
      if (extent === null) {
        if (bytes > 0) break;
        return { kind: 'large', record: await this.largeRecord(file) };
      }
      extents.push(extent);
      place = this.placeOf(file, extent);
      bytes += extent.bytes + Number(extent.addDelimiter);
      file.at += extent.bytes;
      if (file.at < file.end) break;
    }
    if (bytes === 0) {
      await this.filling;
      this.closeFinished(finished);
      return null;
    }
    const chunk = await engine.openChunk(bytes);
    const { finder, recorder } = this;
    const pieces = await fillChunk(chunk, engine.pieceBytes, { extents, bytes, finder, recorder });
    // Earlier chunks may still be reading files that end in this chunk.
    this.filling = allOver([this.filling, ...pieces]);
    const filled = this.filling.then(() => {
      this.closeFinished(finished);
    });
    // Handled by the caller that sorts the chunk.
    quiet(filled);
    return { kind: 'chunk', chunk, bytes, filled, place: extents.length === 1 ? place : null };
  }

  /** Whether an open file is large, and may be read again while the output is written. */
  private mayReadAgain(fd: number, { begin, end }: FileExtent, chunkBytes: number): boolean {
    return end - begin >= REREAD_CHUNKS * chunkBytes && this.mayHold() && !this.isOutput(fd);
  }

  /**
   * Where an extent may be read again; null: nowhere, because its file does not stay open, or a delimiter is missing.
   */
  private placeOf({ input, fd, label, at }: Current, { addDelimiter }: TextExtent): InputPlace | null {
    if (addDelimiter || !this.held.has(input)) return null;
    return {
      readAt: (byte, target) => readFully(fd, target, at + byte, label),
      changed: () => inputChanged(label, 'was written to'),
    };
  }

  /** Whether one more input may stay open. */
  private mayHold(): boolean {
    return 2 * this.held.size < this.mostOpen;
  }

  /** The next whole records of a file that fit into `room` bytes; null: not even one. */
  private async extentOf(file: Current, room: number): Promise<TextExtent | null> {
    const left = file.end - file.at;
    const source = { file, from: file.at };
    const addDelimiter = left <= room && !(await this.isComplete(file));
    if (left + Number(addDelimiter) <= room) return { source, bytes: left, addDelimiter };
    // Search only to the byte before the end of file: a last record without its delimiter does not fit, and is left for
    // the next chunk.
    let to = await lastRecordEnd(file, this.finder, file.at, Math.min(file.at + room, file.end - 1));
    if (to < 0) return null;
    if (this.segments !== undefined) to = await lastSegmentEnd(file, this.finder, this.segments, file.at, to);
    return { source, bytes: to - file.at, addDelimiter: false };
  }

  /** The next input, read and closed, if it is small and fits into `room` bytes; otherwise null. */
  private wholeFile(room: number): TextExtent | null {
    const input = this.inputs[this.next];
    const extent = smallFile(input);
    if (extent === null) return null;
    const bytes = extent.end - extent.begin;
    if (bytes + delimiterBytes(this.finder) > room) return null;
    this.next++;
    this.finder.checkWhole(input.label, bytes);
    const start = performance.now();
    const content = contentOf(input, extent);
    this.recorder.span('read', start, bytes);
    if (!input.headerStripped) warnIfCompressed(input, content);
    const { delimiter } = this.finder;
    const isWhole = bytes === 0 || delimiter === null || content[bytes - 1] === delimiter;
    return { source: content, bytes, addDelimiter: !this.checked(isWhole, input) };
  }

  /** Whether the last record has its delimiter. It may be missing only at the end of the file. */
  private async isComplete(file: Current): Promise<boolean> {
    return this.checked(await endsComplete(file, this.finder), file.input);
  }

  private checked(isComplete: boolean, input: InputFile): boolean {
    if (!isComplete && endsInside(input)) throw inputChanged(input.label, 'was written to');
    return isComplete;
  }

  private nextIsPositional(): boolean {
    const input = this.inputs[this.next];
    return input !== undefined && positional(input) !== null;
  }

  private closeFinished(finished: readonly InputFile[]): void {
    for (const input of finished) {
      const fd = this.open.get(input);
      if (fd === undefined || this.held.has(input)) continue;
      this.open.delete(input);
      closeInput(input, fd);
    }
  }

  private async largeRecord(file: Current): Promise<LargeRecord> {
    const from = file.at;
    const end = await nextRecordEnd(file, this.finder, from);
    const complete = end < file.end || (await this.isComplete(file));
    file.at = end;
    const bytes = end - from - (complete ? delimiterBytes(this.finder) : 0);
    const readAt = (byte: number, target: Uint8Array): Promise<void> =>
      readFully(file.fd, target, from + byte, file.label);
    if (!(this.held.has(file.input) || this.mayHold()) || this.isOutput(file.fd))
      return this.copyRecord({ bytes, readAt });
    this.held.add(file.input);
    return { bytes, readAt };
  }

  /** Copies a large record to the store, because its file should not stay open. */
  private async copyRecord(record: LargeRecord): Promise<LargeRecord> {
    const blob = this.store.create(null);
    await emitStored(record, 0, record.bytes, (piece) => blob.write(piece));
    return blob.finish();
  }

  /** Leaves an open input to the engine, if that inflates it. What the host has read of it is dropped. */
  private async leaveTo({ inflater }: Engine, { input, records }: BegunInput): Promise<void> {
    this.isNew = false;
    const { headers, recorder } = this;
    const changes = (headers?.renamingOf(input) ?? null) !== null;
    if (inflater === undefined || changes || !(await isBgzf(input))) return;
    records.close();
    this.sequential = null;
    const stretches = await openStretches(inflater, input, recorder);
    this.stored = { stretches, headerBytes: headers?.bytesOf(input) ?? 0 };
  }

  /** The next stretch of an input that the engine inflates, or its end. */
  private async storedPortion(
    inflater: EngineInflater,
    { stretches, headerBytes }: NonNullable<ChunkReader['stored']>,
  ): Promise<Portion> {
    const stretch = await stretches.next();
    if (headerBytes !== null) this.stored!.headerBytes = null;
    if (stretch === null) this.closeSequential();
    return {
      kind: 'stretch',
      order: () => {
        if (headerBytes !== null) inflater.begin(headerBytes);
        return stretch === null ? inflater.end() : inflater.add(...stretch);
      },
      discard: () => stretch?.[0].release(),
    };
  }

  /** A chunk of the next records of an input that is read sequentially; null at its end. */
  private async sequentialPortion(engine: Engine, records: SequentialRecords): Promise<Portion | null> {
    let capacity = growingChunkBytes(engine, this.passedOn);
    let next = await records.peek(capacity);
    if (next === 'large' && capacity < engine.chunkBytes) next = await records.peek((capacity = engine.chunkBytes));
    if (next === 'end') return null;
    if (next === 'large') {
      const blob = this.store.create(null);
      await records.drainRecord((bytes) => blob.write(bytes));
      return { kind: 'large', record: await blob.finish() };
    }
    const chunk = await (capacity < engine.chunkBytes ? engine.openChunk(capacity) : engine.openChunk());
    const bytes =
      chunk.bytes === undefined
        ? await drainInto(chunk, records, capacity)
        : await records.fill(chunk.bytes.subarray(0, capacity));
    this.passedOn += bytes;
    return { kind: 'chunk', chunk, bytes, filled: Promise.resolve(), place: null };
  }
}

/** Copies the next records into the pieces of a chunk. */
async function drainInto(chunk: Chunk, records: SequentialRecords, capacity: number): Promise<number> {
  const writer = new PieceWriter(chunk);
  const bytes = await records.drain(capacity, (part) => writer.write(part));
  writer.finish();
  return bytes;
}

/** Bytes of the next chunk of inputs that are read sequentially, of which `read` bytes were passed on. */
function growingChunkBytes(engine: Engine, read: number): number {
  const { chunkBytes, firstChunkBytes = chunkBytes } = engine;
  let bytes = firstChunkBytes;
  while (bytes < chunkBytes && read >= CHUNKS_PER_SIZE * bytes) bytes *= 2;
  return portionBytes(engine, Math.min(bytes, chunkBytes));
}

/** Bytes of the next chunk, at most `most`. */
function portionBytes(engine: Engine, most: number): number {
  return Math.min(most, engine.portionBytes?.() ?? most);
}
