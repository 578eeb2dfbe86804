/**
 * Sorts BAM by coordinate without leaving the device: it inflates, finds records, sorts their keys, and writes the
 * records in order, compressed if that is wanted. All text stays in device memory, so there are no runs and no merges.
 *
 *     stretches of the file -> blocks -> texts -> records and keys -> order -> ranges of the output -> blocks
 */
import type { Recorder } from '../../../report/recorder.js';
import { formatBytes } from '../../../report/units.js';
import { GpusortError } from '../../../system/errors.js';
import { allOver } from '../../../system/promises.js';
import { type BlockWriter, type Chunk, Declined } from '../../contract.js';
import { blocksOnDevice, type DeviceBlock, loadBlocks } from '../bgzf/blocks.js';
import { deflateText, loadDeflate } from '../bgzf/deflate.js';
import { inflateOnDevice, loadInflate } from '../bgzf/inflate.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, submitPass } from '../device/dispatch.js';
import { DevicePool, Scratch } from '../device/pool.js';
import { PassTimer } from '../device/timer.js';
import { ReadRing, readBlockBytes } from '../engine/emit.js';
import { copyOnDevice, loadCopySlices } from '../engine/merge-slices.js';
import { DeviceText, UploadRing } from '../engine/upload.js';
import { type KeyArrays, mostKeys } from '../keys/key-sort.js';
import { radixSort } from '../keys/radix-sort/radix-sort.js';
import { textBufferBytes } from '../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../records/scan.js';
import { type Alignments, frameAlignments, loadFrame } from './frame.js';

/** Sizes of what is worked on at once, in bytes. */
interface AlignmentSizes {
  /** Of the file, a multiple of 4. */
  readonly stretch: number;
  /** Of a read. */
  readonly piece: number;
  /** Of a text: less than a binding may have. */
  readonly text: number;
  /** Of a range of the output. */
  readonly range: number;
}

/** A range is small, so that it can be read back while the next one is compressed. */
const SIZES: AlignmentSizes = { stretch: 2 ** 28, piece: 2 ** 23, text: 2 ** 31 - 2 ** 16, range: 2 ** 27 };

/** Bytes of a block of BGZF at most, before the first stretch's bytes: the end of the stretch before it. */
const REST_BYTES = 2 ** 16 + 4;
/** Bytes that a binding holds besides: the end of a stretch, text or range before, and what kernels may read. */
const BINDING_PADDING = 2 ** 18;
/** The memory that is reserved for a text, relative to the first one. Buffers may be a quarter larger than a request. */
const RESERVED = 1.1;
/** Bytes of text in a block that is written. */
const BLOCK_TEXT = 0xff00;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;
/** Records of a tile of tile-bytes.wgsl, and bytes of a tile of gather.wgsl. */
const TILE_RECORDS = 256;
const TILE_BYTES = 8192;
const SPEC = { type: 'u64', values: true } as const;

/** What the host has read of the file. */
interface BamStart {
  readonly fileBytes: number;
  /** Bytes of the header, inflated, and the number of references that it lists. */
  readonly headerBytes: number;
  readonly references: number;
}

/** A text and its records, whose numbers begin at `base`. */
interface Framed extends Alignments {
  readonly text: GPUBuffer;
  readonly textBytes: number;
  readonly base: number;
}

/** Records `first` to `first` + `count` of the output, of `bytes` bytes. */
interface Range {
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
}

/** The records of all texts. */
interface Sorted {
  readonly order: GPUBuffer;
  readonly starts: GPUBuffer;
  readonly sizes: GPUBuffer;
  readonly count: number;
}

/** Bytes at the end of a text that the next one begins with. */
interface Rest {
  readonly text: GPUBuffer;
  readonly at: number;
  readonly bytes: number;
}

/** The text of a range: whole blocks, `bytes` in all, and the rest, which belongs to the next range. */
interface MadeRange {
  readonly text: GPUBuffer;
  readonly bytes: number;
  readonly rest: Rest | null;
}

type DeflatedText = Awaited<ReturnType<typeof deflateText>>;

const kernelsOf = (gpu: Gpu) => ({
  sizes: new Kernel(gpu, 'alignments/sizes'),
  tileBytes: new Kernel(gpu, 'alignments/tile-bytes'),
  tiles: new Kernel(gpu, 'records/gather/tiles'),
  gather: new Kernel(gpu, 'alignments/gather'),
});

