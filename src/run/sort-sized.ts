/**
 * Sorts BAM, or SAM into BAM, as sized records: threads inflate or convert groups of the stored bytes and sort them into
 * runs, which are combined as all runs are; merges compress. src/plan/bam.ts decides which jobs are done this way.
 */
import { type BlockTaker, Declined, type Slice } from '../contract/engine.js';
import type { CrewEngine } from '../engines/cpu/crew-engine.js';
import type { InputFile } from '../input/files.js';
import { closeReplays, keptBytes } from '../input/replay.js';
import { BlockGroups, LineGroups } from '../input/stored-groups.js';
import { readStretches } from '../input/stretches.js';
import type { Genomics, SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { partsOf } from '../keys/orders.js';
import type { Sink } from '../output/sink.js';
import { groupBytesOf } from '../plan/group-sizes.js';
import type { CpuPlan } from '../plan/plan.js';
import { TEXT_RATIO } from '../records/bam.js';
import { withContigs } from '../records/headers.js';
import type { Recorder } from '../report/recorder.js';
import { formatBytes } from '../report/units.js';
import type { CombineOptions } from '../runs/combine.js';
import { RunKeeper } from '../runs/keep.js';
import { wholeRun } from '../runs/partition.js';
import type { TemporaryStore } from '../runs/store.js';
import type { Sort } from './caller.js';
import { openGroupEngine } from './open-engine.js';
import type { BamInputs } from './bam-inputs.js';
import { GroupSorter } from './sort-groups.js';

/** The maximum length of a line, in groups. */
const GROUPS_PER_LINE = 8;
/** The smallest groups, with which inputs of unknown size begin. */
const FIRST_TEXT = 0;

/** Sorts the inputs of a job into the sink. Throws Declined, with nothing written, if lines have to be sorted instead. */
export async function sortSized(
  plan: CpuPlan,
  job: SortJob,
  { files, header, headers, references, contigs, headerBytes, isWhole }: BamInputs,
  store: TemporaryStore,
  { write, blocks }: Pick<Sink, 'write' | 'blocks'>,
  { recorder, caller }: Sort,
): Promise<void> {
  if (blocks === null) throw new Declined('the output is not BGZF');
  const { chunkBytes, windows, keptBytes: mostKept } = plan.bam!;
  const ordering = sizedOrdering(job, contigs);
  const refusesUnplaced = contigs !== null && job.input.genomics!.by === 'coordinate';
  const opened = await openGroupEngine(plan, ordering, { references, contigs, refusesUnplaced }, recorder);
  let rangeBytes = isWhole ? chunkBytes : groupBytesOf(FIRST_TEXT);
  const engine: CrewEngine = {
    ...opened,
    get rangeBytes() {
      return rangeBytes;
    },
  };
  try {
    const keeper = new RunKeeper(engine, ordering, store, { bounded: true, windows });
    const slices: Slice[] = [];
    let records = 0;
    const cutter = contigs === null ? new BlockGroups(rangeBytes) : new LineGroups(rangeBytes, GROUPS_PER_LINE * rangeBytes);
    const sorter = new GroupSorter(engine, {
      cutter,
      atOnce: engine.groupsAtOnce,
      textRatio: contigs === null ? TEXT_RATIO : 1,
      take: async (sorted) => {
        records += sorted.records!;
        slices.push(wholeRun(await keeper.keep(sorted, slices)));
        const kept = keptBytes(files);
        if (kept > mostKept) throw new Declined(`the ${formatBytes(kept)} of pipes that are kept do not fit into memory`);
        // Supposes that as much follows.
        if (!isWhole) rangeBytes = cutter.groupBytes = Math.min(chunkBytes, groupBytesOf(2 * sorter.textBytes));
      },
    });
    let headersBytes = 0;
    for (const file of files) {
      if (file.replay?.bytes === 0) continue;
      const own = contigs === null ? headers.bamBytesOf(file) : 0;
      headersBytes += own;
      sorter.begin(own);
      await readStretches(sorter, file, recorder);
      await sorter.end();
    }
    // Progress counts the text that is sorted, before it is converted.
    const textBytes = sorter.textBytes - headersBytes;
    recorder.advance('writing', 0, header.length + textBytes);
    await write(header);
    const { level } = job.output.compression!;
    await keeper.combine(slices, [], write, {
      form: 'plain',
      runs: 'released',
      merged: progressOf(textBytes, recorder),
      blocks: { before: headerBytes, level, wantsText: blocks.text !== null, taker: lettingGo(blocks.taker, files) },
    });
    caller.tally?.take(records);
  } finally {
    await opened.close();
  }
}

/** Reports merged bytes as progress, in bytes of the `textBytes` bytes of text that are sorted. */
function progressOf(textBytes: number, recorder: Recorder): NonNullable<CombineOptions['merged']> {
  let [done, total, reported] = [0, 0, 0];
  return (bytes, totalBytes = total) => {
    done += bytes;
    total = totalBytes;
    if (total === 0) return;
    const now = Math.floor((done / total) * textBytes);
    recorder.advance('writing', now - reported);
    reported = now;
  };
}

/** Drops what is kept of inputs when the first text is written: no other attempt may follow. */
function lettingGo(taker: BlockTaker, files: readonly InputFile[]): BlockTaker {
  return {
    text: (bytes) => {
      closeReplays(files);
      return taker.text(bytes);
    },
    blocks: (bytes, sizes, textBytes, text) => {
      closeReplays(files);
      return taker.blocks(bytes, sizes, textBytes, text);
    },
  };
}

/** How the records of BAM are ordered that lines of a job become. */
function sizedOrdering({ ordering, input }: SortJob, contigs: Uint8Array | null): Ordering {
  const sized: Ordering = { ...ordering, format: { kind: 'sized' } };
  if (contigs === null) return sized;
  const genomics: Genomics = { ...input.genomics!, format: 'bam' };
  const key = { kind: 'normalized', parts: partsOf(genomics, 'list'), seed: null } as const;
  return withContigs({ ...sized, key }, () => contigs);
}
