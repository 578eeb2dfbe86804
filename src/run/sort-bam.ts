/**
 * Sorts inputs into BAM without lines, all of their text in memory: a GPU by coordinate or name (src/engines/gpu/bam/),
 * threads BAM in any order, and SAM by coordinate or name (src/engines/cpu/bam/). Unites headers, fills stretches
 * (src/input/stretches.ts) and writes the blocks. src/plan/bam.ts decides which jobs take this road.
 */
import { textOf } from '../codecs/bgzf.js';
import type { BamInput, BlockOutput, PreparedBam } from '../contract/bam-sort.js';
import { Declined } from '../contract/engine.js';
import { type Headers, headerToWrite } from '../input/header.js';
import type { Inputs } from '../input/inputs.js';
import { keptBytes } from '../input/replay.js';
import { storedSize } from '../input/stored-size.js';
import { readStretches } from '../input/stretches.js';
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { partsOf } from '../keys/orders.js';
import type { Sink } from '../output/sink.js';
import { bamSource, isByCoordinate } from '../plan/bam.js';
import { compressesOnDevice } from '../plan/device-codec.js';
import type { Plan } from '../plan/plan.js';
import { convertHeader, namesIn } from '../records/convert-header.js';
import type { Recorder } from '../report/recorder.js';
import { GpusortError } from '../system/errors.js';
import type { Caller } from './caller.js';
import { openBamSort } from './open-engine.js';

/**
 * Sorts the inputs of the job into the sink, by a plan for BAM. The job must satisfy isPlainBam. Throws Declined, with
 * nothing written, if an engine has to do it.
 */
export async function sortBam(
  plan: Plan,
  job: SortJob,
  inputs: Inputs,
  { write, blocks }: Pick<Sink, 'write' | 'blocks'>,
  { recorder, caller }: { readonly recorder: Recorder; readonly caller: Caller },
): Promise<void> {
  // Threads would compress all blocks in vain, and text of converted records would be taken for lines.
  if (blocks === null && (plan.engine === 'cpu' || bamSource(job) === 'sam'))
    throw new Declined('a part of the output is written');
  const headers = headersAsTheyAre(inputs);
  const header = headerToWrite(job, headers)!();
  const { references, contigs, headerBytes } = await headerAsBam(headers, header);
  // A plan of this kind has read ahead in pipes: no more is needed.
  const { bytes, isWhole } = (await storedSize(inputs.files, 0))!;
  const input: BamInput = {
    bytes: isWhole ? bytes : null,
    keptBytes: () => keptBytes(inputs.files),
    rows: rowsOf(job),
    references,
    contigs,
  };
  const { level } = job.output.compression!;
  const sort = await openBamSort(plan, input, level, recorder, caller.takeGpu);
  try {
    for (const file of inputs.files) {
      if (file.replay?.bytes === 0) continue;
      sort.begin(contigs === null ? headers.bytesOf(file) : 0);
      await readStretches(sort, file, recorder);
      await sort.end();
    }
    const prepared = await sort.prepare();
    // Progress counts the text that is sorted, before it is converted.
    recorder.advance('writing', 0, header.length + prepared.sourceBytes);
    await write(header);
    const compresses = plan.engine === 'cpu' || compressesOnDevice(level);
    const ofBam = blocks && counted(blocks, prepared, recorder);
    await prepared.write({
      headerBytes,
      // The output converts what `write` takes.
      text: contigs === null ? write : ofBam!.compress,
      blocks: compresses ? ofBam : null,
    });
    caller.tally?.take(prepared.records);
  } finally {
    await sort.close();
  }
}

/**
 * The ordering of the records as BAM, if it is not by coordinate. Its keys are made so that smaller ones come first.
 */
function rowsOf(job: SortJob): Ordering | null {
  if (isByCoordinate(job)) return null;
  const { ordering, input } = job;
  const ascending: Ordering = { ...ordering, reverse: false };
  if (bamSource(job) === 'bam') return ascending;
  const parts = partsOf({ ...input.genomics!, format: 'bam' }, null);
  return { ...ascending, key: { kind: 'normalized', parts, seed: null } };
}

/** Reports written blocks as progress, in bytes of the source text that they were made from. */
function counted(blocks: BlockOutput, { bytes, sourceBytes }: PreparedBam, recorder: Recorder): BlockOutput {
  let done = 0;
  let reported = 0;
  const count = (textBytes: number): void => {
    done += textBytes;
    const now = Math.floor((done / bytes) * sourceBytes);
    recorder.advance('writing', now - reported);
    reported = now;
  };
  return {
    ...blocks,
    compress: (text) => {
      count(text.length);
      return blocks.compress(text);
    },
    write: (bytes, sizes) => {
      count(textOf(sizes));
      return blocks.write(bytes, sizes);
    },
  };
}

/** The headers that were read. Throws Declined if records would have to change to match them. */
function headersAsTheyAre({ files, headers }: Inputs): Headers {
  if (headers === null) throw new Declined('there is no header');
  if (headers.unitesReferences) throw new Declined('the inputs list different references');
  if (files.some((file) => headers.renamingOf(file) !== null))
    throw new Declined('IDs of @RG or @PG lines must change');
  return headers;
}

/** The references of the output, and the bytes of its header as BAM. Throws Declined. */
async function headerAsBam(
  headers: Headers,
  header: Uint8Array,
): Promise<Pick<BamInput, 'references' | 'contigs'> & { readonly headerBytes: number }> {
  const { bam, label } = headers;
  if (bam !== null) return { references: bam.references.length, contigs: null, headerBytes: header.length };
  try {
    const { bytes, contigs } = await convertHeader('bam', header, label);
    return { references: namesIn(contigs).length, contigs, headerBytes: bytes.length };
  } catch (error) {
    throw declinedHeader(error);
  }
}

/** The general path may find a problem of an input or of its records first. */
function declinedHeader(error: unknown): unknown {
  return error instanceof GpusortError ? new Declined(`of a header: ${error.message}`) : error;
}
