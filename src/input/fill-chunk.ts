/**
 * Fills the memory of a chunk: with extents of files, by many positional reads at once, or with bytes as they come.
 * Knows no boundaries of records but checks that those found are still there.
 */

import type { Chunk, Piece } from '../engines/contract.js';
import type { RecordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import { copyBytes } from '../system/memory.js';
import type { OpenFile } from './boundary.js';
import { inputChanged, type ReadRequest, readAll } from './files.js';

/** Text of a file. `addDelimiter`: a delimiter must follow. */
export interface TextExtent {
  /** Where an open file has it, or the text itself. */
  readonly source: { readonly file: OpenFile; readonly from: number } | Uint8Array;
  readonly bytes: number;
  readonly addDelimiter: boolean;
}

/** The offset in a piece of the last byte of an extent of `file` that brings its own delimiter. */
interface End {
  readonly at: number;
  readonly file: OpenFile;
}

/**
 * Starts to read the extents, concurrently, into the pieces of the chunk. Resolves, once the last piece has memory, to
 * a promise for each piece.
 */
export async function fillChunk(
  chunk: Chunk,
  pieceBytes: number,
  extents: readonly TextExtent[],
  bytes: number,
  finder: RecordFinder,
  recorder: Recorder,
): Promise<Promise<void>[]> {
  const pieces: Promise<void>[] = [];
  let current = 0;
  let within = 0; // bytes of extents[current] assigned so far
  for (let offset = 0; offset < bytes; offset += pieceBytes) {
    const piece = await chunk.openPiece(offset).catch(async (error: unknown) => {
      await Promise.allSettled(pieces);
      throw error;
    });
    const length = Math.min(piece.bytes.length, bytes - offset);
    const requests: ReadRequest[] = [];
    const ends: End[] = [];
    let copied = 0;
    for (let at = 0; at < length; ) {
      const { source, bytes: whole, addDelimiter } = extents[current];
      const left = whole - within;
      const count = Math.min(left, length - at);
      if (source instanceof Uint8Array) {
        copyBytes(source.subarray(within, within + count), piece.bytes, at);
        copied += count;
      } else if (count > 0)
        requests.push({
          fd: source.file.fd,
          label: source.file.label,
          position: source.from + within,
          target: piece.bytes.subarray(at, at + count),
        });
      within += count;
      at += count;
      if (count === left && (!addDelimiter || at < length)) {
        if (addDelimiter) piece.bytes[at++] = finder.delimiter!;
        else if (!(source instanceof Uint8Array)) ends.push({ at: at - 1, file: source.file });
        current++;
        within = 0;
      }
    }
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
    read.catch(() => {
      /* handled when all have settled */
    });
    pieces.push(read);
  }
  return pieces;
}

async function readPiece(requests: readonly ReadRequest[], bytes: number, recorder: Recorder): Promise<void> {
  if (requests.length === 0) return;
  const start = performance.now();
  await readAll(requests);
  recorder.span('read', start, bytes);
  recorder.advance('reading', bytes);
}

/**
 * Checks that extents end in a delimiter where one was found. Otherwise the file was changed meanwhile, and the engine
 * would lose what follows the last delimiter.
 */
function checkEnds(piece: Piece, ends: readonly End[], finder: RecordFinder): void {
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
