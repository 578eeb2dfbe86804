/**
 * Sorts a file of BAM by coordinate without its text leaving the GPU: the file is read as it is, and the GPU inflates
 * it, sorts the records and compresses them (src/engines/gpu/alignments/).
 */

import { Declined } from './engines/contract.js';
import type { AlignmentSort } from './engines/gpu/alignments/sort-alignments.js';
import { UPLOAD_BUFFERS } from './engines/gpu/thresholds.js';
import { openDevice } from './engines/open.js';
import { type InputFile, readFully, withOpenFile } from './input/files.js';
import { headerToWrite } from './input/header.js';
import type { Caller, Inputs } from './input/inputs.js';
import type { SortJob } from './job/job.js';
import type { Sink } from './output/sink.js';
import { machineFacts } from './plan/facts.js';
import { compressesOnDevice, leastRate } from './plan/on-device.js';
import type { Recorder } from './report/recorder.js';
import { inParallel } from './system/promises.js';

/** Sorts the input of the job into the sink. Throws Declined if an engine has to do it; nothing is written then. */
export async function sortBam(
  job: SortJob,
  { files: [file], headers }: Inputs,
  sink: Pick<Sink, 'write' | 'blocks'>,
  { recorder, takeGpu }: Pick<Caller, 'takeGpu'> & { readonly recorder: Recorder },
): Promise<void> {
  const bam = headers?.bam ?? null;
  const { extent } = file;
  if (bam === null || extent === null || extent.begin > 0 || headers!.renamingOf(file) !== null)
    throw new Declined('the input is not one whole file of BAM');
  const start = performance.now();
  const { AlignmentSort } = await import('./engines/gpu/alignments/sort-alignments.js');
  const gpu = await openDevice(takeGpu);
  try {
    const begun = {
      ...{ bytes: extent.end, headerBytes: bam.bytes, references: bam.references.length },
      leastRate: leastRate(job, machineFacts()),
    };
    const sort = new AlignmentSort(gpu, begun, recorder);
    recorder.span('start', start, 0);
    try {
      await readInto(sort, file, recorder);
      await write(job, sort, headerToWrite(job, headers)!, sink);
    } finally {
      await sort.close();
    }
  } finally {
    gpu.close();
  }
}

/** Reads the file in stretches. One is read while the one before it is inflated. */
async function readInto(sort: AlignmentSort, file: InputFile, recorder: Recorder): Promise<void> {
  await withOpenFile(file, async ({ fd, label, end }) => {
    const { stretchBytes, pieceBytes } = sort;
    const read = async (begin: number): Promise<Parameters<AlignmentSort['add']>> => {
      const bytes = Math.min(stretchBytes, end - begin);
      const { chunk, from } = sort.openStretch(bytes);
      try {
        const pieces = Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, i) => i * pieceBytes);
        await inParallel(pieces, UPLOAD_BUFFERS, async (at) => {
          const piece = await chunk.openPiece(from + at);
          const length = Math.min(pieceBytes, bytes - at);
          let filled = 0;
          try {
            const started = performance.now();
            await readFully(fd, piece.bytes.subarray(0, length), begin + at, label);
            filled = length;
            recorder.span('read', started, length);
            recorder.advance('reading', length);
          } finally {
            piece.commit(filled);
          }
        });
        return [chunk, bytes];
      } catch (error) {
        chunk.release();
        throw error;
      }
    };
    let next = read(0);
    for (let begin = 0; begin < end; begin += stretchBytes) {
      const [chunk, bytes] = await next;
      if (begin + stretchBytes < end) next = read(begin + stretchBytes);
      next.catch(() => {
        /* awaited in the next round */
      });
      try {
        await sort.add(chunk, bytes);
      } catch (error) {
        // The device's memory must not be freed under a read.
        await next.then(
          ([other]) => other.release(),
          () => {},
        );
        throw error;
      }
    }
  });
}

async function write(
  { output: { compression } }: SortJob,
  sort: AlignmentSort,
  header: () => Uint8Array,
  { write, blocks }: Pick<Sink, 'write' | 'blocks'>,
): Promise<void> {
  const prepared = await sort.prepare();
  await write(header());
  if (blocks === null || !compressesOnDevice(compression!.level)) return prepared.write({ text: write, blocks: null });
  const { begin, text, write: writeBlocks, announce } = blocks;
  await prepared.write({ begin, text, blocks: writeBlocks, onBlock: announce });
}
