/**
 * Sorts BAM or SAM into BAM, in any order, with threads. They inflate groups of blocks, or convert groups of
 * lines, and sort the records of each while it is in a processor's cache; then they merge ranges of the output and
 * compress them. Records do not become keyed lines.
 *
 *     stretches of the file -> groups -> sorted runs    groups.ts, runs.ts
 *       -> ranges of the output -> blocks               ranges.ts, write-ranges.ts
 */

import type { BamInput, BamSort, PreparedBam } from '../../../contract/bam-sort.js';
import { type Chunk, Declined } from '../../../contract/engine.js';
import { TEXT_RATIO } from '../../../records/bam.js';
import type { Recorder } from '../../../report/recorder.js';
import { formatBytes, MiB } from '../../../report/units.js';
import { explainMemory } from '../../../system/errors.js';
import { InOrder } from '../../../system/in-order.js';
import { copyBytes } from '../../../system/memory.js';
import { createSharedMemory, type SharedMemory } from '../../../system/threads/buffers.js';
import { type Crew, createCrew } from '../../../system/threads/crew.js';
import type { EngineThreads } from '../worker.js';
import { BlockGroups, type Groups, LineGroups } from './groups.js';
import { MOST_REFERENCES } from './record-sorter.js';
import { BamRuns } from './runs.js';
import { firstShare, groupBytesOf, roomForText } from './sizes.js';
import {
  type BamOutcome,
  type BamSetting,
  type BamTask,
  type BamTools,
  bamSteps,
  type GroupOutcome,
  type GroupTask,
  openTools,
  type SortedGroup,
} from './tasks.js';
import { writeRanges } from './write-ranges.js';

/** Bytes of a read. */
const PIECE_BYTES = MiB;
/** Bytes of each memory for sorted text, at most; large, so that a large input needs few. */
const TEXT_BYTES = 256 * MiB;
/** The maximum length of a record or line, in groups. The main thread assembles records that span groups. */
const GROUPS_PER_RECORD = 8;
/** The threads, the memory and the compression level of a sort. */
interface BamResources extends EngineThreads {
  readonly memoryBytes: number;
  readonly level: number;
}

/** A stretch of the file. Its memory is reused once all of its groups are sorted. */
interface Stretch {
  readonly memory: SharedArrayBuffer;
  groups: number;
}

/** A group while a thread sorts it. */
interface PendingGroup {
  readonly task: GroupTask;
  readonly stretch: Stretch;
  readonly outcome: GroupOutcome;
}

export class CpuBamSort implements BamSort {
  readonly pieceBytes = PIECE_BYTES;
  private readonly input: BamInput;
  private readonly threads: number;
  private readonly resources: BamResources;
  private readonly recorder: Recorder;
  /** Bytes of text in a group. Those of an input of unknown size grow with the text that has arrived. */
  private groupBytes: number;
  private readonly groupsGrow: boolean;
  private readonly cutter: Groups;
  private readonly crew: Crew<BamTask, BamOutcome>;
  /** The kernels of the calling thread. */
  private tools: BamTools | undefined;
  private readonly stretches: SharedMemory = createSharedMemory(4);
  private readonly runs: BamRuns;
  private readonly groups: InOrder<PendingGroup>;
  /** Bytes of the files that were added, and of their text. */
  private readBytes = 0;
  private textBytes = 0;
  /** How much of this text is sorted. */
  private sortedBytes = 0;
  /** Bytes of the file's header, less its text added so far. */
  private headerLeft = 0;
  /** The incomplete block or line at the end of the last stretch. */
  private rest: Uint8Array = new Uint8Array();

  /** `groupBytes`: for tests, and does not grow. Throws Declined. */
  constructor(input: BamInput, resources: BamResources, recorder: Recorder, groupBytes?: number) {
    if (input.references > MOST_REFERENCES) throw new Declined('there are too many references');
    this.input = input;
    this.resources = resources;
    this.recorder = recorder;
    const ratio = textRatioOf(input);
    this.groupBytes = groupBytes ?? groupBytesOf(ratio * (input.bytes ?? 0));
    this.groupsGrow = groupBytes === undefined && input.bytes === null;
    const { workers, helps } = resources;
    const threads = workers + Number(helps);
    this.threads = threads;
    const mostRecord = GROUPS_PER_RECORD * this.groupBytes;
    this.cutter =
      input.contigs === null ? new BlockGroups(this.groupBytes) : new LineGroups(this.groupBytes, mostRecord);
    this.runs = new BamRuns(input, Math.min(TEXT_BYTES, ratio * (input.bytes ?? Infinity)), mostRecord);
    this.groups = new InOrder(2 * threads, (group) => this.takeGroup(group));
    const setting: BamSetting = { rows: input.rows, contigs: input.contigs, presence: recorder.presence };
    this.crew = createCrew<BamTask, BamOutcome>({
      ...{ workers, helps },
      role: { name: 'bam', data: setting },
      // Another sort in this thread may take a step between two of these.
      perform: (task) => bamSteps((this.tools ??= openTools(setting)), task),
      explain: (error) => explainMemory(error),
    });
  }

  get stretchBytes(): number {
    return Math.ceil((2 * this.threads * this.groupBytes) / textRatioOf(this.input));
  }

