/**
 * The first half of a sort of stored records: cuts stretches of the inputs into groups, which threads sort, and checks
 * that each group begins where the one before it ends.
 */
import { type Chunk, Declined, type Sorted } from '../contract/engine.js';
import type { CrewEngine, SortedGroup } from '../engines/cpu/crew-engine.js';
import type { GroupCut, GroupCutter } from '../input/stored-groups.js';
import type { StretchTaker } from '../input/stretches.js';
import { MiB } from '../report/units.js';
import { InOrder } from '../system/in-order.js';
import { copyBytes } from '../system/memory.js';
import { createSharedMemory, type SharedMemory } from '../system/threads/buffers.js';

/** Bytes of a read. */
const PIECE_BYTES = MiB;

/** Bytes [at, to) of a stretch, with `text` bytes of text. The input's next bytes follow them up to `until`. */
interface Group {
  readonly from: SharedArrayBuffer;
  readonly at: number;
  readonly to: number;
  readonly until: number;
  readonly text: number;
  readonly begin: number | null;
}

/** A stretch, whose memory is used again once all of its groups are sorted. */
interface Stretch {
  readonly memory: SharedArrayBuffer;
  groups: number;
}

/** A stretch as a chunk: its memory, and how much of it is left free in front of what is read. */
interface StretchChunk extends Chunk {
  readonly memory: SharedArrayBuffer;
  readonly front: number;
}

interface GroupOptions {
  readonly cutter: GroupCutter;
  /** Groups that are sorted or wait for it when the next one is cut. */
  readonly atOnce: number;
  /** The usual bytes of text for each stored byte. */
  readonly textRatio: number;
  /** Takes the sorted groups in the order of the input. */
  readonly take: (sorted: Sorted) => Promise<void>;
}

export class GroupSorter implements StretchTaker {
  readonly pieceBytes = PIECE_BYTES;
  /** Bytes of text so far. */
  textBytes = 0;
  private readonly engine: Pick<CrewEngine, 'orderGroup'>;
  private readonly options: GroupOptions;
  private readonly memory: SharedMemory = createSharedMemory(4);
  private readonly sorted: InOrder<{
    readonly group: Group;
    readonly stretch: Stretch;
    readonly result: SortedGroup;
  }>;
  /** Bytes of the file's header, less its text so far. */
  private headerLeft = 0;
  /** The end of the last stretch, which begins the next one. */
  private rest: Uint8Array = new Uint8Array();
  /** Bytes of the next group's text that belong to records before it. */
  private over = 0;

  constructor(engine: Pick<CrewEngine, 'orderGroup'>, options: GroupOptions) {
    this.engine = engine;
    this.options = options;
    this.sorted = new InOrder(options.atOnce, ({ group, stretch, result }) => this.take(group, stretch, result));
  }

  get stretchBytes(): number {
    const { cutter, atOnce, textRatio } = this.options;
    return Math.ceil((atOnce * cutter.groupBytes) / textRatio);
  }

  /** Begins an input whose first `headerBytes` bytes of text are its header. */
  begin(headerBytes: number): void {
    this.headerLeft = headerBytes;
  }

  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const front = this.options.cutter.mostRest;
    const memory = this.memory.take(front + bytes);
    const chunk: StretchChunk = {
      capacity: memory.byteLength,
      memory,
      front,
      openPiece: async (offset) => ({ bytes: new Uint8Array(memory, offset), commit: () => {} }),
      release: () => this.memory.give(memory),
    };
    return { chunk, from: front };
  }

  async add(chunk: Chunk, bytes: number): Promise<void> {
    const { memory, front } = chunk as StretchChunk;
    if (this.rest.length > front) throw new Declined('a group has too many blocks');
    const at = front - this.rest.length;
    copyBytes(this.rest, new Uint8Array(memory), at);
    await this.cut({ memory, groups: 1 }, at, front + bytes, this.options.cutter.looksOn);
  }

  /** Ends an input. Throws Declined if it is cut off. */
  async end(): Promise<void> {
    const { cutter } = this.options;
    if (this.rest.length > 0) {
      const last = cutter.lastBytes ?? new Uint8Array();
      const memory = this.memory.take(this.rest.length + last.length);
      const text = new Uint8Array(memory);
      copyBytes(this.rest, text);
      copyBytes(last, text, this.rest.length);
      await this.cut({ memory, groups: 1 }, 0, this.rest.length + last.length, false);
    }
    await this.sorted.taken();
    if (this.rest.length > 0 || this.over > 0 || this.headerLeft > 0 || !cutter.mayEnd)
      throw new Declined('a file is cut off');
  }

  /** Cuts bytes [at, end) of a stretch into groups. `leavesLast`: the last bytes are left for the next stretch. */
  private async cut(stretch: Stretch, at: number, end: number, leavesLast: boolean): Promise<void> {
    const { cutter } = this.options;
    const bytes = new Uint8Array(stretch.memory);
    const groups: GroupCut[] = [];
    for (let from = at, group = cutter.next(bytes, from, end); group !== null; group = cutter.next(bytes, from, end)) {
      groups.push(group);
      from = group.to;
    }
    if (leavesLast) {
      const last = groups.pop();
      // The last record of a group may go on in the next one, so that one should not be short.
      if (last !== undefined && last.text < cutter.groupBytes / 2) groups.pop();
    }
    for (const { to, text } of groups) {
      this.open(stretch, at, to, end, text);
      at = to;
      await this.sorted.room();
    }
    this.rest = bytes.slice(at, end);
    this.close(stretch);
  }

  /** Lets a thread sort a group. */
  private open(stretch: Stretch, at: number, to: number, until: number, text: number): void {
    const { headerLeft } = this;
    // The header ends in one of the first groups.
    const begin = headerLeft < 0 ? null : Math.min(headerLeft, text);
    const group: Group = { from: stretch.memory, at, to, until, text, begin };
    this.headerLeft -= text;
    this.textBytes += text;
    stretch.groups++;
    this.sorted.put(this.engine.orderGroup(group).then((result) => ({ group, stretch, result })));
  }

  /** Takes a sorted group; has it sorted again if the thread guessed the beginning of its first record wrong. */
  private async take(group: Group, stretch: Stretch, { report, sorted }: SortedGroup): Promise<void> {
    if (group.begin === null && report.begin !== this.over) {
      sorted?.release();
      const known = { ...group, begin: this.over };
      return this.take(known, stretch, await this.engine.orderGroup(known));
    }
    if (report.problem !== null) throw new Declined(report.problem);
    this.over = Math.max(0, report.end - group.text);
    if (sorted !== null) await this.options.take(sorted);
    this.close(stretch);
  }

  private close(stretch: Stretch): void {
    if (--stretch.groups === 0) this.memory.give(stretch.memory);
  }
}
