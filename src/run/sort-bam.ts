/**
 * Sorts BAM by coordinate on a GPU, all of its text in the memory of the device (src/engines/gpu/bam/). Fills stretches
 * (src/input/stretches.ts) and writes the blocks. src/plan/bam.ts decides which jobs are done this way.
 */
import type { BamInput, BlockOutput } from '../contract/bam-sort.js';
import type { InputFile } from '../input/files.js';
import { closeReplays, keptBytes } from '../input/replay.js';
import { readStretches } from '../input/stretches.js';
import type { SortJob } from '../job/job.js';
import type { Sink } from '../output/sink.js';
import { compressesOnDevice } from '../plan/bam.js';
import type { GpuPlan } from '../plan/plan.js';
import type { Recorder } from '../report/recorder.js';
import type { BamInputs } from './bam-inputs.js';
import type { Sort } from './caller.js';
import { openBamSort } from './open-engine.js';

/** Sorts the inputs of a job into the sink. Throws Declined, with nothing written, if an engine has to do it. */
export async function sortBam(
  plan: GpuPlan,
  job: SortJob,
  { files, header, headers, headerBytes, references, bytes, isWhole }: BamInputs,
  { write, blocks }: Pick<Sink, 'write' | 'blocks'>,
  { recorder, caller }: Sort,
): Promise<void> {
  const input: BamInput = { bytes: isWhole ? bytes : null, keptBytes: () => keptBytes(files), references };
  const { level } = job.output.compression!;
  const sort = await openBamSort(plan, input, level, recorder, caller.takeGpu);
  try {
    for (const file of files) {
      if (file.replay?.bytes === 0) continue;
      sort.begin(headers.bamBytesOf(file));
      await readStretches(sort, file, recorder);
      await sort.end();
    }
    const prepared = await sort.prepare();
    recorder.advance('writing', 0, header.length + prepared.bytes);
    await write(header);
    await prepared.write({
      headerBytes,
      text: write,
      blocks: compressesOnDevice(level) && blocks !== null ? counted(lettingGo(blocks, files), recorder) : null,
    });
    caller.tally?.take(prepared.records);
  } finally {
    await sort.close();
  }
}

/** Drops what is kept of inputs when the first block is written: no other attempt may follow. */
function lettingGo(blocks: BlockOutput, files: readonly InputFile[]): BlockOutput {
  return {
    ...blocks,
    begin: (head) => {
      closeReplays(files);
      return blocks.begin(head);
    },
  };
}

/** Reports the text of written blocks as progress. */
function counted(blocks: BlockOutput, recorder: Recorder): BlockOutput {
  return {
    ...blocks,
    begin: (head) => {
      recorder.advance('writing', head.length);
      return blocks.begin(head);
    },
    announce: (textBytes, blockBytes) => {
      blocks.announce(textBytes, blockBytes);
      recorder.advance('writing', textBytes);
    },
  };
}
