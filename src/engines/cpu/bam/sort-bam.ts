/**
 * Sorts BAM by coordinate with threads. They inflate groups of blocks and sort the records of each while it is in a
 * processor's cache; then they merge ranges of the output and compress them. Records are never lines, and have no keys
 * before them.
 *
 *     stretches of the file -> groups -> sorted runs    runs.ts
 *       -> ranges of the output -> blocks               ranges.ts, write-ranges.ts
 */

import { findBlocks, MOST_BLOCK_BYTES } from '../../../codecs/bgzf.js';
import { TEXT_RATIO } from '../../../records/bam.js';
import type { Recorder } from '../../../report/recorder.js';
import { formatBytes, MiB } from '../../../report/units.js';
import { explainMemory } from '../../../system/errors.js';
import { InOrder } from '../../../system/in-order.js';
import { copyBytes } from '../../../system/memory.js';
import { createSharedMemory, type SharedMemory } from '../../../system/threads/buffers.js';
import { type Crew, createCrew } from '../../../system/threads/crew.js';
import type { BamInput, BamSort, PreparedBam } from '../../bam-sort.js';
import { type Chunk, Declined } from '../../contract.js';
import type { EngineThreads } from '../worker.js';
import { MOST_REFERENCES } from './record-sorter.js';
import { BamRuns, type TextPlace } from './runs.js';
import {
  type BamOutcome,
  type BamTask,
  type BamTools,
  type BrokenGroup,
  bamSteps,
  type GroupTask,
  openTools,
  type SortedGroup,
} from './tasks.js';
import { writeRanges } from './write-ranges.js';

/** Bytes of a read. */
const PIECE_BYTES = MiB;
/** A group's share of a range should have about so many bytes: fewer cost more to copy. */
const SLICE_BYTES = 5000;
/** Bytes of text in a group, and in a range. The least fits a processor's own cache. */
const GROUP_BYTES = { least: MiB, most: 64 * MiB } as const;
/** Bytes of a memory for sorted text: an input that fills it needs as few as possible. */
const TEXT_BYTES = 256 * MiB;
/** Memory beside text: keys and ends of records, for each byte of text. */
const INDEX_SHARE = 1 / 10;
/** The longest record, in groups. Records that groups hold in part are put together in the main thread. */
const GROUPS_PER_RECORD = 8;
/** Memory of a thread, in groups or longest records: that of its kernels, and of what waits for it or is done. */
const GROUPS_PER_THREAD = 10;

/** The threads, the memory and the level of a sort. */
interface BamResources extends EngineThreads {
  readonly memoryBytes: number;
  readonly level: number;
}

/** A stretch of the file. It is free once all of its groups are sorted. */
interface Stretch {
  readonly memory: SharedArrayBuffer;
  groups: number;
}

/** A group while a thread sorts it. */
interface PendingGroup {
  readonly task: GroupTask;
  readonly place: TextPlace;
  readonly stretch: Stretch;
  readonly outcome: SortedGroup | BrokenGroup;
}

export class CpuBamSort implements BamSort {
  readonly stretchBytes: number;
  readonly pieceBytes = PIECE_BYTES;
  private readonly input: BamInput;
  private readonly threads: number;
  private readonly resources: BamResources;
  private readonly recorder: Recorder;
  private readonly groupBytes: number;
  private readonly crew: Crew<BamTask, BamOutcome>;
  /** The kernels of the calling thread. */
  private tools: BamTools | undefined;
  private readonly stretches: SharedMemory = createSharedMemory(4);
  private readonly runs: BamRuns;
  private readonly groups: InOrder<PendingGroup>;
  /** Bytes of all files that were added, and of the text in their blocks. */
  private readBytes = 0;
  private textBytes = 0;
  /** Bytes of text before the first record of the file, less those that were added. */
  private headerLeft = 0;
  /** The incomplete block at the end of the last stretch. */
  private rest: Uint8Array = new Uint8Array();
  private endsEmpty = false;

  /** `groupBytes`: for tests. Throws Declined. */
  constructor(input: BamInput, resources: BamResources, recorder: Recorder, groupBytes = groupBytesOf(input)) {
    if (input.references > MOST_REFERENCES) throw new Declined('there are too many references');
    this.input = input;
    this.resources = resources;
    this.recorder = recorder;
    this.groupBytes = groupBytes;
    const { workers, helps } = resources;
    const threads = workers + Number(helps);
    this.threads = threads;
    this.stretchBytes = Math.ceil((2 * threads * groupBytes) / TEXT_RATIO);
    const textBytes = Math.min(TEXT_BYTES, TEXT_RATIO * input.bytes);
    this.runs = new BamRuns(input.references, textBytes, GROUPS_PER_RECORD * groupBytes);
    this.groups = new InOrder(2 * threads, (group) => this.takeGroup(group));
    this.crew = createCrew<BamTask, BamOutcome>({
      ...{ workers, helps },
      role: { name: 'bam', data: null },
      // Another sort in this thread may take a step between two of these.
      perform: (task) => bamSteps((this.tools ??= openTools()), task),
      explain: (error) => explainMemory(error),
    });
  }

