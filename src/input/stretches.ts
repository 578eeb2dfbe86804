/**
 * Reads the stored bytes of inputs in stretches, for a sort of BAM or an engine that inflates: those of files by many
 * reads at once, those of pipes as they arrive. A stretch is read while the one before it is added.
 */
import { detectCompression } from '../codecs/detect.js';
import type { BamSort } from '../contract/bam-sort.js';
import type { Chunk, StretchTaker } from '../contract/engine.js';
import type { Recorder } from '../report/recorder.js';
import { abortable, FillingSource } from '../system/byte-source.js';
import { fileSystem } from '../system/file-system.js';
import { inParallel, quiet, untilAborted } from '../system/promises.js';
import { closeInput, type InputFile, inputChanged, isUnchanged, openInput, readFully, withOpenFile } from './files.js';
import { type NamedForm, namedForm } from './misnamed.js';
import type { Replay } from './replay.js';

/** Bytes that show a compression. */
const HEAD_BYTES = 64;
/** Reads of a stretch under way at once. */
const READS_AT_ONCE = 8;

/** A filled stretch, and its bytes. */
type FilledStretch = readonly [Chunk, number];

/**
 * Whether an input is BGZF, which nobody but the sort wants to see inflated: a whole file, or a pipe whose bytes are
 * kept. Waits for the first bytes of a pipe.
 */
export async function isBgzf(input: InputFile): Promise<boolean> {
  const { name, format, taker, replay, mates } = input;
  if (taker !== undefined || mates.length > 0) return false;
  const head = replay === undefined ? await headOfFile(input) : await headOfPipe(input, replay);
  // The host refuses a pipe whose name says otherwise.
  return head !== null && detectCompression(head) === 'bgzf' && namesBgzf(namedForm(name, format));
}

/** The first bytes of an input that is a whole compressed file. */
async function headOfFile(input: InputFile): Promise<Uint8Array | null> {
  const { compressed, extent, size } = input;
  if (!compressed || extent?.begin !== 0 || extent.end !== size) return null;
  return withOpenFile(input, async ({ fd, label, end }) => {
    const head = new Uint8Array(Math.min(HEAD_BYTES, end));
    await readFully(fd, head, 0, label);
    return head;
  });
}

async function headOfPipe({ signal }: Pick<InputFile, 'signal'>, replay: Replay): Promise<Uint8Array> {
  const arrived = replay.readAhead(HEAD_BYTES);
  const { head } = await (signal === undefined ? arrived : untilAborted(signal, arrived));
  return head.subarray(0, HEAD_BYTES);
}

const namesBgzf = (named: NamedForm | null): boolean => named === null || named.compression === 'bgzf';

/** The stretches of an input. */
export interface Stretches {
  /** Opens the next stretch and fills it; null at the end of the input. Calls do not overlap. */
  next(): Promise<FilledStretch | null>;
  /** Ends the read that is under way. Memory must not be freed before it has settled. */
  stop(): void;
  close(): void;
}

/** Adds all bytes of an input, which the sort has begun. */
export async function readStretches(sort: BamSort, input: InputFile, recorder: Recorder): Promise<void> {
  const stretches = await openStretches(sort, input, recorder);
  try {
    await addAll(sort, stretches);
  } finally {
    stretches.close();
  }
}

/** Opens an input that is a file, or whose bytes are kept. */
export function openStretches(taker: StretchTaker, input: InputFile, recorder: Recorder): Promise<Stretches> {
  return input.replay === undefined
    ? openFile(taker, input, recorder)
    : Promise.resolve(openReplay(taker, input, input.replay, recorder));
}

async function openFile(taker: StretchTaker, input: InputFile, recorder: Recorder): Promise<Stretches> {
  const { label, extent } = input;
  const { begin: first, end } = extent!;
  const fd = await openInput(input);
  // Its header was read through an earlier descriptor.
  if (!isUnchanged(input, fd)) {
    closeInput(input, fd);
    throw inputChanged(label, 'changed');
  }
  let next = first;
  return {
    next: async () => {
      const { stretchBytes, pieceBytes } = taker;
      const begin = next;
      const bytes = Math.min(stretchBytes, end - begin);
      if (bytes === 0) {
        if (fileSystem.fstatSync(fd).size !== BigInt(end)) throw inputChanged(label, 'became longer');
        return null;
      }
      next += bytes;
      const { chunk, from } = taker.openStretch(bytes);
      const pieces = Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, i) => i * pieceBytes);
      return filled(chunk, async () => {
        await inParallel(pieces, READS_AT_ONCE, async (at) => {
          const length = Math.min(pieceBytes, bytes - at);
          await fillPiece(chunk, from + at, recorder, async (piece) => {
            const target = piece.subarray(0, length);
            await readFully(fd, target, begin + at, label);
            return length;
          });
        });
        return bytes;
      });
    },
    stop: () => {},
    close: () => closeInput(input, fd),
  };
}

function openReplay(
  taker: StretchTaker,
  { signal }: Pick<InputFile, 'signal'>,
  replay: Replay,
  recorder: Recorder,
): Stretches {
  const reader = replay.reader();
  const source = new FillingSource(signal === undefined ? reader : abortable(reader, signal));
  let done = 0;
  return {
    next: async () => {
      const { stretchBytes, pieceBytes } = taker;
      // The end may be known already.
      const most = Math.min(stretchBytes, (replay.bytes ?? Infinity) - done);
      if (most === 0) return null;
      const { chunk, from } = taker.openStretch(most);
      const stretch = await filled(chunk, async () => {
        let bytes = 0;
        for (let isFull = true; isFull && bytes < most; ) {
          const length = Math.min(pieceBytes, most - bytes);
          const count = await fillPiece(chunk, from + bytes, recorder, (piece) =>
            source.fill(piece.subarray(0, length)),
          );
          bytes += count;
          isFull = count === length;
        }
        return bytes;
      });
      done += stretch[1];
      if (stretch[1] > 0) return stretch;
      chunk.release();
      return null;
    },
    stop: () => source.close(),
    close: () => source.close(),
  };
}

/** The chunk, once `fill` has filled it with the bytes that it returns. If that fails, releases the chunk. */
async function filled(chunk: Chunk, fill: () => Promise<number>): Promise<FilledStretch> {
  try {
    return [chunk, await fill()];
  } catch (error) {
    chunk.release();
    throw error;
  }
}

/** Opens the piece at `offset`, and commits the bytes that `fill` puts into it. */
async function fillPiece(
  chunk: Chunk,
  offset: number,
  recorder: Recorder,
  fill: (piece: Uint8Array) => Promise<number>,
): Promise<number> {
  const piece = await chunk.openPiece(offset);
  let count = 0;
  try {
    const started = performance.now();
    count = await fill(piece.bytes);
    recorder.span('read', started, count);
    recorder.advance('reading', count);
    return count;
  } finally {
    piece.commit(count);
  }
}

async function addAll(sort: BamSort, stretches: Stretches): Promise<void> {
  let next = stretches.next();
  for (let stretch = await next; stretch !== null; stretch = await next) {
    next = stretches.next();
    // Awaited in the next round.
    quiet(next);
    try {
      await sort.add(...stretch);
    } catch (error) {
      stretches.stop();
      // Memory must not be freed under a read.
      await next.then(
        (other) => other?.[0].release(),
        () => {},
      );
      throw error;
    }
  }
}
