/**
 * Reads the stored bytes of inputs into the stretches of a sort of BAM: those of files by many reads at once, those of
 * pipes as they arrive. A stretch is read while the one before it is added.
 */
import type { BamSort } from '../contract/bam-sort.js';
import type { Chunk } from '../contract/engine.js';
import type { Recorder } from '../report/recorder.js';
import { abortable, FillingSource } from '../system/byte-source.js';
import { fileSystem } from '../system/file-system.js';
import { inParallel, quiet } from '../system/promises.js';
import { type InputFile, inputChanged, isUnchanged, readFully, withOpenFile } from './files.js';
import type { Replay } from './replay.js';

/** Reads of a stretch under way at once. */
const READS_AT_ONCE = 8;

/** A filled stretch, and its bytes. */
type FilledStretch = readonly [Chunk, number];

/** Takes the stretches of an input. */
export type StretchTaker = Pick<BamSort, 'stretchBytes' | 'pieceBytes' | 'openStretch' | 'add'>;

/** Opens a stretch and fills it; null at the end of the input. Calls do not overlap. */
type ReadStretch = () => Promise<FilledStretch | null>;

/** Adds all bytes of an input, which the sort has begun. */
export function readStretches(sort: StretchTaker, input: InputFile, recorder: Recorder): Promise<void> {
  return input.replay === undefined ? readFile(sort, input, recorder) : readReplay(sort, input, input.replay, recorder);
}

async function readFile(sort: StretchTaker, input: InputFile, recorder: Recorder): Promise<void> {
  await withOpenFile(input, async ({ fd, label, end }) => {
    // Its header was read through an earlier descriptor.
    if (!isUnchanged(input, fd)) throw inputChanged(label, 'changed');
    let next = input.extent!.begin;
    const read = async (): Promise<FilledStretch | null> => {
      const { stretchBytes, pieceBytes } = sort;
      const begin = next;
      const bytes = Math.min(stretchBytes, end - begin);
      if (bytes === 0) return null;
      next += bytes;
      const { chunk, from } = sort.openStretch(bytes);
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
    };
    await addAll(sort, read, () => {});
    if (fileSystem.fstatSync(fd).size !== BigInt(end)) throw inputChanged(label, 'became longer');
  });
}

async function readReplay(
  sort: StretchTaker,
  { signal }: Pick<InputFile, 'signal'>,
  replay: Replay,
  recorder: Recorder,
): Promise<void> {
  const reader = replay.reader();
  const source = new FillingSource(signal === undefined ? reader : abortable(reader, signal));
  let done = 0;
  const read = async (): Promise<FilledStretch | null> => {
    const { stretchBytes, pieceBytes } = sort;
    // The end may be known already.
    const most = Math.min(stretchBytes, (replay.bytes ?? Infinity) - done);
    if (most === 0) return null;
    const { chunk, from } = sort.openStretch(most);
    const stretch = await filled(chunk, async () => {
      let bytes = 0;
      for (let isFull = true; isFull && bytes < most; ) {
        const length = Math.min(pieceBytes, most - bytes);
        const count = await fillPiece(chunk, from + bytes, recorder, (piece) => source.fill(piece.subarray(0, length)));
        bytes += count;
        isFull = count === length;
      }
      return bytes;
    });
    done += stretch[1];
    if (stretch[1] > 0) return stretch;
    chunk.release();
    return null;
  };
  try {
    await addAll(sort, read, () => source.close());
  } finally {
    source.close();
  }
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

/** Adds stretches. `stop` ends the read that is under way if one cannot be added. */
async function addAll(sort: StretchTaker, read: ReadStretch, stop: () => void): Promise<void> {
  let next = read();
  for (let stretch = await next; stretch !== null; stretch = await next) {
    next = read();
    // Awaited in the next round.
    quiet(next);
    try {
      await sort.add(...stretch);
    } catch (error) {
      stop();
      // Memory must not be freed under a read.
      await next.then(
        (other) => other?.[0].release(),
        () => {},
      );
      throw error;
    }
  }
}
