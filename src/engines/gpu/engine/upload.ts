/**
 * Text on its way to the device: a ring of mapped upload buffers that the input fills, and device texts to which filled
 * pieces are copied. Knows nothing of records. Mapped memory may lie on the device: write it in order, do not read it.
 */

import type { Chunk, Piece } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import type { RandomAccess } from '../../../system/byte-source.js';
import { GpusortError } from '../../../system/errors.js';
import { inParallel } from '../../../system/promises.js';
import { type Gpu, MAP_WRITE, USAGE } from '../device/device.js';
import { allocate, checkDevice, copyWords, mapBuffer } from '../device/dispatch.js';
import type { DevicePool } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';
import { UPLOAD_BUFFERS } from '../thresholds.js';

/** Growth factor of a text of unknown size. A small input allocates little; a large one is copied at most 4/3 times. */
const GROWTH = 4;

interface Waiter {
  resolve(buffer: GPUBuffer): void;
  reject(error: unknown): void;
}

/**
 * A ring of mapped upload buffers of pieceBytes, allocated on demand. Seven of 8 MiB, each filled by one read, reach
 * nearly the rate of eight concurrent reads (32 GB/s; a single read gives 4.8 GB/s). In all they stay below 64 MiB: V8
 * collects garbage for every 64 MiB of mapped memory that come and go, which took a quarter of the reading time.
 */
export class UploadRing {
  readonly pieceBytes: number;
  private readonly gpu: Gpu;
  private readonly recorder: Recorder;
  private readonly mapped: GPUBuffer[] = [];
  private readonly waiters: Waiter[] = [];
  private readonly all = new Set<GPUBuffer>();
  private made = 0;
  private failure: unknown;
  private readonly most: number;

  /** A ring for chunks of `chunkBytes`. It has no more buffers than one chunk fills, but at least two. */
  constructor(gpu: Gpu, pieceBytes: number, chunkBytes: number, recorder: Recorder) {
    this.gpu = gpu;
    this.pieceBytes = pieceBytes;
    this.most = Math.min(UPLOAD_BUFFERS, Math.max(2, Math.ceil(chunkBytes / pieceBytes)));
    this.recorder = recorder;
  }

  /** A free mapped buffer. Waits for one if all are in use. */
  async acquire(): Promise<GPUBuffer> {
    if (this.failure !== undefined) throw this.failure;
    checkDevice(this.gpu);
    const free = this.mapped.pop();
    if (free !== undefined) return free;
    if (this.made < this.most) {
      this.made++;
      try {
        const usage = USAGE.MAP_WRITE | USAGE.COPY_SRC;
        const buffer = await allocate(this.gpu, this.pieceBytes, 'upload', { usage, mapped: true });
        this.all.add(buffer);
        return buffer;
      } catch (error) {
        this.made--;
        if (!(error instanceof GpusortError) || error.code !== 'out-of-device-memory' || this.made === 0) throw error;
        // The buffers made so far suffice: wait for one of them.
      }
    }
    return new Promise((resolve, reject) => {
      this.waiters.push({ resolve, reject });
    });
  }

  /**
   * Copies the first `length` bytes of a mapped buffer to `target` (null: discards them), then maps the buffer again.
   */
  commit(buffer: GPUBuffer, length: number, target: GPUBuffer | null, offset: number): void {
    const start = performance.now();
    buffer.unmap();
    if (target !== null && length > 0) {
      this.gpu.traffic.sentBytes += length;
      const encoder = this.gpu.device.createCommandEncoder({ label: 'upload' });
      encoder.copyBufferToBuffer(buffer, 0, target, offset, Math.ceil(length / 4) * 4);
      this.gpu.device.queue.submit([encoder.finish()]);
    }
    mapBuffer(this.gpu, buffer, MAP_WRITE).then(
      () => {
        if (length > 0) this.recorder.span('upload', start, length);
        const waiter = this.waiters.shift();
        if (waiter !== undefined) waiter.resolve(buffer);
        else this.mapped.push(buffer);
      },
      (error: unknown) => {
        this.fail(error);
      },
    );
  }

  /** Frees the memory. No piece may be open. */
  close(): void {
    this.fail(new GpusortError('device-lost', 'the GPU engine was closed'));
    for (const buffer of this.all) buffer.destroy();
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    for (const waiter of this.waiters.splice(0)) waiter.reject(error);
  }
}

/** Text on the device, filled piece by piece: the memory of a chunk, or of the stored slices of a merge. */
export class DeviceText implements Chunk {
  readonly capacity: number;
  private readonly gpu: Gpu;
  private readonly ring: UploadRing;
  private readonly pool: DevicePool;
  private readonly expectedBytes: number;
  private text: Promise<GPUBuffer> | undefined;
  /** The latest buffer that `text` resolved to; holds all committed pieces. */
  private current: GPUBuffer | undefined;
  private textBytes = 0;
  private released = false;

