/**
 * Fills the memory of a chunk: with extents of files, by many positional reads at once, or with bytes as they come.
 * Does not search for the ends of records, but checks that those found earlier are still there.
 */

import type { Chunk, Piece } from '../contract/engine.js';
import type { RecordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import { copyBytes } from '../system/memory.js';
import { quiet } from '../system/promises.js';
import type { OpenFile } from './boundary.js';
import { inputChanged, type ReadRequest, readAll } from './files.js';

/** Text of a file. `addDelimiter`: a delimiter must follow. */
export interface TextExtent {
  /** The place of the text in an open file, or the text itself. */
  readonly source: { readonly file: OpenFile; readonly from: number } | Uint8Array;
  readonly bytes: number;
  readonly addDelimiter: boolean;
}

/** The last byte, by its offset in a piece, of an extent of `file` that ends with a delimiter of its own. */
interface OwnDelimiter {
  readonly at: number;
  readonly file: OpenFile;
}

/** The contents of a chunk: `bytes` bytes in all. */
interface Filling {
  readonly extents: readonly TextExtent[];
  readonly bytes: number;
  readonly finder: RecordFinder;
  readonly recorder: Recorder;
}

/**
 * Starts to read the extents, concurrently, into the pieces of the chunk. Resolves, once the last piece has memory, to
 * a promise for each piece.
 */
export async function fillChunk(
  chunk: Chunk,
  pieceBytes: number,
  { extents, bytes, finder, recorder }: Filling,
): Promise<Promise<void>[]> {
  const pieces: Promise<void>[] = [];
  const filler = new PieceFiller(extents, finder);
  for (let offset = 0; offset < bytes; offset += pieceBytes) {
    const piece = await chunk.openPiece(offset).catch(async (error: unknown) => {
      await Promise.allSettled(pieces);
      throw error;
    });
    const length = Math.min(piece.bytes.length, bytes - offset);
    const { requests, ends, copied } = filler.fill(piece, length);
    // Commit the piece even if reading failed: the next one may be waiting for its memory.
    recorder.advance('reading', copied);
    const read = readPiece(requests, length - copied, recorder)
      .then(() => {
        checkEnds(piece, ends, finder);
      })
      .then(
        () => piece.commit(length),
        (error: unknown) => {
          piece.commit(0);
          throw error;
        },
      );
    // Handled when all have settled.
    quiet(read);
    pieces.push(read);
  }
  return pieces;
}

/** The contents of a piece: the reads still to do, the extents that end in it, and the bytes that are already there. */
interface PiecePlan {
  readonly requests: ReadRequest[];
  readonly ends: OwnDelimiter[];
  copied: number;
}

/** Lays extents out in pieces, one after another. */
class PieceFiller {
  private readonly extents: readonly TextExtent[];
  private readonly finder: RecordFinder;
  private current = 0;
  /** Bytes of the current extent assigned so far. */
  private within = 0;

  constructor(extents: readonly TextExtent[], finder: RecordFinder) {
    this.extents = extents;
    this.finder = finder;
  }

  /** Fills the first `length` bytes of the next piece, except for parts that must be read. */
  fill({ bytes: memory }: Piece, length: number): PiecePlan {
    const plan: PiecePlan = { requests: [], ends: [], copied: 0 };
    for (let at = 0; at < length; ) {
      const { source, bytes, addDelimiter } = this.extents[this.current];
      const left = bytes - this.within;
      const count = Math.min(left, length - at);
      this.assign(source, memory.subarray(at, at + count), plan);
      at += count;
      if (count < left || (addDelimiter && at === length)) continue;
      if (addDelimiter) memory[at++] = this.finder.delimiter!;
      else if (!(source instanceof Uint8Array)) plan.ends.push({ at: at - 1, file: source.file });
      this.current++;
      this.within = 0;
    }
    return plan;
  }

  /** Fills `target` with the next bytes of the current extent. */
  private assign(source: TextExtent['source'], target: Uint8Array, plan: PiecePlan): void {
    const from = this.within;
    this.within += target.length;
    if (source instanceof Uint8Array) {
      copyBytes(source.subarray(from, from + target.length), target);
      plan.copied += target.length;
    } else if (target.length > 0) {
      const { fd, label } = source.file;
      plan.requests.push({ fd, label, position: source.from + from, target });
    }
  }
}

async function readPiece(requests: readonly ReadRequest[], bytes: number, recorder: Recorder): Promise<void> {
  if (requests.length === 0) return;
  const start = performance.now();
  await readAll(requests);
  recorder.span('read', start, bytes);
  recorder.advance('reading', bytes);
}

/**
 * Checks that extents end in a delimiter where one was found. If it is gone, the file has changed, and the engine would
 * lose the text after the last delimiter.
 */
function checkEnds(piece: Piece, ends: readonly OwnDelimiter[], finder: RecordFinder): void {
  const changed = ends.find(({ at }) => finder.delimiter !== null && piece.bytes[at] !== finder.delimiter);
  if (changed !== undefined) throw inputChanged(changed.file.label, 'was written to');
}

/** Writes bytes of any lengths one after another into a chunk's pieces. */
export class PieceWriter {
  private readonly chunk: Chunk;
  private piece: Piece | undefined;
  private at = 0;
  private offset = 0;

  constructor(chunk: Chunk) {
    this.chunk = chunk;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      this.piece ??= await this.chunk.openPiece(this.offset);
      const part = bytes.subarray(done, done + this.piece.bytes.length - this.at);
      copyBytes(part, this.piece.bytes, this.at);
      this.at += part.length;
      done += part.length;
      if (this.at === this.piece.bytes.length) this.finish();
    }
  }

  /** Commits the open piece. */
  finish(): void {
    this.piece?.commit(this.at);
    this.piece = undefined;
    this.offset += this.at;
    this.at = 0;
  }
}
