/** Cuts stretches of a file into groups, which threads sort: whole blocks of BGZF, or whole lines of SAM. */
import { findBlocks, MOST_BLOCK_BYTES } from '../codecs/bgzf.js';
import { Declined } from '../contract/engine.js';
import { asBuffer } from '../system/memory.js';

/** A group begins where the one before it ends. */
export interface GroupCut {
  readonly to: number;
  /** Bytes of its text: the blocks inflated, or the lines. */
  readonly text: number;
}

export interface GroupCutter {
  /** Maximum bytes of text in the next group, unless it is one longer line. */
  groupBytes: number;
  /** The maximum bytes at the end of a stretch that begin the next one instead. */
  readonly mostRest: number;
  /** Whether the last group of a stretch is left for the next one, because its last record may go on there. */
  readonly looksOn: boolean;
  /** Added to the end of a file whose last group is incomplete; null: such a file is cut off. */
  readonly lastBytes: Uint8Array | null;
  /** The next group in [at, end) of a stretch; null: none is complete. Throws Declined. */
  next(stretch: Uint8Array, at: number, end: number): GroupCut | null;
  /** Whether a file may end after the last group. */
  readonly mayEnd: boolean;
}

/** Blocks whose text has at most `groupBytes` bytes. */
export class BlockGroups implements GroupCutter {
  readonly looksOn = true;
  readonly lastBytes = null;
  /** The last block of a file is empty. */
  mayEnd = false;
  groupBytes: number;

  constructor(groupBytes: number) {
    this.groupBytes = groupBytes;
  }

  get mostRest(): number {
    // A block has at most a few bytes more than its text.
    return 2 * this.groupBytes + 2 * MOST_BLOCK_BYTES;
  }

  next(stretch: Uint8Array, at: number, end: number): GroupCut | null {
    const { to, text, endsEmpty, broken } = findBlocks(stretch, at, end, this.groupBytes);
    if (to === at) {
      if (broken !== null || end - at > MOST_BLOCK_BYTES) throw new Declined('a block is not one of BGZF');
      return null;
    }
    this.mayEnd = endsEmpty === true;
    return { to, text };
  }
}

const NEWLINE = 10;

/** Lines of at most `groupBytes` bytes, or one longer line. */
export class LineGroups implements GroupCutter {
  readonly mostRest: number;
  readonly looksOn = false;
  readonly lastBytes = Uint8Array.of(NEWLINE);
  readonly mayEnd = true;
  groupBytes: number;

  /** `mostLine`: maximum bytes of a line. */
  constructor(groupBytes: number, mostLine: number) {
    this.groupBytes = groupBytes;
    this.mostRest = mostLine;
  }

  next(stretch: Uint8Array, at: number, end: number): GroupCut | null {
    const text = asBuffer(stretch);
    const most = Math.min(at + this.groupBytes, end);
    const last = text.lastIndexOf(NEWLINE, most - 1);
    const newline = last >= at ? last : text.indexOf(NEWLINE, most);
    const isWhole = newline >= at && newline < end;
    const to = isWhole ? newline + 1 : end;
    if (to - at > this.mostRest) throw new Declined('a line is too long');
    return isWhole ? { to, text: to - at } : null;
  }
}
