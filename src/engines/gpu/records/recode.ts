/**
 * Encodes and decodes fixed records with typed keys on the device, as src/keys/record-encoding.ts does on the host.
 * Knows nothing of order.
 */
import type { EncodingStep, RecordEncoding } from '../../../job/ordering.js';
import { type Gpu, USAGE } from '../device/device.js';
import { bind, Kernel, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from './records.js';

/** Words of the result that one workgroup writes. */
const TILE_WORDS = 1024;
const NONE = 0xffffffff;
const ROW_WORDS = 4;

/** The steps of an encoding or of its inverse, as the kernel reads them. */
interface Table {
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly pieces: number;
}

/** Compiles what a Recoder needs. */
export function loadRecode(gpu: Gpu, encoding: RecordEncoding): Promise<unknown> {
  return kernelOf(gpu, encoding).load();
}

/** An encoding on a device. */
export class Recoder {
  private readonly gpu: Gpu;
  private readonly encoding: RecordEncoding;
  private readonly kernel: Kernel;
  private readonly tables = new Map<'encode' | 'decode', { readonly buffer: GPUBuffer; readonly pieces: number }>();

  constructor(gpu: Gpu, encoding: RecordEncoding) {
    this.gpu = gpu;
    this.encoding = encoding;
    this.kernel = kernelOf(gpu, encoding);
  }

  get recordBytes(): number {
    return this.encoding.size;
  }

  /** Submits the encoding of the first `bytes` bytes of a text into a new text in `scratch`. */
  encode(scratch: Scratch, text: GPUBuffer, bytes: number): Promise<GPUBuffer> {
    return this.recode(scratch, 'encode', text, 0, bytes);
  }

  /** Submits the decoding of `bytes` bytes of a text from a record's first byte on into a new text in `scratch`. */
  decode(scratch: Scratch, text: GPUBuffer, from: number, bytes: number): Promise<GPUBuffer> {
    return this.recode(scratch, 'decode', text, from, bytes);
  }

  close(): void {
    for (const { buffer } of this.tables.values()) buffer.destroy();
  }

  private async recode(
    scratch: Scratch,
    direction: 'encode' | 'decode',
    text: GPUBuffer,
    source: number,
    bytes: number,
  ): Promise<GPUBuffer> {
    const recoded = await scratch.take(textBufferBytes(bytes), `${direction}d text`);
    const { buffer, pieces } = this.tableOf(direction);
    submitPass(this.gpu, 'keys', direction, (pass) => {
      this.kernel.dispatch(
        pass,
        {
          text: bind(text, textBufferBytes(source + bytes)),
          table: buffer,
          recoded: bind(recoded, textBufferBytes(bytes)),
        },
        { source, bytes, pieces },
        Math.ceil(bytes / 4 / TILE_WORDS),
      );
    });
    return recoded;
  }

  private tableOf(direction: 'encode' | 'decode'): { readonly buffer: GPUBuffer; readonly pieces: number } {
    let table = this.tables.get(direction);
    if (table === undefined) {
      const { rows, pieces } = (direction === 'encode' ? encodingTable : decodingTable)(this.encoding);
      const buffer = this.gpu.device.createBuffer({
        size: rows.byteLength,
        usage: USAGE.STORAGE,
        label: 'encoding',
        mappedAtCreation: true,
      });
      new Uint32Array(buffer.getMappedRange()).set(rows);
      buffer.unmap();
      table = { buffer, pieces };
      this.tables.set(direction, table);
    }
    return table;
  }
}

function kernelOf(gpu: Gpu, { size }: RecordEncoding): Kernel {
  return new Kernel(gpu, 'records/recode', { overrides: { RECORD_SIZE: size } });
}

/** Bytes [to, to + bytes) of a result. */
interface CopiedBytes {
  readonly bytes: number;
  readonly to: number;
  readonly from: number;
  readonly backwards: boolean;
  readonly rest: number;
  readonly first: number;
  /** The place in the piece of the byte to which `first` applies. */
  readonly firstAt: number;
  readonly signs: readonly Sign[];
}

/** A byte of the text with a sign in its top bit. */
interface Sign {
  readonly place: number;
  readonly complemented: boolean;
}

function encodingTable({ size, steps }: RecordEncoding): Table {
  return tableOf(
    size,
    steps.map((step) => ({
      ...step,
      firstAt: 0,
      signs: step.sign === null ? [] : [{ place: step.sign, complemented: false }],
    })),
  );
}

function decodingTable({ size, steps }: RecordEncoding): Table {
  return tableOf(
    size,
    steps.map(({ bytes, to, from, backwards, first, rest, sign }) => ({
      bytes,
      to: backwards ? from - bytes + 1 : from,
      from: backwards ? to + bytes - 1 : to,
      backwards,
      rest,
      first,
      firstAt: backwards ? bytes - 1 : 0,
      signs: sign === null ? [] : encodedSigns(steps, sign),
    })),
  );
}

/**
 * The encoded bytes whose top bits together give the top bit of byte `place` of a record: itself, and, if it belongs to
 * a floating-point number of another key, that number's sign.
 */
function encodedSigns(steps: readonly EncodingStep[], place: number): Sign[] {
  const indexIn = ({ from, backwards }: EncodingStep): number => (backwards ? from - place : place - from);
  const holder = steps.find((step) => indexIn(step) >= 0 && indexIn(step) < step.bytes);
  if (holder === undefined) return [{ place, complemented: false }];
  const index = indexIn(holder);
  const sign = { place: holder.to + index, complemented: (index === 0 ? holder.first : holder.rest) > 0x7f };
  return holder.sign === null || holder.sign === place ? [sign] : [sign, ...encodedSigns(steps, holder.sign)];
}

/** Adds the bytes that stay in place, and lays everything out as rows. */
function tableOf(size: number, moved: readonly CopiedBytes[]): Table {
  const pieces: CopiedBytes[] = [];
  let end = 0;
  const copyTo = (to: number): void => {
    if (to > end)
      pieces.push({ bytes: to - end, to: end, from: end, backwards: false, rest: 0, first: 0, firstAt: 0, signs: [] });
  };
  for (const piece of moved.toSorted((a, b) => a.to - b.to)) {
    copyTo(piece.to);
    pieces.push(piece);
    end = piece.to + piece.bytes;
  }
  copyTo(size);
  const rows: number[] = [];
  const signs: number[] = [];
  let signRow = 2 * pieces.length;
  for (const { to, from, backwards, rest, first, firstAt, signs: all } of pieces) {
    rows.push(
      to,
      from,
      firstAt,
      all.length === 0 ? NONE : signRow,
      rest * 0x01010101,
      rest ^ first,
      Number(backwards),
      0,
    );
    all.forEach(({ place, complemented }, i) => {
      signRow++;
      signs.push(place, Number(complemented), i + 1 < all.length ? signRow : NONE, 0);
    });
  }
  const words = Uint32Array.from([...rows, ...signs]);
  if (words.length !== ROW_WORDS * signRow) throw new Error('rows of an encoding do not fit together');
  return { rows: words, pieces: pieces.length };
}
