/**
 * Writes a range: either to a separate file, from byte 0; or at its place in the output, in whole blocks of EDGE_BYTES
 * only, because on network file systems no two nodes may write one page. The ragged edges go to a small file, which the
 * client copies.
 */

import { positionalWriter } from '../output/writers.js';
import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { isSameFile } from '../system/links.js';
import { closeQuietly } from '../system/transfer.js';
import { crc32 } from '../system/zlib.js';
import { createFile, writeWhole } from './directory.js';
import { DamagedFile, readJobFile } from './job-file.js';

/** The size of blocks that only one task writes: larger than the pages and stripes of common file systems. */
const EDGE_BYTES = 1 << 20;

const CHECKSUM_BYTES = 4;

const FULL = 'Free space there: the sorted output needs it.';

export interface RangeWriter {
  /** A descriptor for reading the written bytes, at the same offsets; null: there is none. */
  readonly file: number | null;
  write(block: Uint8Array): Promise<void>;
  /** Syncs everything to the file system. Resolves to the bytes written. */
  finish(): Promise<number>;
  abort(): void;
}

/** The parts of bytes [begin, end) of the output that a task leaves to the client. */
export function edgesOf(
  begin: number,
  end: number,
  edgeBytes = EDGE_BYTES,
): { readonly head: number; readonly tail: number } {
  const from = Math.ceil(begin / edgeBytes) * edgeBytes;
  const to = Math.floor(end / edgeBytes) * edgeBytes;
  return from >= to ? { head: end - begin, tail: 0 } : { head: from - begin, tail: end - to };
}

/** Writes the ragged edges of a range, and their checksum: nothing else would notice that they have changed. */
export function writeEdges(name: Buffer, edges: readonly Uint8Array[]): Promise<void> {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(Buffer.concat(edges)));
  return writeWhole(name, [...edges, checksum]);
}

/** The `length` bytes that `writeEdges` has written. Throws DamagedFile. */
export async function readEdges(name: Buffer, length: number): Promise<Buffer> {
  const bytes = (await readJobFile(name)) ?? Buffer.alloc(0);
  const edges = bytes.subarray(0, length);
  if (bytes.length !== length + CHECKSUM_BYTES || bytes.readUInt32LE(length) !== crc32(edges))
    throw new DamagedFile(name, 'Its range must be merged again.');
  return edges;
}

/** Writes the file `name`. */
export async function partWriter(name: Buffer, recorder: Recorder): Promise<RangeWriter> {
  const file = await createFile(name);
  const write = positionalWriter(file.fd, displayName(name), recorder, FULL);
  let bytes = 0;
  return {
    file: file.fd,
    write: (block) => {
      bytes += block.length;
      return write(block);
    },
    finish: async () => {
      await file.finish();
      return bytes;
    },
    abort: file.abort,
  };
}

/** Bytes [begin, end) of the file `output`, and the file of their edges. */
interface RangePlace {
  readonly output: Buffer;
  readonly edges: Buffer;
  readonly begin: number;
  readonly end: number;
}

/** Writes a range at its place, and its edges. `edgeBytes`: for tests. */
export async function placeWriter(
  { output, edges, begin, end }: RangePlace,
  recorder: Recorder,
  edgeBytes = EDGE_BYTES,
): Promise<RangeWriter> {
  const label = displayName(output);
  let fd: number;
  try {
    fd = await fileSystem.open(output, 'r+');
  } catch (error) {
    throw systemError('cannot-write', 'open failed', label, error);
  }
  const { head, tail } = edgesOf(begin, end, edgeBytes);
  const write = positionalWriter(fd, label, recorder, FULL, begin + head);
  const kept: Uint8Array[] = [];
  let at = begin;
  /**
   * The sort may have ended without this task, or have been started over: then the open file no longer belongs to it.
   */
  const refuseReplaced = (): void => {
    if (isGone(output, fd))
      throw new GpusortError('write-failed', `write failed: ${label} no longer belongs to this sort`);
  };
  return {
    file: null,
    write: async (block) => {
      refuseReplaced();
      const from = at;
      at += block.length;
      if (at > end) throw new GpusortError('internal', `internal error: a range has more than ${end - begin} bytes`);
      const first = Math.min(block.length, Math.max(0, begin + head - from));
      const last = Math.max(first, Math.min(block.length, end - tail - from));
      if (first > 0) kept.push(new Uint8Array(block.subarray(0, first)));
      if (last < block.length) kept.push(new Uint8Array(block.subarray(last)));
      if (first < last) await write(block.subarray(first, last));
    },
    finish: async () => {
      try {
        await fileSystem.fsync(fd);
        refuseReplaced();
        await fileSystem.close(fd);
      } catch (error) {
        throw error instanceof GpusortError ? error : systemError('write-failed', 'write failed', label, error);
      }
      await writeEdges(edges, kept);
      return at - begin;
    },
    abort: () => closeQuietly(fd),
  };
}

/** Whether the name no longer belongs to the open file. */
function isGone(name: Buffer, fd: number): boolean {
  try {
    return !isSameFile(fileSystem.statSync(name), fileSystem.fstatSync(fd));
  } catch {
    return true;
  }
}
