/** Compresses sorted texts of the device to BGZF. Only blocks are read back. */
import type { CompressedResult } from '../../../contract/engine.js';
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
  /** Settles when the last text is compressed. One at a time, so that there is memory of one. */
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

  /** Begins to compress the text of `bytes` bytes, at least 1, that `take` gives: a buffer of the scratch memory. */
  begin(bytes: number, take: (scratch: Scratch) => GPUBuffer | Promise<GPUBuffer>): CompressedResult {
    const { pool, reads, level } = this;
    const scratch = new Scratch(pool);
    const compressed = this.turn.then(async () => {
      const text = await take(scratch);
      pool.gpu.timer?.handles(bytes, 'deflate');
      const deflated = await deflateText(scratch, text, bytes, level);
      scratch.drop(text);
      return deflated;
    });
    // Handled when it is written.
    this.turn = quiet(compressed);
    return {
      emit: async (write) => {
        try {
          await writeDeflated(reads, await compressed, bytes, { write });
        } finally {
          scratch.end();
        }
      },
      release: () => {
        const end = (): void => scratch.end();
        compressed.then(end, end);
      },
    };
  }
}
