/**
 * Places for many small runs in a few large buffers: a merge of hundreds of runs is posted to a thread as a few buffers
 * and a list of numbers. Untouched memory costs nothing, so places may be larger than what is written to them.
 */

/** Bytes [at, at + bytes) of a buffer. */
export interface ArenaPlace {
  readonly buffer: SharedArrayBuffer;
  readonly at: number;
  readonly bytes: number;
}

interface Area {
  readonly buffer: SharedArrayBuffer;
  filled: number;
  /** Places that were taken and not given back. */
  used: number;
}

/** Places begin at multiples of this. */
const ALIGNMENT = 64;

export class Arena {
  private readonly areaBytes: number;
  private readonly areas: Area[] = [];

  /** `areaBytes`: bytes of a buffer, unless one place is larger. */
  constructor(areaBytes: number) {
    this.areaBytes = areaBytes;
  }

  take(bytes: number): ArenaPlace {
    const room = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    let area = this.areas.find(({ buffer, filled }) => buffer.byteLength - filled >= room);
    if (area === undefined) {
      area = { buffer: new SharedArrayBuffer(Math.max(this.areaBytes, room)), filled: 0, used: 0 };
      this.areas.push(area);
    }
    const at = area.filled;
    area.filled += room;
    area.used++;
    return { buffer: area.buffer, at, bytes };
  }

  /** Gives back the place at `buffer`. A buffer is used again once all of its places are given back. */
  give({ buffer }: Pick<ArenaPlace, 'buffer'>): void {
    const area = this.areas.find((one) => one.buffer === buffer)!;
    if (--area.used === 0) area.filled = 0;
  }
}
