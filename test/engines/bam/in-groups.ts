/** Sorts BAM, or SAM as BAM, in groups of any size, as src/run/sort-sized.ts does. */
import { expect } from 'vitest';
import { BLOCK_TEXT, blocksBytes } from '../../../src/codecs/bgzf.js';
import type { BlockTaker, Slice } from '../../../src/contract/engine.js';
import { createGroupEngine } from '../../../src/engines/cpu/engine.js';
import { BlockGroups, LineGroups } from '../../../src/input/stored-groups.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { withContigs } from '../../../src/records/headers.js';
import { GroupSorter } from '../../../src/run/sort-groups.js';
import { RunKeeper } from '../../../src/runs/keep.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { TemporaryStore } from '../../../src/runs/store.js';
import { BGZF_END, unBgzf } from '../../support/genomics-bam.js';
import { parsed } from '../../support/in-process.js';
import { silent } from '../../support/jobs.js';
import { type AddFile, addBytes, REFERENCES, type SortedBam } from './sorting.js';

/** The ordering of BAM records that these options request; `contigs`: the names of references. */
export function bamOrdering(by: string, words: readonly string[] = [], contigs = 'a\nb\nc\n'): Ordering {
  const request = parsed(['--format', 'bam', '--by', by, ...words], 'gpusort');
  if (request.action !== 'sort') throw new Error(`not a sort: ${request.action}`);
  return withContigs({ ...request.job.ordering, format: { kind: 'sized' } }, () => Buffer.from(contigs));
}

export interface GroupSort {
  readonly ordering?: Ordering;
  readonly groupBytes?: number;
  /** Those of groups after the first stretch was opened. */
  readonly laterGroupBytes?: number;
  readonly workers?: number;
  readonly level?: number;
  /** Bytes of runs in memory. */
  readonly residentBytes?: number;
  readonly wantsText?: boolean;
  /** Lines of SAM are sorted, whose references have these names. */
  readonly contigs?: Buffer;
  /** Bytes of the header of the output. */
  readonly writtenBytes?: number;
  readonly add?: AddFile;
}

/** The text of a sort, the number of its records, and how many of its runs were in the store at once. */
export interface SortedGroups extends SortedBam {
  readonly stored: number;
  readonly records: number;
}

/** Collects what merges have compressed. */
class Collected implements BlockTaker {
  /** Bytes of the output's text so far. */
  private at: number;
  readonly parts: Buffer[] = [];
  readonly given: Buffer[] = [];

  constructor(headerBytes: number) {
    this.at = headerBytes;
  }

  async text(bytes: Uint8Array): Promise<void> {
    this.at += bytes.length;
    this.parts.push(Buffer.from(bytes));
    this.given.push(Buffer.from(bytes));
  }

  async blocks(bytes: Uint8Array, sizes: readonly number[], textBytes: number, text: Uint8Array | null): Promise<void> {
    // Blocks are full, and cut without regard to merges.
    expect([this.at % BLOCK_TEXT, textBytes % BLOCK_TEXT]).toEqual([0, 0]);
    this.at += textBytes;
    this.parts.push(unBgzf(Buffer.concat([bytes, BGZF_END])));
    if (text !== null) this.given.push(Buffer.from(text));
    expect([this.parts.at(-1)!.length, blocksBytes(sizes)]).toEqual([textBytes, bytes.length]);
  }
}

/** Sorts files, each with a header of so many bytes. Throws Declined. */
export async function sortedInGroups(
  files: readonly Buffer[],
  headerBytes: number,
  options: GroupSort = {},
): Promise<SortedGroups> {
  const { groupBytes = 1 << 20, workers = 0, level = 1, contigs = null } = options;
  const { ordering = bamOrdering('coordinate', [], contigs?.toString('latin1')) } = options;
  const {
    laterGroupBytes = groupBytes,
    residentBytes = 64 << 20,
    wantsText = true,
    writtenBytes = headerBytes,
    add = addBytes,
  } = options;
  const references = contigs === null ? REFERENCES : contigs.toString('latin1').split('\n').length - 1;
  const engine = await createGroupEngine({
    ...{ ordering, recorder: silent, workers, helps: workers === 0, residentBytes },
    ...{ chunkBytes: groupBytes, rangeBytes: groupBytes },
    stored: { references, contigs, refusesUnplaced: contigs !== null },
  });
  const store = new TemporaryStore([]);
  store.allowMemory(Infinity);
  try {
    const windows = { bytes: residentBytes, least: Math.min(groupBytes, residentBytes >> 3) };
    const keeper = new RunKeeper(engine, ordering, store, { bounded: true, windows });
    const slices: Slice[] = [];
    let stored = 0;
    let records = 0;
    const cutter = contigs === null ? new BlockGroups(groupBytes) : new LineGroups(groupBytes, 8 * groupBytes);
    const sorter = new GroupSorter(engine, {
      cutter,
      atOnce: engine.groupsAtOnce,
      textRatio: 1,
      take: async (sorted) => {
        records += sorted.records!;
        slices.push(wholeRun(await keeper.keep(sorted, slices)));
        cutter.groupBytes = laterGroupBytes;
        stored = Math.max(stored, slices.filter(({ run }) => run.kind === 'stored').length);
      },
    });
    for (const file of files) {
      sorter.begin(contigs === null ? headerBytes : 0);
      await add(sorter, file);
      await sorter.end();
    }
    const taker = new Collected(writtenBytes);
    const unexpected = (): never => {
      throw new Error('text was not compressed');
    };
    await keeper.combine(slices, [], unexpected, {
      ...{ form: 'plain', runs: 'released' },
      blocks: { before: writtenBytes, level, wantsText, taker },
    });
    return { text: Buffer.concat(taker.given), blocks: Buffer.concat(taker.parts), announced: 0, stored, records };
  } finally {
    await engine.close();
    store.close();
  }
}