  /** Allocates `expectedBytes` at first, and more, up to `capacity`, if pieces go beyond that. */
  constructor(gpu: Gpu, ring: UploadRing, pool: DevicePool, capacity: number, expectedBytes: number) {
    this.gpu = gpu;
    this.ring = ring;
    this.pool = pool;
    this.capacity = capacity;
    // Whole pieces, because the last piece is opened at full size even if it will be filled in part.
    this.expectedBytes = Math.min(capacity, Math.max(1, Math.ceil(expectedBytes / ring.pieceBytes)) * ring.pieceBytes);
  }

  async openPiece(offset: number): Promise<Piece> {
    const size = Math.min(this.ring.pieceBytes, this.capacity - offset);
    await this.grow(offset + size);
    const buffer = await this.ring.acquire();
    let open = true;
    return {
      bytes: new Uint8Array(buffer.getMappedRange(), 0, size),
      commit: (length) => {
        if (!open) throw new Error('a piece was committed twice');
        open = false;
        if (this.released) {
          this.ring.commit(buffer, 0, null, 0);
          return;
        }
        // The text may have moved to a larger buffer since the piece was opened.
        this.ring.commit(buffer, length, this.current!, offset);
      },
    };
  }

  /** Passes the buffer to the caller. The text must not be used afterwards. */
  async take(): Promise<GPUBuffer> {
    await this.grow(0);
    const text = await this.text!;
    this.text = undefined;
    this.released = true;
    return text;
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    const give = (): void => {
      if (this.current !== undefined) this.pool.give(this.current);
    };
    // The caller that opened the piece gets the failure. The previous buffer must still be returned to the pool.
    this.text?.then(give, give);
  }

  /** Grows the text to at least `end` bytes. Calls run one after another. */
  private grow(end: number): Promise<unknown> {
    if (this.text !== undefined && end <= this.textBytes) return this.text;
    const before = this.text;
    const beforeBytes = this.textBytes;
    this.textBytes = Math.min(this.capacity, Math.max(end, this.expectedBytes, beforeBytes * GROWTH));
    const bytes = textBufferBytes(this.textBytes);
    this.text = (async () => {
      const old = await before;
      const larger = await this.pool.take(bytes, 'text');
      if (old !== undefined) {
        const bytes = Math.ceil(beforeBytes / 4) * 4;
        copyWords(this.gpu, { buffer: old, at: 0 }, { buffer: larger, at: 0 }, bytes);
        this.pool.give(old);
      }
      this.current = larger;
      return larger;
    })();
    return this.text;
  }
}

/** Concurrent reads for one piece, and concurrent pieces. */
const READS = 8;
const PIECES = 2;

/** A text of `bytes` bytes. */
export interface UploadSource extends RandomAccess {
  readonly bytes: number;
}

/** The bytes of a source that belong at byte `at` of a piece. */
interface SourcePortion {
  readonly source: UploadSource;
  readonly byte: number;
  readonly at: number;
  readonly length: number;
}

/**
 * Reads all sources, texts from files or host memory, straight into upload memory, one after the other; returns the
 * text on the device.
 */
export async function uploadSources(
  gpu: Gpu,
  uploads: UploadRing,
  pool: DevicePool,
  sources: readonly UploadSource[],
): Promise<GPUBuffer> {
  const { pieceBytes } = uploads;
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  const pieces: SourcePortion[][] = Array.from({ length: Math.ceil(bytes / pieceBytes) }, () => []);
  let at = 0;
  for (const source of sources) {
    for (let byte = 0; byte < source.bytes; ) {
      const within = at % pieceBytes;
      const length = Math.min(source.bytes - byte, pieceBytes - within);
      pieces[Math.floor(at / pieceBytes)].push({ source, byte, at: within, length });
      byte += length;
      at += length;
    }
  }
  const text = new DeviceText(gpu, uploads, pool, bytes, bytes);
  try {
    await inParallel(pieces, PIECES, async (portions, i) => {
      const piece = await text.openPiece(i * pieceBytes);
      let filled = 0;
      try {
        await inParallel(portions, READS, ({ source, byte, at: begin, length }) =>
          source.readAt(byte, piece.bytes.subarray(begin, begin + length)),
        );
        filled = Math.min(pieceBytes, bytes - i * pieceBytes);
      } finally {
        piece.commit(filled);
      }
    });
    return await text.take();
  } catch (error) {
    text.release();
    throw error;
  }
}