/** Compiles what a sort needs; settles once all is compiled, or has failed. */
export function loadAlignmentSort(gpu: Gpu): Promise<unknown> {
  return allOver([
    ...[loadBlocks(gpu), loadInflate(gpu), loadFrame(gpu), loadCopySlices(gpu)],
    ...[radixSort().load(gpu, SPEC), loadScan(gpu), loadKernels(kernelsOf(gpu)), loadDeflate(gpu)],
  ]);
}

/** Where the output goes. */
interface AlignmentOutput {
  /** Takes the blocks of BGZF; null: the text is not compressed on the device. */
  readonly blocks: BlockWriter | null;
  /** Takes the text; null: it is not wanted. */
  readonly text: BlockWriter | null;
  /** Hears the bytes of each block's text and of the block, before it is written. */
  readonly onBlock?: (textBytes: number, blockBytes: number) => void;
}

/** One sort. Open stretches one after another and add each when it is filled; prepare; write. Close it in any case. */
export class AlignmentSort {
  readonly stretchBytes: number;
  readonly pieceBytes: number;
  private readonly gpu: Gpu;
  private readonly recorder: Recorder;
  private readonly trafficBefore: Gpu['traffic'];
  private readonly start: BamStart;
  private readonly sizes: AlignmentSizes;
  /** The most bytes of a stretch, a text or a range. */
  private readonly mostBytes: number;
  private readonly pool: DevicePool;
  private readonly scratch: Scratch;
  private readonly uploads: UploadRing;
  private readonly reads: ReadRing;
  private readonly loading: Promise<unknown>;
  private readonly texts: Framed[] = [];
  /** The end of the last stretch, which is an incomplete block. It ends at byte REST_BYTES of the buffer. */
  private restOfFile: { readonly buffer: GPUBuffer; readonly bytes: number } | null = null;
  private restOfText: Rest | null = null;
  /** Where the first record of the next text begins in it. */
  private begin: number;
  private count = 0;
  /** Bytes of all stretches so far. */
  private read = 0;
  private endsEmpty = false;

  /** `sizes`: for tests. */
  constructor(gpu: Gpu, start: BamStart, recorder: Recorder, sizes: Partial<AlignmentSizes> = {}) {
    this.gpu = gpu;
    this.recorder = recorder;
    this.trafficBefore = { ...gpu.traffic };
    gpu.timer = recorder.keepsSpans && gpu.device.features.has('timestamp-query') ? new PassTimer(gpu) : null;
    this.start = start;
    this.begin = start.headerBytes;
    this.mostBytes = gpu.maxBindingBytes - BINDING_PADDING;
    const { stretch, piece, text, range } = { ...SIZES, ...sizes };
    const atMost = (bytes: number): number => Math.min(bytes, this.mostBytes);
    this.sizes = { stretch: atMost(stretch), piece, text: atMost(text), range: atMost(range) };
    this.stretchBytes = this.sizes.stretch;
    this.pieceBytes = piece;
    this.pool = new DevicePool(gpu);
    this.scratch = new Scratch(this.pool);
    this.uploads = new UploadRing(gpu, piece, this.stretchBytes, recorder);
    this.reads = new ReadRing(gpu, recorder, readBlockBytes(this.sizes.range));
    this.loading = loadAlignmentSort(gpu);
    this.loading.catch(() => {
      /* the first stretch reports it */
    });
  }

