/**
 * Keeps a GPU's device between sorts, with the kernels that are compiled for it. A sort that finds none idle opens
 * another; one of them is kept. A device that was lost, or on which a sort failed, is not used again.
 */
import type { Caller } from '../caller.js';
import type { Gpu } from '../engines/gpu/device/device.js';

export class KeptGpus {
  private idle: Gpu | null = null;
  private isClosed = false;

  /** Does `work`, whose GPUs are kept if it succeeds. */
  async during<T>(work: (takeGpu: Caller['takeGpu']) => Promise<T>): Promise<T> {
    const used: Gpu[] = [];
    let succeeded = false;
    try {
      const result = await work(async (open) => {
        const gpu = this.takeIdle() ?? (await open());
        return {
          ...gpu,
          taken: { bytes: 0 },
          traffic: { sentBytes: 0, readBackBytes: 0 },
          close: () => used.push(gpu),
        };
      });
      succeeded = true;
      return result;
    } finally {
      for (const gpu of used) {
        if (succeeded && !this.isClosed && this.idle === null) this.idle = gpu;
        else gpu.close();
      }
    }
  }

  /** Closes the idle device. Those in use are closed after their sorts. */
  close(): void {
    this.isClosed = true;
    this.idle?.close();
    this.idle = null;
  }

  private takeIdle(): Gpu | null {
    const gpu = this.idle;
    this.idle = null;
    if (gpu === null || gpu.lostReason() === undefined) return gpu;
    gpu.close();
    return null;
  }
}
