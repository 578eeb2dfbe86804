/**
 * Compresses text of the host on the device: groups in shared memory become blocks of BGZF. While one group is sent or
 * read back, the device compresses another.
 */
import type { DeviceDeflater } from '../../../codecs/device-codec.js';
import type { CompressedGroup } from '../../../codecs/tasks.js';
import type { Recorder } from '../../../report/recorder.js';
import { copyBytes } from '../../../system/memory.js';
import { quiet } from '../../../system/promises.js';
import type { Gpu } from '../device/device.js';
import { DevicePool, Scratch } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { ReadRing } from '../engine/emit.js';
import { UploadRing, uploadSources } from '../engine/upload.js';
import { deflateText, loadDeflate } from './deflate.js';

/** Bytes of a piece of a group on its way to the device, and of a block on its way back. */
const PIECE_BYTES = 8 << 20;
const READ_BYTES = 4 << 20;

export class GpuDeflater implements DeviceDeflater {
  private readonly gpu: Gpu;
  private readonly endWatch: () => Promise<void>;
  private readonly pool: DevicePool;
  private readonly uploads: UploadRing;
  private readonly reads: ReadRing;
  private readonly loading: Promise<unknown>;
  /** Groups under way. */
  private readonly work = new Set<Promise<CompressedGroup>>();

  /** `close` also closes `gpu`. */
  constructor(gpu: Gpu, recorder: Recorder) {
    this.gpu = gpu;
    this.endWatch = watchDevice(gpu, recorder);
    this.pool = new DevicePool(gpu);
    this.uploads = new UploadRing(gpu, PIECE_BYTES, Infinity, recorder);
    this.reads = new ReadRing(gpu, recorder, READ_BYTES);
    this.loading = loadDeflate(gpu);
    // The first group reports a failure.
    quiet(this.loading);
  }

  deflate(text: SharedArrayBuffer, bytes: number, target: SharedArrayBuffer): Promise<CompressedGroup> {
    const made = this.deflateTo(target, text, bytes);
    this.work.add(made);
    const done = (): unknown => this.work.delete(made);
    made.then(done, done);
    return made;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.loading, ...this.work]);
    await this.endWatch();
    this.uploads.close();
    this.reads.close();
    this.pool.destroyIdle();
    this.gpu.close();
  }

  private async deflateTo(target: SharedArrayBuffer, from: SharedArrayBuffer, bytes: number): Promise<CompressedGroup> {
    const { gpu, pool, uploads, reads } = this;
    await this.loading;
    const readAt = async (at: number, piece: Uint8Array): Promise<void> =>
      copyBytes(new Uint8Array(from, at, piece.length), piece);
    const scratch = new Scratch(pool);
    try {
      const text = scratch.add(await uploadSources(gpu, uploads, pool, [{ bytes, readAt }]));
      gpu.timer?.handles(bytes, 'deflate');
      const { data, bytes: end, sizes } = await deflateText(scratch, text, bytes);
      scratch.drop(text);
      let filled = 0;
      await reads.emit(data, 0, end, async (block) => {
        copyBytes(block, new Uint8Array(target), filled);
        filled += block.length;
      });
      return { bytes: end, blocks: [...sizes] };
    } finally {
      scratch.end();
    }
  }
}