  /** Memory for a stretch: fill it from byte `from` on. */
  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number } {
    const capacity = REST_BYTES + bytes;
    return { chunk: new DeviceText(this.gpu, this.uploads, this.pool, capacity, capacity), from: REST_BYTES };
  }

  /** Takes a stretch with the file's next `bytes` bytes. Throws Declined. */
  async add(chunk: Chunk, bytes: number): Promise<void> {
    await this.loading;
    const scratch = new Scratch(this.pool);
    try {
      const compressed = scratch.add(await (chunk as DeviceText).take());
      const begin = REST_BYTES - (this.restOfFile?.bytes ?? 0);
      if (this.restOfFile !== null) {
        copyBuffer(this.gpu, this.restOfFile.buffer, 0, compressed, 0, REST_BYTES);
        this.scratch.drop(this.restOfFile.buffer);
      }
      const end = REST_BYTES + bytes;
      const found = await blocksOnDevice(scratch, compressed, begin, end);
      for (const blocks of this.textsOf(found.blocks)) await this.addText(compressed, blocks);
      this.endsEmpty = found.blocks.length === 0 ? this.endsEmpty : found.blocks.at(-1)!.textBytes === 0;
      await this.keepRest(compressed, found.end, end);
      if (this.read === 0) await this.reserve(bytes);
      this.read += bytes;
    } finally {
      scratch.end();
    }
  }

  /**
   * Takes memory for what follows the first stretch, of `bytes` bytes, as if it were alike: so a file that is too large
   * is not read in vain. Throws `out-of-device-memory`.
   */
  private async reserve(bytes: number): Promise<void> {
    const sizes = this.texts.map(({ textBytes }) => Math.min(textBytes * RESERVED, this.mostBytes));
    const stretches = Math.ceil((this.start.fileBytes - bytes) / this.stretchBytes);
    const all = Array.from({ length: stretches }, () => sizes).flat();
    if (await this.pool.grow(all, 'text of BAM')) return;
    const text = all.reduce((sum, size) => sum + size, 0);
    throw new GpusortError('out-of-device-memory', `out of GPU memory: ${formatBytes(text)} for the text of BAM`);
  }

  /** Blocks in groups whose text a buffer holds. */
  private *textsOf(blocks: readonly DeviceBlock[]): Generator<readonly DeviceBlock[], void> {
    let group: DeviceBlock[] = [];
    let bytes = 0;
    for (const block of blocks) {
      if (group.length > 0 && bytes + block.textBytes + (this.restOfText?.bytes ?? 0) > this.sizes.text) {
        yield group;
        group = [];
        bytes = 0;
      }
      group.push(block);
      bytes += block.textBytes;
    }
    if (group.length > 0) yield group;
  }

  /** Keeps the incomplete block at the end of a stretch. */
  private async keepRest(compressed: GPUBuffer, from: number, end: number): Promise<void> {
    const bytes = end - from;
    if (bytes > REST_BYTES - 4) throw new Declined('a block of BGZF is not as htslib writes it');
    this.restOfFile = null;
    if (bytes === 0) return;
    const buffer = await this.scratch.take(REST_BYTES, 'rest of a stretch');
    // Only the last stretch may end inside a word, and nothing follows it.
    const words = Math.ceil(end / 4) * 4 - (from & ~3);
    copyBuffer(this.gpu, compressed, from & ~3, buffer, REST_BYTES - words, words);
    this.restOfFile = { buffer, bytes };
  }

  /** Inflates blocks into a text of their own, after the rest of the text before it, and finds its records. */
  private async addText(compressed: GPUBuffer, blocks: readonly DeviceBlock[]): Promise<void> {
    const { gpu, pool, restOfText: rest, scratch } = this;
    const places = new Uint32Array(4 * blocks.length);
    let end = rest?.bytes ?? 0;
    blocks.forEach(({ from, to, textBytes }, i) => {
      places.set([from, to, end, end + textBytes], 4 * i);
      end += textBytes;
    });
    if (end > this.mostBytes) throw new Declined('a record is too long');
    const text = await scratch.take(textBufferBytes(end), 'text of BAM');
    if (rest !== null)
      submitPass(gpu, 'tokenize', 'rest of a text', (pass) => {
        copyOnDevice(gpu, pass, rest, { text, at: 0 }, rest.bytes);
      });
    gpu.timer?.handles(end, 'inflate', 'tokenize', 'keys');
    const work = new Scratch(pool);
    try {
      const { status, crcs } = await inflateOnDevice(work, compressed, places, text);
      if (blocks.some(({ crc }, i) => status[i] !== 0 || crcs[i] !== crc)) throw new Declined('a block is damaged');
      const bam = { text, textBytes: end, places, begin: this.begin, references: this.start.references };
      const records = await frameAlignments(scratch, bam, this.count);
      this.texts.push({ ...records, text, textBytes: end, base: this.count });
      this.count += records.count;
      if (this.count > Math.min(mostKeys(gpu, SPEC), MOST_RECORDS)) throw new Declined('there are too many records');
      this.begin = Math.max(0, records.end - end);
      this.restOfText = records.end < end ? { text, at: records.end, bytes: end - records.end } : null;
    } finally {
      work.end();
    }
  }

  /** Sorts the records of all stretches. Throws Declined. */
  async prepare(): Promise<{ write(output: AlignmentOutput): Promise<void> }> {
    if (this.restOfFile !== null || this.restOfText !== null || this.begin > 0 || !this.endsEmpty)
      throw new Declined('the file is cut off');
    if (this.count === 0) return { write: () => Promise.resolve() };
    const sorted = await this.sort();
    const ranges = await this.rangesOf(sorted);
    return { write: (output) => this.write(sorted, ranges, output) };
  }

  private async write(sorted: Sorted, ranges: readonly Range[], output: AlignmentOutput): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    let rest: Rest | null = null;
    try {
      for (const [i, range] of ranges.entries()) {
        const made: MadeRange = await this.makeRange(sorted, range, rest, i === ranges.length - 1);
        if (rest !== null) this.scratch.drop(rest.text);
        rest = made.rest;
        // The device compresses a range while the one before it is written.
        const compressed = output.blocks === null ? null : await this.compress(made);
        await writing;
        writing = this.writeRange(made, compressed, output);
        writing.catch(() => {
          /* awaited below */
        });
      }
    } finally {
      await writing;
    }
  }

  /** Puts the records of all texts in one list, and sorts their numbers. */
  private async sort(): Promise<Sorted> {
    const { gpu, scratch, count } = this;
    const take = (bytes: number, label: string): Promise<GPUBuffer> => scratch.take(Math.max(bytes, 16), label);
    const starts = await take(count * 4, 'starts of records');
    const sizes = await take(count * 4, 'sizes of records');
    const from = { keys: await take(count * 8, 'keys'), values: await take(count * 4, 'numbers') };
    const spare = { keys: await take(count * 8, 'keys'), values: await take(count * 4, 'numbers') };
    for (const text of this.texts) {
      if (text.count === 0) continue;
      copyBuffer(gpu, text.starts, 0, starts, text.base * 4, text.count * 4);
      copyBuffer(gpu, text.sizes, 0, sizes, text.base * 4, text.count * 4);
      copyBuffer(gpu, text.numbers, 0, from.values, text.base * 4, text.count * 4);
      copyBuffer(gpu, text.keys, 0, from.keys, text.base * 8, text.count * 8);
    }
    for (const text of this.texts)
      for (const one of ['starts', 'sizes', 'numbers', 'keys'] as const) scratch.drop(text[one]);
    gpu.timer?.handles(
      this.texts.reduce((sum, { textBytes }) => sum + textBytes, 0),
      'sort',
    );
    const result: KeyArrays = await radixSort().sort(scratch, SPEC, from, spare, count);
    const order = result.values!;
    for (const buffer of [from.keys, spare.keys, from.values, spare.values]) if (buffer !== order) scratch.drop(buffer);
    return { order, starts, sizes, count };
  }

  /** Cuts the output into ranges of whole tiles of records. */
  private async rangesOf({ order, sizes, count }: Sorted): Promise<Range[]> {
    const { gpu, scratch } = this;
    const tiles = Math.ceil(count / TILE_RECORDS);
    const buffer = await scratch.take(Math.max(16, tiles * 4), 'bytes of tiles');
    submitPass(gpu, 'gather', 'bytes of tiles', (pass) => {
      kernelsOf(gpu).tileBytes.dispatch(
        pass,
        { order: bind(order, count * 4), sizes: bind(sizes, count * 4), bytes: bind(buffer, tiles * 4) },
        { n: count, tiles },
        Math.ceil(tiles / 64),
      );
    });
    const bytes = new Uint32Array((await readBack(gpu, buffer, 0, tiles * 4)).slice().buffer);
    scratch.drop(buffer);
    const ranges: Range[] = [];
    let first = 0;
    let sum = 0;
    bytes.forEach((more, tile) => {
      if (more > this.mostBytes) throw new Declined('records are too long');
      if (sum > 0 && sum + more > this.sizes.range) {
        ranges.push({ first, count: tile * TILE_RECORDS - first, bytes: sum });
        first = tile * TILE_RECORDS;
        sum = 0;
      }
      sum += more;
    });
    ranges.push({ first, count: count - first, bytes: sum });
    return ranges;
  }

  /** Writes a range of the output to a text, after the `rest` of the range before it. */
  private async makeRange(
    { order, starts, sizes, count }: Sorted,
    range: Range,
    rest: Rest | null,
    isLast: boolean,
  ): Promise<MadeRange> {
    const { gpu, scratch } = this;
    const { sizes: ofRecords, tiles: findTiles, gather } = kernelsOf(gpu);
    const skipped = rest?.bytes ?? 0;
    const bytes = skipped + range.bytes;
    const n = range.count + 1;
    const tiles = Math.ceil(bytes / TILE_BYTES);
    const out = await scratch.take(textBufferBytes(bytes), 'range of BAM');
    const lengths = await scratch.take((n + 1) * 4, 'starts in a range');
    const sums = await scratch.take(scanSumsBytes(n), 'scan sums');
    const first = await scratch.take(Math.max(16, tiles * 4), 'tiles of a range');
    const out_starts = bind(lengths, (n + 1) * 4);
    const first_of_tile = bind(first, tiles * 4);
    const ordered = bind(order, count * 4);
    gpu.timer?.handles(bytes, 'gather');
    submitPass(
      gpu,
      'gather',
      'gather',
      (pass) => {
        if (rest !== null) copyOnDevice(gpu, pass, rest, { text: out, at: 0 }, rest.bytes);
        ofRecords.dispatch(
          pass,
          { order: ordered, sizes: bind(sizes, count * 4), lengths: out_starts },
          { first: range.first, count: range.count, skipped },
          Math.ceil(range.count / 256),
        );
        scanExclusive(gpu, pass, lengths, n, sums);
        findTiles.dispatch(pass, { out_starts, first: first_of_tile }, { n, tiles }, Math.ceil(tiles / 256));
        for (const text of this.texts)
          gather.dispatch(
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
    const whole = isLast ? bytes : Math.floor(bytes / BLOCK_TEXT) * BLOCK_TEXT;
    return { text: out, bytes: whole, rest: whole < bytes ? await this.restOf(out, whole, bytes - whole) : null };
  }

  /** A copy of the end of a range, which the next one begins with. */
  private async restOf(text: GPUBuffer, at: number, bytes: number): Promise<Rest> {
    const copy = await this.scratch.take(textBufferBytes(bytes), 'rest of a range');
    submitPass(this.gpu, 'gather', 'rest of a range', (pass) => {
      copyOnDevice(this.gpu, pass, { text, at }, { text: copy, at: 0 }, bytes);
    });
    return { text: copy, at: 0, bytes };
  }

  /** The blocks of a range; null if it is empty. The buffer is of this sort's scratch. */
  private async compress({ text, bytes }: MadeRange): Promise<DeflatedText | null> {
    if (bytes === 0) return null;
    this.gpu.timer?.handles(bytes, 'deflate');
    const work = new Scratch(this.pool);
    try {
      const deflated = await deflateText(work, text, bytes);
      this.scratch.add(work.keep(deflated.data));
      return deflated;
    } finally {
      work.end();
    }
  }

  /** Writes a range, and drops its buffers. */
  private async writeRange(
    { text, bytes }: MadeRange,
    compressed: DeflatedText | null,
    { text: takeText, blocks, onBlock }: AlignmentOutput,
  ): Promise<void> {
    if (takeText !== null && bytes > 0) await this.reads.emit(text, 0, bytes, takeText);
    this.scratch.drop(text);
    if (compressed === null) return;
    compressed.sizes.forEach((blockBytes, i) => {
      onBlock?.(Math.min(BLOCK_TEXT, bytes - i * BLOCK_TEXT), blockBytes);
    });
    await this.reads.emit(compressed.data, 0, compressed.bytes, blocks!);
    this.scratch.drop(compressed.data);
  }

  /** Frees all memory of the device. No stretch may be open. */
  async close(): Promise<void> {
    await this.loading.catch(() => {
      /* reported by add */
    });
    const { gpu, recorder, trafficBefore } = this;
    await gpu.timer?.finish(recorder);
    gpu.timer = null;
    recorder.traffic({
      sentBytes: gpu.traffic.sentBytes - trafficBefore.sentBytes,
      readBackBytes: gpu.traffic.readBackBytes - trafficBefore.readBackBytes,
    });
    this.uploads.close();
    this.reads.close();
    this.scratch.end();
    this.pool.destroyIdle();
  }
}

/** Copies words between buffers. */
function copyBuffer(gpu: Gpu, from: GPUBuffer, at: number, to: GPUBuffer, target: number, bytes: number): void {
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, at, to, target, bytes);
  gpu.device.queue.submit([encoder.finish()]);
}