  begin(headerBytes: number): void {
    this.headerLeft = headerBytes;
    this.endsEmpty = false;
  }

  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const memory = this.stretches.take(MOST_BLOCK_BYTES + bytes);
    const chunk: BamChunk = {
      capacity: memory.byteLength,
      memory,
      openPiece: async (offset) => ({ bytes: new Uint8Array(memory, offset), commit: () => {} }),
      release: () => this.stretches.give(memory),
    };
    return { chunk, from: MOST_BLOCK_BYTES };
  }

  async add(chunk: Chunk, bytes: number): Promise<void> {
    const stretch: Stretch = { memory: (chunk as BamChunk).memory, groups: 1 };
    const text = new Uint8Array(stretch.memory);
    const end = MOST_BLOCK_BYTES + bytes;
    let at = MOST_BLOCK_BYTES - this.rest.length;
    copyBytes(this.rest, text, at);
    this.readBytes += bytes;
    for (;;) {
      const blocks = findBlocks(text, at, end, this.groupBytes);
      if (blocks.to === at) {
        if (blocks.broken !== null || end - at > MOST_BLOCK_BYTES) throw new Declined('a block is not one of BGZF');
        break;
      }
      this.endsEmpty = blocks.endsEmpty === true;
      this.checkMemory(this.textBytes + blocks.text);
      this.openGroup(stretch, at, blocks.to, blocks.text);
      at = blocks.to;
      await this.groups.room();
    }
    this.rest = text.slice(at, end);
    this.closeGroup(stretch);
    // If the rest of the input resembles what was read, it is not read in vain.
    this.checkMemory(this.textBytes * (this.input.bytes / this.readBytes));
  }

  async end(): Promise<void> {
    await this.groups.taken();
    if (this.rest.length > 0 || !this.runs.isWhole || this.headerLeft > 0 || !this.endsEmpty)
      throw new Declined('a file is cut off');
  }

  async prepare(): Promise<PreparedBam> {
    const { crew, groupBytes, runs, threads, recorder } = this;
    const { level } = this.resources;
    const sizes = { references: this.input.references, rangeBytes: groupBytes, level };
    const records = runs.runs.reduce((sum, { ends }) => sum + ends.length, 0);
    const bytes = runs.runs.reduce((sum, { ends }) => sum + ends[ends.length - 1], 0);
    return { records, bytes, write: (output) => writeRanges(runs, { crew, threads, recorder }, sizes, output) };
  }

  async close(): Promise<void> {
    await this.crew.close();
  }

  /** Lets a thread sort the blocks in [at, to) of a stretch, whose text has `bytes` bytes. */
  private openGroup(stretch: Stretch, at: number, to: number, bytes: number): void {
    const { crew, runs, input, headerLeft } = this;
    const place = runs.place(bytes);
    const task: GroupTask = {
      ...{ kind: 'group', from: stretch.memory, at, to, text: bytes, references: input.references },
      // The header ends in one of the first groups.
      begin: headerLeft < 0 ? null : Math.min(headerLeft, bytes),
      ...{ target: place.memory, textAt: place.at, indexAt: place.indexAt },
    };
    this.textBytes += bytes;
    this.headerLeft -= bytes;
    stretch.groups++;
    const start = performance.now();
    this.groups.put(
      crew.perform(task).then((outcome) => {
        this.recorder.span('order', start, bytes);
        return { task, place, stretch, outcome: outcome as SortedGroup | BrokenGroup };
      }),
    );
  }

  /** Takes the outcome of a group; has it sorted again if its first record is not where the thread thought. */
  private async takeGroup({ task, place, stretch, outcome }: PendingGroup): Promise<void> {
    const { runs } = this;
    let group = sortedGroup(outcome);
    if (task.begin === null)
      for (;;) {
        const begin = runs.firstIn(group.head, task.text);
        if (begin === group.head.length) break;
        group = sortedGroup(await this.crew.perform({ ...task, begin }));
      }
    runs.take(place, task.begin === null ? group : { ...group, head: new Uint8Array() });
    this.closeGroup(stretch);
  }

  private closeGroup(stretch: Stretch): void {
    if (--stretch.groups === 0) this.stretches.give(stretch.memory);
  }

  /** Throws Declined if so many bytes of text, with what threads need beside them, do not fit into memory. */
  private checkMemory(textBytes: number): void {
    const ofThread = GROUPS_PER_THREAD * Math.max(this.groupBytes, this.runs.longest);
    const room = Math.max(0, this.resources.memoryBytes - this.threads * ofThread);
    const expected = textBytes * (1 + INDEX_SHARE);
    if (expected > room)
      throw new Declined(
        `its text of ${formatBytes(expected)} or more does not fit into ${formatBytes(room)} of memory`,
      );
  }
}

/** A chunk whose pieces are its memory. */
interface BamChunk extends Chunk {
  readonly memory: SharedArrayBuffer;
}

/** The smaller groups are, the smaller their shares of a range. */
function groupBytesOf({ bytes }: BamInput): number {
  const even = Math.sqrt(bytes * TEXT_RATIO * SLICE_BYTES);
  return Math.ceil(Math.min(GROUP_BYTES.most, Math.max(GROUP_BYTES.least, even)));
}

/** Throws Declined if a block is broken. */
function sortedGroup(outcome: BamOutcome): SortedGroup {
  if ('broken' in outcome) throw new Declined('a block is damaged');
  return outcome as SortedGroup;
}
