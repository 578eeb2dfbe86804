/**
 * Times compute passes on the device, for --stats. Passes write timestamps into a query set; a full set is read back
 * while the next one fills, so a sort of any length holds two or three sets of 24 KiB. At the end passes become spans
 * in the host's clock. Knows nothing of what passes do.
 */
import type { DeviceStage, Recorder } from '../../../report/recorder.js';
import { formatBytes } from '../../../report/units.js';
import { type Gpu, type PassTimes, USAGE } from './device.js';
import { readBack } from './dispatch.js';

/** Timestamps per pass: the device is free for it, it begins, it ends. */
const STAMPS = 3;
/** Passes per set; WebGPU allows 4,096 timestamps. */
const SET_PASSES = 1024;

interface Pass {
  readonly label: string;
  readonly stage: DeviceStage;
  /** When the pass was recorded, in milliseconds of the host's clock. It was submitted later. */
  readonly recorded: number;
  readonly bytes: number;
}

/** A pass with its times in milliseconds of the device's clock. */
interface TimedPass extends Pass {
  readonly begin: number;
  readonly end: number;
}

/** A pass with its times in milliseconds of performance.now(). */
interface PassSpan {
  readonly stage: DeviceStage;
  readonly label: string;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

export class PassTimer implements PassTimes {
  private readonly gpu: Gpu;
  private queries: GPUQuerySet | null = null;
  /** Passes with timestamps in `queries`, in the order of submission. */
  private passes: Pass[] = [];
  private readonly read: Promise<TimedPass[]>[] = [];
  private readonly handled = new Map<DeviceStage, number>();

  constructor(gpu: Gpu) {
    this.gpu = gpu;
  }

  handles(bytes: number, ...stages: DeviceStage[]): void {
    for (const stage of stages) this.handled.set(stage, (this.handled.get(stage) ?? 0) + bytes);
  }

  /**
   * Vulkan may take a pass's first timestamp while earlier work, including copies, still runs. So an empty pass
   * precedes it: its last timestamp waits for that work.
   */
  timing(
    encoder: GPUCommandEncoder,
    stage: DeviceStage,
    label: string,
  ): { timestampWrites: GPUComputePassTimestampWrites } {
    if (this.passes.length === SET_PASSES) this.readQueries();
    const querySet = (this.queries ??= this.gpu.device.createQuerySet({
      type: 'timestamp',
      count: STAMPS * SET_PASSES,
      label: 'pass times',
    }));
    const index = STAMPS * this.passes.length;
    this.passes.push({ stage, label, recorded: performance.now(), bytes: this.handled.get(stage) ?? 0 });
    this.handled.delete(stage);
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: index } }).end();
    return { timestampWrites: { querySet, beginningOfPassWriteIndex: index + 1, endOfPassWriteIndex: index + 2 } };
  }

  async finish(recorder: Recorder): Promise<void> {
    for (const { stage, start, bytes, end } of await this.spans()) recorder.span(stage, start, bytes, end);
  }

  /** The passes in the host's clock, in order. No pass may follow. */
  async spans(): Promise<PassSpan[]> {
    this.readQueries();
    const timed = (await Promise.all(this.read)).flat();
    // The clocks' offset: no pass begins before it is recorded, and one that finds the device idle begins immediately.
    const apart = timed.reduce((most, { recorded, begin }) => Math.max(most, recorded - begin), -Infinity);
    return timed.map(({ stage, label, begin, bytes, end }) => ({
      stage,
      label,
      bytes,
      start: begin + apart,
      end: end + apart,
    }));
  }

  private readQueries(): void {
    if (this.queries === null) return;
    // A lost device is reported elsewhere.
    this.read.push(this.readTimes(this.queries, this.passes).catch(() => []));
    this.queries = null;
    this.passes = [];
  }

  private async readTimes(queries: GPUQuerySet, passes: readonly Pass[]): Promise<TimedPass[]> {
    const { device } = this.gpu;
    const count = STAMPS * passes.length;
    const resolved = device.createBuffer({
      size: 8 * count,
      usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC,
      label: 'pass times',
    });
    try {
      const encoder = device.createCommandEncoder({ label: 'pass times' });
      encoder.resolveQuerySet(queries, 0, count, resolved, 0);
      device.queue.submit([encoder.finish()]);
      const times = Array.from(
        new BigUint64Array((await readBack(this.gpu, resolved, 0, 8 * count)).buffer),
        (nanoseconds) => Number(nanoseconds) / 1e6,
      );
      return passes.map((pass, i) => {
        const [free, begin, end] = times.slice(STAMPS * i, STAMPS * (i + 1));
        // A driver may skip the empty pass.
        return { ...pass, begin: free > begin && free < end ? free : begin, end };
      });
    } finally {
      queries.destroy();
      resolved.destroy();
    }
  }
}

/**
 * Times the passes of a device, if spans are kept and it has timestamps, counts its traffic and notes its kernels. The
 * returned function ends this and reports all to `recorder`; no pass may follow.
 */
export function watchDevice(gpu: Gpu, recorder: Recorder): () => Promise<void> {
  gpu.timer = recorder.keepsSpans && gpu.device.features.has('timestamp-query') ? new PassTimer(gpu) : null;
  const before = { ...gpu.traffic };
  gpu.dispatched.clear();
  return async () => {
    await gpu.timer?.finish(recorder);
    recorder.traffic({
      sentBytes: gpu.traffic.sentBytes - before.sentBytes,
      readBackBytes: gpu.traffic.readBackBytes - before.readBackBytes,
    });
    recorder.kernels(gpu.dispatched);
    recorder.note(`${formatBytes(gpu.taken.bytes)} of GPU buffers were allocated`);
  };
}