  begin(headerBytes: number): void {
    this.headerLeft = headerBytes;
  }

  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const { mostRest } = this.cutter;
    const memory = this.stretches.take(mostRest + bytes);
    const chunk: BamChunk = {
      capacity: memory.byteLength,
      memory,
      openPiece: async (offset) => ({ bytes: new Uint8Array(memory, offset), commit: () => {} }),
      release: () => this.stretches.give(memory),
    };
    return { chunk, from: mostRest };
  }

  async add(chunk: Chunk, bytes: number): Promise<void> {
    const stretch: Stretch = { memory: (chunk as BamChunk).memory, groups: 1 };
    const text = new Uint8Array(stretch.memory);
    const end = this.cutter.mostRest + bytes;
    let at = this.cutter.mostRest - this.rest.length;
    copyBytes(this.rest, text, at);
    this.readBytes += bytes;
    for (let group = this.cutter.next(text, at, end); group !== null; group = this.cutter.next(text, at, end)) {
      this.checkMemory(this.textBytes + group.text);
      this.openGroup(stretch, at, group.to, group.text);
      at = group.to;
      await this.groups.room();
    }
    this.rest = text.slice(at, end);
    this.closeGroup(stretch);
    const { bytes: all } = this.input;
    // Declines early if the text would not fit, supposing that the rest of the input resembles what was read.
    if (all !== null) this.checkMemory(this.textBytes * (all / this.readBytes));
    // Supposes that as much follows.
    if (this.groupsGrow) this.groupBytes = this.cutter.groupBytes = groupBytesOf(2 * this.textBytes);
  }

  async end(): Promise<void> {
    const { cutter } = this;
    if (this.rest.length > 0 && cutter.lastBytes !== null) {
      const { chunk, from } = this.openStretch(cutter.lastBytes.length);
      (await chunk.openPiece(from)).bytes.set(cutter.lastBytes);
      await this.add(chunk, cutter.lastBytes.length);
    }
    await this.groups.taken();
    if (this.rest.length > 0 || !this.runs.isWhole || this.headerLeft > 0 || !cutter.mayEnd)
      throw new Declined('a file is cut off');
  }

  async prepare(): Promise<PreparedBam> {
    const { crew, runs, threads, recorder } = this;
    const { level } = this.resources;
    const records = runs.runs.reduce((sum, { ends }) => sum + ends.length, 0);
    const bytes = runs.runs.reduce((sum, { ends }) => sum + ends[ends.length - 1], 0);
    const rangeBytes = this.groupsGrow ? groupBytesOf(bytes) : this.groupBytes;
    const sizes = { references: this.input.references, rangeBytes, level };
    const sourceBytes = this.input.contigs === null ? bytes : this.readBytes;
    return {
      records,
      bytes,
      sourceBytes,
      write: (output) => writeRanges(runs, { crew, threads, recorder }, sizes, output),
    };
  }

  async close(): Promise<void> {
    await this.crew.close();
  }

  /** Lets a thread sort the group in [at, to) of a stretch, whose text has `bytes` bytes. */
  private openGroup(stretch: Stretch, at: number, to: number, bytes: number): void {
    const { crew, runs, input, headerLeft } = this;
    const task: GroupTask = {
      ...{ kind: 'group', from: stretch.memory, at, to, text: bytes, references: input.references },
      // The header ends in one of the first groups. Lines are whole records.
      begin: input.contigs !== null ? 0 : headerLeft < 0 ? null : Math.min(headerLeft, bytes),
      place: runs.placeOf(bytes),
    };
    this.textBytes += bytes;
    this.headerLeft -= bytes;
    stretch.groups++;
    const start = performance.now();
    this.groups.put(
      crew.perform(task).then((outcome) => {
        this.recorder.span('order', start, bytes);
        return { task, stretch, outcome: outcome as GroupOutcome };
      }),
    );
  }

  /**
   * Takes the outcome of a group; has it sorted again if it did not fit, or if the thread guessed the place of its
   * first record wrong.
   */
  private async takeGroup({ task: first, stretch, outcome }: PendingGroup): Promise<void> {
    const { runs, crew } = this;
    let task = first;
    let sorted: SortedGroup | null = null;
    for (let done = outcome; sorted === null; ) {
      if ('broken' in done) throw new Declined(done.broken);
      if ('needs' in done) task = { ...task, place: runs.largerPlace(task.text, done.needs) };
      else {
        const begin = first.begin === null ? runs.firstIn(done.head, task.text) : null;
        if (begin === null || begin === done.head.length) sorted = done;
        else task = { ...task, begin };
      }
      if (sorted === null) done = (await crew.perform(task)) as GroupOutcome;
    }
    // If `begin` was given, the text before the records is a header, not the end of a record.
    runs.take(task.place, first.begin === null ? sorted : { ...sorted, head: new Uint8Array() });
    this.closeGroup(stretch);
    this.sortedBytes += task.text;
    this.checkMemory(this.textBytes);
  }

  private closeGroup(stretch: Stretch): void {
    if (--stretch.groups === 0) this.stretches.give(stretch.memory);
  }

  /** Throws Declined if `textBytes` bytes of text do not fit into memory along with what the threads need. */
  private checkMemory(textBytes: number): void {
    const { sortedBytes, input } = this;
    const { heldBytes } = this.runs;
    const longest = Math.max(this.groupBytes, this.runs.longest);
    const room = roomForText(this.resources.memoryBytes, this.threads, longest);
    const share = sortedBytes > 0 ? heldBytes / sortedBytes : firstShare(input.rows !== null);
    const expected = heldBytes + (textBytes - sortedBytes) * share + input.keptBytes();
    if (expected > room)
      throw new Declined(
        `its text of ${formatBytes(expected)} or more does not fit into ${formatBytes(room)} of memory`,
      );
  }
}

/** A chunk whose pieces are views of one memory. */
interface BamChunk extends Chunk {
  readonly memory: SharedArrayBuffer;
}

const textRatioOf = ({ contigs }: BamInput): number => (contigs === null ? TEXT_RATIO : 1);
