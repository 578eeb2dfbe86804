/**
 * Sorts a file of BAM by coordinate as it is, all of it in memory: a GPU (src/engines/gpu/bam/) or threads
 * (src/engines/cpu/bam/) inflate it, sort its records and compress them.
 */
import type { BamSort } from './engines/bam-sort.js';
import { Declined } from './engines/contract.js';
import { openBamSort } from './engines/open.js';
import { type InputFile, readFully, withOpenFile } from './input/files.js';
import { headerToWrite } from './input/header.js';
import type { Caller, Inputs } from './input/inputs.js';
import type { SortJob } from './job/job.js';
import type { Sink } from './output/sink.js';
import { compressesOnDevice } from './plan/bam.js';
import type { Plan } from './plan/plan.js';
import type { Recorder } from './report/recorder.js';
import { inParallel } from './system/promises.js';

/** Reads of a stretch under way at once. */
const READS_AT_ONCE = 8;

/**
 * Sorts the input of the job into the sink, by a plan for BAM. Throws Declined if an engine has to do it; nothing is
 * written then.
 */
export async function sortBam(
  plan: Plan,
  job: SortJob,
  { files: [file], headers }: Inputs,
  { write, blocks }: Pick<Sink, 'write' | 'blocks'>,
  { recorder, caller }: { readonly recorder: Recorder; readonly caller: Caller },
): Promise<void> {
  const bam = headers?.bam ?? null;
  const { extent } = file;
  if (bam === null || extent === null || extent.begin > 0 || headers!.renamingOf(file) !== null)
    throw new Declined('the input is not one whole file of BAM');
  const whole = { bytes: extent.end, headerBytes: bam.bytes, references: bam.references.length };
  const { level } = job.output.compression!;
  const sort = await openBamSort(plan, whole, level, recorder, caller.takeGpu);
  try {
    await readInto(sort, file, recorder);
    const prepared = await sort.prepare();
    const header = headerToWrite(job, headers)!();
    recorder.advance('writing', 0, header.length + prepared.bytes);
    await write(header);
    const compresses = plan.engine === 'cpu' || compressesOnDevice(level);
    await prepared.write({ headerBytes: header.length, text: write, blocks: compresses ? blocks : null });
    caller.tally?.take(prepared.records);
  } finally {
    await sort.close();
  }
}

/** Reads the file in stretches. One is read while the one before it is inflated. */
async function readInto(sort: BamSort, file: InputFile, recorder: Recorder): Promise<void> {
  await withOpenFile(file, async ({ fd, label, end }) => {
    const { stretchBytes, pieceBytes } = sort;
    const read = async (begin: number): Promise<Parameters<BamSort['add']>> => {
      const bytes = Math.min(stretchBytes, end - begin);
      const { chunk, from } = sort.openStretch(bytes);
      try {
        const pieces = Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, i) => i * pieceBytes);
        await inParallel(pieces, READS_AT_ONCE, async (at) => {
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
        // Memory must not be freed under a read.
        await next.then(
          ([other]) => other.release(),
          () => {},
        );
        throw error;
      }
    }
  });
}
