/**
 * A text that is in order, or in reverse order, as it was read: one natural run, which grows tile by tile while this
 * holds. In order, the text stays where it is. In reverse, it is gathered from the end of the target backwards.
 */
import { KERNEL_SLACK } from '../../system/memory.js';
import { type CpuKernels, FORM, NATURAL, type PlacedText } from './kernels.js';
import type { KernelOutput } from './outcome.js';
import type { RecordShape } from './shape.js';
import { gatherItems, type Tile, type Tiling } from './tiles.js';

export class NaturalRun {
  private readonly kernels: CpuKernels;
  private readonly unique: boolean;
  private readonly equalsAreIdentical: boolean;
  private readonly tiling: Tiling;
  private readonly source: number;
  /** The end of the text in order, or the beginning of the reversed one. */
  private edge: number;
  private records = 0;
  private inReverse = false;
  /** The end of the reversed text. */
  private readonly reverseEnd: number;

  constructor(kernels: CpuKernels, shape: RecordShape, tiling: Tiling, { begin, end }: PlacedText) {
    this.kernels = kernels;
    this.unique = shape.unique;
    this.equalsAreIdentical = shape.equalsAreIdentical;
    this.tiling = tiling;
    this.source = this.edge = begin;
    this.reverseEnd = tiling.target + (end - begin) + KERNEL_SLACK;
  }

  /** The run, where it lies. */
  get text(): KernelOutput {
    const { edge, source, records, reverseEnd } = this;
    return this.inReverse
      ? { begin: edge, end: reverseEnd, records, natural: 'in reverse' }
      : { begin: source, end: edge, records, natural: 'in order' };
  }

  /** Appends a tile, whose items have been read, if it continues the run. Returns whether it did. */
  take(tile: Tile): boolean {
    const {
      kernels,
      tiling: { items },
    } = this;
    if (tile.from === this.source) this.inReverse = (tile.found & NATURAL.rising) === 0;
    const sign = tile.from === this.source ? 0 : kernels.compareLast(this.source, tile.from, items);
    return this.inReverse ? this.takeReversed(tile, sign) : this.takeInOrder(tile, sign);
  }

  /** `sign`: the last record before the tile compared with the first record of the tile. */
  private takeInOrder({ count, found }: Tile, sign: number): boolean {
    if ((found & NATURAL.rising) === 0 || sign > 0) return false;
    // Dropping repeats under `unique` would leave a gap.
    if (this.unique && ((found & NATURAL.equals) !== 0 || (sign === 0 && this.edge > this.source))) return false;
    this.edge = this.kernels.textEnd(this.tiling.items, count);
    this.records += count;
    return true;
  }

  private takeReversed({ from, count, found }: Tile, sign: number): boolean {
    const {
      kernels,
      tiling: { items },
    } = this;
    if ((found & NATURAL.falling) === 0 || sign < 0) return false;
    if (sign === 0 && this.edge !== this.source) {
      if (this.unique) kernels.dropItem(items);
      else if (!this.equalsAreIdentical) return false;
    }
    const end = this.edge === this.source ? this.reverseEnd : this.edge;
    const bytes = this.unique ? kernels.keptBytes(items, count) : kernels.textEnd(items, count) - from;
    kernels.reverseItems(items, count);
    this.edge = end - bytes;
    // Gathering writes up to KERNEL_SLACK bytes beyond the end.
    const following = new Uint8Array(kernels.memory.buffer, end, KERNEL_SLACK);
    const kept = following.slice();
    kernels.openOutput(this.edge, FORM.run);
    gatherItems(kernels, items, 0, count);
    this.records += kernels.outputRecords();
    following.set(kept);
    return true;
  }

  /**
   * Opens the output at the target, after the run if the run can continue there. Returns where the run lies; null if it
   * is empty.
   */
  end(): PlacedText | null {
    const { kernels, text } = this;
    const { target } = this.tiling;
    kernels.openOutput(target, FORM.run);
    if (text.records === 0) return null;
    if (this.inReverse) return text;
    kernels.appendText(text.begin, text.end, text.records);
    return { begin: target, end: kernels.outputEnd() };
  }
}
