/**
 * Writes records in order: gathers them range by range, and compresses each range if requested. The last block of a
 * range is short.
 */
import { type BamOutput, type BlockOutput, POSITION_BYTES } from '../../../contract/bam-sort.js';
import { type BgzfWriter, Declined } from '../../../contract/engine.js';
import { quiet } from '../../../system/promises.js';
import { type DeflatedText, deflateText, loadDeflate } from '../bgzf/deflate.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import type { ReadRing } from '../engine/emit.js';
import { writeDeflated } from '../engine/write-blocks.js';
import { textBufferBytes } from '../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../records/scan.js';
import type { OrderedAlignments } from './order.js';

/** Records of a tile of tile-bytes.wgsl, and bytes of a tile of gather.wgsl. */
const TILE_RECORDS = 256;
const TILE_BYTES = 8192;

/** Records `first` to `first` + `count` of the output, of `bytes` bytes. */
interface RecordRange {
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
}

/** The text of a range, and the positions of its records, for an index; null: not wanted. */
interface DeviceRange {
  readonly text: GPUBuffer;
  readonly bytes: number;
  readonly positions: { readonly buffer: GPUBuffer; readonly bytes: number } | null;
}

const kernelsOf = (gpu: Gpu) => ({
  sizes: new Kernel(gpu, 'bam/sizes'),
  tileBytes: new Kernel(gpu, 'bam/tile-bytes'),
  tiles: new Kernel(gpu, 'records/gather/tiles'),
  gather: new Kernel(gpu, 'bam/gather'),
  positions: new Kernel(gpu, 'bam/positions'),
});

/** Compiles what writing needs, compressed at a level. */
export function loadRanges(gpu: Gpu, level: number): Promise<unknown>[] {
  return [loadKernels(kernelsOf(gpu)), loadScan(gpu), loadDeflate(gpu, level)];
}

/**
 * Cuts the output into ranges of whole tiles of records, of `usual` bytes, and none of more than `most`. Waits for the
 * device. Throws Declined.
 */
export async function rangesOf(
  scratch: Scratch,
  { order, sizes, count }: OrderedAlignments,
  usual: number,
  most: number,
): Promise<RecordRange[]> {
  const { gpu } = scratch;
  const tiles = Math.ceil(count / TILE_RECORDS);
  const buffer = await scratch.take(tiles * 4, 'bytes of tiles');
  submitPass(gpu, 'gather', 'bytes of tiles', (pass) => {
    kernelsOf(gpu).tileBytes.dispatch(
      pass,
      { order: bind(order, count * 4), sizes: bind(sizes, count * 4), bytes: bind(buffer, tiles * 4) },
      { n: count, tiles },
      Math.ceil(tiles / 64),
    );
  });
  const bytes = new Uint32Array((await readBack(gpu, buffer, 0, tiles * 4)).buffer);
  scratch.drop(buffer);
  const ranges: RecordRange[] = [];
  let first = 0;
  let sum = 0;
  bytes.forEach((more, tile) => {
    if (more > most) throw new Declined('records are too long');
    if (sum > 0 && sum + more > usual) {
      ranges.push({ first, count: tile * TILE_RECORDS - first, bytes: sum });
      first = tile * TILE_RECORDS;
      sum = 0;
    }
    sum += more;
  });
  ranges.push({ first, count: count - first, bytes: sum });
  return ranges;
}

/** Writes the ranges of one sort. */
export class RecordWriter {
  private readonly scratch: Scratch;
  private readonly reads: ReadRing;
  private readonly records: OrderedAlignments;
  private readonly level: number;

  /** `level`: at which ranges are compressed, if they are. */
  constructor(scratch: Scratch, reads: ReadRing, records: OrderedAlignments, level: number) {
    this.scratch = scratch;
    this.reads = reads;
    this.records = records;
    this.level = level;
  }

