/** Compresses sorted texts of the device to BGZF. Only blocks are read back. */
import type { CompressedResult } from '../../../contract/engine.js';
import { internalError } from '../../../system/errors.js';
import { quiet } from '../../../system/promises.js';
import { deflateText, loadDeflate } from '../bgzf/deflate.js';
import type { Gpu } from '../device/device.js';
import { type DevicePool, Scratch } from '../device/pool.js';
import type { ReadRing } from './emit.js';
import { writeDeflated } from './write-blocks.js';

export class DeviceDeflater {
  private readonly pool: DevicePool;
  private readonly reads: ReadRing;
  private readonly level: number;
  /** Settles when the last text is compressed, or its memory returned. One at a time needs memory of one. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(pool: DevicePool, reads: ReadRing, level: number) {
    this.pool = pool;
    this.reads = reads;
    this.level = level;
  }

  /** Compiles its kernels. */
  load(gpu: Gpu): Promise<unknown> {
    return loadDeflate(gpu, this.level);
  }

  /**
   * Begins to compress the text of `bytes` bytes, at least 1, that `take` gives: a buffer of the scratch memory.
   * `check` throws if the result was released: a run may have been, too.
   */
  begin(
    bytes: number,
    take: (scratch: Scratch, check: () => void) => GPUBuffer | Promise<GPUBuffer>,
  ): CompressedResult {
    const { pool, reads, level } = this;
    const scratch = new Scratch(pool);
    let isReleased = false;
    const check = (): void => {
      if (isReleased) throw internalError('released text is compressed');
    };
    const compressed = this.turn.then(async () => {
      const text = await take(scratch, check);
      check();
      pool.gpu.timer?.handles(bytes, 'deflate');
      const deflated = await deflateText(scratch, text, bytes, level);
      scratch.drop(text);
      return deflated;
    });
    // Handled when it is written.
    this.turn = quiet(compressed);
    return {
      compressed,
      emit: async (write) => {
        try {
          await writeDeflated(reads, await compressed, bytes, { write });
        } finally {
          scratch.end();
        }
      },
      release: () => {
        isReleased = true;
        const end = (): void => scratch.end();
        this.turn = Promise.all([this.turn, compressed.then(end, end)]);
      },
    };
  }

  /** Waits until all memory is returned. No result may be left. */
  async close(): Promise<void> {
    await this.turn;
  }
}
