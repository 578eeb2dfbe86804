/** A task that copies a range to its place in the output, once the sizes of all ranges are known. */

import { displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { closeQuietly, copyFileBytes, readFilling } from '../system/transfer.js';
import type { JobDirectory } from './directory.js';
import { type ClusterJob, DamagedFile, readJson, writeJson } from './job-file.js';
import type { RangeResult } from './range-task.js';
import { edgesOf, writeEdges } from './range-writer.js';

/** Where the ranges begin in the output, written once all their sizes are known. */
export function writePlaces(directory: JobDirectory, results: readonly RangeResult[]): Promise<void> {
  let begin = 0;
  const places = results.map(({ bytes }) => {
    begin += bytes;
    return begin - bytes;
  });
  return writeJson(directory.places(), places);
}

/** Copies range `number` to its place, except its ragged edges, which are left to the client. */
export async function placePart(
  directory: JobDirectory,
  { text }: ClusterJob,
  number: number,
  recorder: Recorder,
): Promise<void> {
  const begin = (readJson(directory.places()) as readonly number[])[number];
  const { bytes } = readJson(directory.range(number)) as RangeResult;
  const { head, tail } = edgesOf(begin, begin + bytes);
  recorder.advance('writing', 0, bytes);
  const from = await fileSystem.open(directory.part(number), 'r').catch((error: unknown) => {
    throw systemError('read-failed', 'open failed', displayName(directory.part(number)), error);
  });
  try {
    if (Number(fileSystem.fstatSync(from).size) !== bytes)
      throw new DamagedFile(
        directory.part(number),
        `Run the same command again after: rm ${displayName(directory.range(number))}`,
      );
    const to = await fileSystem.open(text, 'r+');
    try {
      await copyFileBytes(from, to, { begin: head, end: bytes - tail, shift: begin });
      await fileSystem.fsync(to);
      const edges = Buffer.allocUnsafe(head + tail);
      await readFilling(from, edges.subarray(0, head), 0);
      await readFilling(from, edges.subarray(head), bytes - tail);
      await writeEdges(directory.edges(number), [edges]);
    } finally {
      closeQuietly(to);
    }
  } catch (error) {
    throw error instanceof GpusortError ? error : systemError('write-failed', 'write failed', displayName(text), error);
  } finally {
    closeQuietly(from);
  }
  await writeJson(directory.placed(number), { begin });
}