  async write(ranges: readonly RecordRange[], output: BamOutput): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    const hasPositions = output.blocks?.positions != null;
    try {
      for (const range of ranges) {
        const made = await this.gather(range, hasPositions);
        // The device compresses a range while the one before it is written.
        const compressed = output.blocks === null ? null : await this.compress(made);
        await writing;
        writing = this.writeRange(made, compressed, output);
        // Awaited below.
        quiet(writing);
      }
    } finally {
      await writing;
    }
  }

  /** Submits the writing of a range to a text. */
  private async gather(range: RecordRange, hasPositions: boolean): Promise<DeviceRange> {
    const { scratch } = this;
    const { gpu } = scratch;
    const { order, starts, sizes, count, texts } = this.records;
    const kernels = kernelsOf(gpu);
    const { bytes, count: n } = range;
    const tiles = Math.ceil(bytes / TILE_BYTES);
    const out = await scratch.take(textBufferBytes(bytes), 'range of BAM');
    const lengths = await scratch.take((n + 1) * 4, 'starts in a range');
    const sums = await scratch.take(scanSumsBytes(n), 'scan sums');
    const first = await scratch.take(tiles * 4, 'tiles of a range');
    const out_starts = bind(lengths, (n + 1) * 4);
    const first_of_tile = bind(first, tiles * 4);
    const ordered = bind(order, count * 4);
    gpu.timer?.handles(bytes, 'gather');
    submitPass(
      gpu,
      'gather',
      'gather',
      (pass) => {
        kernels.sizes.dispatch(
          pass,
          { order: ordered, sizes: bind(sizes, count * 4), lengths: out_starts },
          { first: range.first, count: n },
          Math.ceil(n / 256),
        );
        scanExclusive(gpu, pass, lengths, n, sums);
        kernels.tiles.dispatch(pass, { out_starts, first: first_of_tile }, { n, tiles }, Math.ceil(tiles / 256));
        for (const text of texts)
          kernels.gather.dispatch(
            pass,
            {
              text: bind(text.text, textBufferBytes(text.textBytes)),
              ...{ order: ordered, starts: bind(starts, count * 4), out_starts, first_of_tile },
              out: bind(out, textBufferBytes(bytes)),
            },
            { n, bytes, tiles, first: range.first, base: text.base, count: text.count },
            tiles,
          );
      },
      (encoder) => encoder.clearBuffer(out, 0, textBufferBytes(bytes)),
    );
    for (const buffer of [lengths, sums, first]) scratch.drop(buffer);
    return { text: out, bytes, positions: hasPositions ? await this.positionsOf(range) : null };
  }

  /** Submits the writing of the positions of a range's records. */
  private async positionsOf({ first, count }: RecordRange): Promise<DeviceRange['positions']> {
    const { gpu } = this.scratch;
    const { order, starts, sizes, count: all, texts } = this.records;
    const bytes = count * POSITION_BYTES;
    const buffer = await this.scratch.take(bytes, 'positions of records');
    const records = { order: bind(order, all * 4), starts: bind(starts, all * 4), sizes: bind(sizes, all * 4) };
    submitPass(gpu, 'gather', 'positions', (pass) => {
      for (const { text, textBytes, base, count: inText } of texts)
        kernelsOf(gpu).positions.dispatch(
          pass,
          { text: bind(text, textBufferBytes(textBytes)), ...records, positions: bind(buffer, bytes) },
          { first, records: count, base, count: inText },
          Math.ceil(count / 256),
        );
    });
    return { buffer, bytes };
  }

  /** The blocks of a range. */
  private compress({ text, bytes }: DeviceRange): Promise<DeflatedText> {
    this.scratch.gpu.timer?.handles(bytes, 'deflate');
    return deflateText(this.scratch, text, bytes, this.level);
  }

  /** Writes a range, and drops its buffers. */
  private async writeRange(
    { text, positions, bytes }: DeviceRange,
    compressed: DeflatedText | null,
    { text: writeText, blocks }: BamOutput,
  ): Promise<void> {
    const known = positions === null ? null : this.passPositions(positions, bytes, blocks!);
    // Awaited before the first block.
    quiet(known);
    const takeText = blocks === null ? writeText : positions === null ? blocks.text : null;
    if (takeText !== null) await this.reads.emit(text, 0, bytes, takeText);
    this.scratch.drop(text);
    if (compressed === null) return;
    // Blocks are read back meanwhile: later, the device compresses the next range.
    const write: BgzfWriter = async (bytes, sizes) => {
      await known;
      await blocks!.write(bytes, sizes);
    };
    await writeDeflated(this.reads, compressed, bytes, { write });
    this.scratch.drop(compressed.data);
  }

  /** Passes on the positions of a range's records, whose text has `textBytes`. */
  private async passPositions(
    { buffer, bytes }: NonNullable<DeviceRange['positions']>,
    textBytes: number,
    blocks: BlockOutput,
  ): Promise<void> {
    const positions = await readBack(this.scratch.gpu, buffer, 0, bytes);
    this.scratch.drop(buffer);
    blocks.positions!(positions, textBytes);
  }
}
