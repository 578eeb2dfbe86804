/** Writes sorted runs of BAM: threads merge and compress ranges of them, whose blocks are written in order. */
import { BLOCK_TEXT, blockSizes, blocksBytes, blocksRoom } from '../../../codecs/bgzf.js';
import type { BamOutput, BlockOutput } from '../../../contract/bam-sort.js';
import { Declined } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import { InOrder } from '../../../system/in-order.js';
import { allOver, quiet } from '../../../system/promises.js';
import { createSharedMemory } from '../../../system/threads/buffers.js';
import type { Crew } from '../../../system/threads/crew.js';
import { type BamRange, outputRanges } from './ranges.js';
import type { BamRuns } from './runs.js';
import type { BamOutcome, BamTask, MadeRange } from './tasks.js';

/** The threads that make the ranges. */
interface Makers {
  readonly crew: Crew<BamTask, BamOutcome>;
  readonly threads: number;
  readonly recorder: Recorder;
}

/** The settings that all ranges share. */
interface Ranges {
  readonly references: number;
  /** Bytes of text in a range. */
  readonly rangeBytes: number;
  readonly level: number;
}

/** A finished range: its blocks and, from `textAt` on, their text if it is wanted. */
interface FinishedRange {
  readonly range: BamRange;
  readonly target: SharedArrayBuffer;
  readonly textAt: number;
  readonly made: MadeRange;
}

/** Throws Declined before anything is written. */
export async function writeRanges(
  { runs, texts }: BamRuns,
  { crew, threads, recorder }: Makers,
  { references, rangeBytes, level }: Ranges,
  { headerBytes, blocks }: BamOutput,
): Promise<void> {
  if (blocks === null) throw new Declined('the output is not BGZF');
  const wantsText = blocks.text !== null;
  // While each thread makes a range, as many others are ready or waiting.
  const most = 2 * threads;
  const targets = createSharedMemory(most + 2);
  const make = async (range: BamRange, isFirst: boolean): Promise<FinishedRange> => {
    const { slices, begin, end } = range;
    const textAt = blocksRoom(end - begin);
    const target = targets.take(textAt + (wantsText ? end - begin : 0));
    const start = performance.now();
    const made = await crew.perform({
      ...{ kind: 'range', texts, slices, references, begin, end, level, target },
      ...{ textAt: wantsText ? textAt : null, head: isFirst },
    });
    recorder.span('merge', start, end - begin);
    return { range, target, textAt, made: made as MadeRange };
  };
  let writing = Promise.resolve();
  const made = new InOrder<FinishedRange>(most, async (one) => {
    const { head } = one.made;
    if (head !== null) await blocks.compress(head);
    // One range is written while the next one is made.
    const before = writing;
    writing = writeMade(one, blocks).then(() => targets.give(one.target));
    // Awaited with the next range, or below.
    quiet(writing);
    await before;
  });
  try {
    let isFirst = true;
    for (const range of runs.length === 0 ? [] : outputRanges(runs, rangeBytes, headerBytes % BLOCK_TEXT)) {
      made.put(make(range, isFirst));
      isFirst = false;
      await made.room();
    }
    await made.taken();
  } finally {
    await writing;
  }
}

/** Writes the blocks of a range. Calls the writers before it waits, so ranges stay in order. */
async function writeMade({ range, target, textAt, made }: FinishedRange, blocks: BlockOutput): Promise<void> {
  const bytes = range.end - range.begin;
  const read = blocks.text?.(new Uint8Array(target, textAt, bytes));
  const written = blocks.write(new Uint8Array(target, 0, blocksBytes(made.blocks)), blockSizes(bytes, made.blocks));
  await allOver([read, written]);
}
