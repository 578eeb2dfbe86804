/** Tracks which bytes of a file are in use. It does not know what they contain. */

/** Bytes [begin, end) of a file. */
export interface Extent {
  readonly begin: number;
  readonly end: number;
}

/**
 * A smaller gap is used only by what fits into it whole. This keeps reads large (at most one extent per MiB), and a gap
 * between used extents wastes less than this.
 */
const LEAST_PART_BYTES = 1 << 20;

export class Space {
  /** No byte from here on is in use. */
  private end = 0;
  /** Gaps before `end`, in order; no two are adjacent. */
  private readonly gaps: Extent[] = [];

  /**
   * Allocates `bytes` bytes: one extent in a gap or at the end, or several extents in order if large gaps can be
   * filled.
   */
  take(bytes: number): Extent[] {
    const fitting = this.gaps.findIndex(({ begin, end }) => end - begin >= bytes);
    if (fitting >= 0) return [this.takeFrom(fitting, bytes)];
    const taken: Extent[] = [];
    let left = bytes;
    for (let i = 0; left > 0 && i < this.gaps.length; ) {
      const gap = this.gaps[i].end - this.gaps[i].begin;
      if (gap < LEAST_PART_BYTES && gap < left) {
        i++;
        continue;
      }
      const part = Math.min(gap, left);
      taken.push(this.takeFrom(i, part));
      left -= part;
    }
    if (left > 0) {
      taken.push({ begin: this.end, end: this.end + left });
      this.end += left;
    }
    return taken;
  }

  /** Frees an extent or a part of one. */
  give({ begin, end }: Extent): void {
    if (begin === end) return;
    const { gaps } = this;
    const at = this.firstAfter(begin);
    const [before, after] = [gaps[at - 1], gaps[at]];
    const joinsBefore = before?.end === begin;
    const joinsAfter = after?.begin === end;
    const joined = { begin: joinsBefore ? before.begin : begin, end: joinsAfter ? after.end : end };
    gaps.splice(joinsBefore ? at - 1 : at, Number(joinsBefore) + Number(joinsAfter), joined);
    if (joined.end < this.end) return;
    gaps.pop();
    this.end = joined.begin;
  }

  private takeFrom(i: number, bytes: number): Extent {
    const { begin, end } = this.gaps[i];
    if (begin + bytes === end) this.gaps.splice(i, 1);
    else this.gaps[i] = { begin: begin + bytes, end };
    return { begin, end: begin + bytes };
  }

  /** The index of the first gap that begins after `byte`. */
  private firstAfter(byte: number): number {
    let low = 0;
    let high = this.gaps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.gaps[middle].begin > byte) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
