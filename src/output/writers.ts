/**
 * Writes blocks to a descriptor: one write at a time if its position is shared (standard output, pipes, devices),
 * several at once to a file of this program. A block's memory is free again when its promise settles. After a failure
 * all later writes fail.
 */
import type { BlockOutput } from '../contract/bam-sort.js';
import type { BlockWriter } from '../contract/engine.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError, systemError } from '../system/errors.js';
import { allOver } from '../system/promises.js';
import { isClosedPipe, writeFully } from '../system/transfer.js';

/**
 * Concurrent writes to a file of this program, and bytes of each. In memory (tmpfs) two writers reach 3.2 to 3.7 GB/s,
 * one writer 2.4 to 2.9 (H200 machine, 16 cores; cp 2.4 to 3.4). More writers or smaller parts do not help.
 */
const PARTS_AT_ONCE = 2;
const PART_BYTES = 4 << 20;
/**
 * Bytes of waiting blocks that one ordered write may contain: enough that the next blocks arrive during the write, even
 * if the main thread is busy.
 */
const GATHERED_BYTES = 32 << 20;

interface WaitingPart {
  readonly part: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/** The name of standard output in messages. */
export const STANDARD_OUTPUT_LABEL = "'standard output'";

/** Writes at the descriptor's own position, in the order of the calls. Waiting blocks are written together. */
export function orderedWriter(fd: number, label: string, recorder: Recorder): BlockWriter {
  return gatheringWriter(1, GATHERED_BYTES, recorder, (blocks) => writeNamed(fd, blocks, null, label));
}

/**
 * Writes blocks one after another from byte `begin` of a file, in parts, several at once. Small parts that wait are
 * written together. `whenFull`: the remedy if the disk is full.
 */
export function positionalWriter(
  fd: number,
  label: string,
  recorder: Recorder,
  whenFull?: string,
  begin = 0,
): BlockWriter {
  const writePart = gatheringWriter(PARTS_AT_ONCE, PART_BYTES, recorder, (parts, before) =>
    writeNamed(fd, parts, begin + before, label, whenFull),
  );
  return async (block) => {
    const parts: Promise<void>[] = [];
    for (let at = 0; at < block.length; at += PART_BYTES) parts.push(writePart(block.subarray(at, at + PART_BYTES)));
    // All parts must have settled before the caller may reuse the block.
    await allOver(parts);
  };
}

/**
 * Passes parts to `write` in the order of the calls, up to `atOnce` times at once. Parts that wait are passed together,
 * up to `mostBytes` unless one is larger: the runs of a few distinct lines meet in slices of a few KiB. `before`: the
 * bytes of all parts before these.
 */
function gatheringWriter(
  atOnce: number,
  mostBytes: number,
  recorder: Recorder,
  write: (parts: readonly Uint8Array[], before: number) => Promise<void>,
): BlockWriter {
  const waiting: WaitingPart[] = [];
  let free = atOnce;
  let before = 0;
  let failure: unknown;
  const drain = async (): Promise<void> => {
    free--;
    while (waiting.length > 0) {
      let bytes = 0;
      let count = 0;
      while (count < waiting.length && (count === 0 || bytes + waiting[count].part.length <= mostBytes))
        bytes += waiting[count++].part.length;
      const taken = waiting.splice(0, count);
      const begin = before;
      before += bytes;
      const start = performance.now();
      try {
        if (failure !== undefined) throw failure;
        await write(
          taken.map(({ part }) => part),
          begin,
        );
        recorder.span('write', start, bytes);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        failure = error;
        for (const { reject } of taken) reject(error);
      }
    }
    free++;
  };
  return (part) =>
    new Promise((resolve, reject) => {
      waiting.push({ part, resolve, reject });
      if (free > 0) void drain();
    });
}

/** Like writeFully, but errors name the output. */
async function writeNamed(
  fd: number,
  blocks: readonly Uint8Array[],
  position: number | null,
  label: string,
  whenFull?: string,
): Promise<void> {
  try {
    await writeFully(fd, blocks, position);
  } catch (error) {
    throw writeFailure(error, label, whenFull);
  }
}

/** The error of a failed write. */
export function writeFailure(error: unknown, label: string, whenFull?: string): GpusortError {
  if (isClosedPipe(error))
    return new GpusortError('broken-pipe', `write failed: ${label}: Broken pipe`, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return systemError('write-failed', 'write failed', label, error, isFull ? whenFull : undefined);
}

/**
 * The destination of a sink: a descriptor, written in order (sink.ts), or a temporary file that becomes FILE
 * (file-sink.ts).
 */
export interface Destination {
  /** Its name in messages. */
  readonly label: string;
  readonly file: number | null;
  /** See Sink. Absent: null. */
  readonly regularFile?: number | null;
  expect(bytes: number): void;
  write(block: Uint8Array): Promise<void>;
  /** Writes blocks in place of text, if this compresses to BGZF. */
  readonly blocks?: BlockOutput;
  /** Whether the text of blocks differs from the text that `write` takes. */
  readonly isConverted?: boolean;
  /** Completes the output, without putting it in place. `written`: total bytes. */
  complete(written: number): Promise<void>;
  /** Throws if it is known that complete output cannot be put in place; the message says where the output is. */
  check(): void;
  /** Makes complete output the contents of FILE. If it rejects, the error says where the output is. */
  place(): Promise<void>;
  /**
   * Gives complete output a name that is kept after the program ends. Returns a clause that says where it is now. null:
   * it needs none.
   */
  keep(): string | null;
  /** Ends the output after any failure. Removes it, unless keep() has named it or place() was called. */
  abort(): Promise<void>;
}
