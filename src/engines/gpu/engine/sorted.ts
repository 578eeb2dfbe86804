/**
 * Results of the GPU engine: sorted text that waits to be written or kept. Knows nothing of how it was sorted.
 */

import type {
  BlockWriter,
  CompressedResult,
  Run,
  SegmentEnds,
  Slice,
  Sorted,
  StoredRun,
} from '../../../contract/engine.js';
import { emitStored } from '../../../runs/stored-run.js';
import { GpusortError } from '../../../system/errors.js';
import { submitPass } from '../device/dispatch.js';
import { Scratch } from '../device/pool.js';
import { copyOnDevice, loadCopyBytes } from '../records/copy-bytes.js';
import { buffersOf, type Records, textBufferBytes } from '../records/records.js';
import { segmentEnds } from '../segments/heads.js';
import { DeviceRun, loadDeviceRun } from './device-run.js';
import type { Stages } from './stages.js';

/** Sorted text in its own buffers. */
export class DeviceSorted implements Sorted {
  readonly bytes: number;
  readonly records: number;
  readonly borrowed = false;
  readonly compress?: () => CompressedResult;
  private readonly stages: Stages;
  private result: Records | null;

  constructor(stages: Stages, result: Records) {
    const { deflater } = stages;
    if (deflater !== null)
      this.compress = () => {
        const { text, starts } = this.take();
        if (starts !== null) stages.pool.give(starts);
        return deflater.begin(this.bytes, (scratch) => scratch.add(text));
      };
    this.stages = stages;
    this.result = result;
    this.bytes = result.textBytes;
    this.records = result.count;
  }

  async emit(write: BlockWriter): Promise<void> {
    const { text, starts } = this.take();
    if (starts !== null) this.stages.pool.give(starts);
    try {
      await this.stages.reads.emit(text, 0, this.bytes, write);
    } finally {
      this.stages.pool.give(text);
    }
  }

  async keep(): Promise<Run | null> {
    const { gpu, ordering, questions, residency } = this.stages;
    const result = this.result;
    if (result === null) throw new Error('sorted text was used twice');
    const buffers = buffersOf(result);
    await loadDeviceRun(gpu, ordering);
    if (!(await residency.admit(buffers))) return null;
    this.result = null;
    return new DeviceRun(questions, ordering, result, () => {
      residency.release(buffers);
    });
  }

  release(): void {
    if (this.result === null) return;
    this.stages.pool.give(...buffersOf(this.take()));
  }

  async segmentEnds(): Promise<SegmentEnds> {
    const { ordering, pool } = this.stages;
    const scratch = new Scratch(pool);
    try {
      return await segmentEnds(scratch, this.result!, ordering);
    } finally {
      scratch.end();
    }
  }

  private take(): Records {
    const result = this.result;
    if (result === null) throw new Error('sorted text was used twice');
    this.result = null;
    return result;
  }
}

/** A single slice: its text is already in order in its run. It cannot be kept again. */
export function deviceSlice(stages: Stages, slice: Slice): Sorted {
  const { run, from, to } = slice;
  const { deflater, gpu } = stages;
  const bytes = to.byte - from.byte;
  return {
    bytes,
    borrowed: true,
    ...(deflater !== null &&
      run instanceof DeviceRun && {
        compress: () =>
          deflater.begin(bytes, async (scratch, check) => {
            await loadCopyBytes(gpu);
            const text = await scratch.take(textBufferBytes(bytes), 'slice');
            check();
            submitPass(gpu, 'gather', 'slice', (pass) => {
              copyOnDevice(gpu, pass, { text: run.records.text, at: from.byte }, { text, at: 0 }, bytes);
            });
            return text;
          }),
      }),
    emit: (write) =>
      run instanceof DeviceRun
        ? stages.reads.emit(run.records.text, from.byte, to.byte - from.byte, write)
        : emitStored(run as StoredRun, from.byte, to.byte, write),
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}

/** A resident run of this engine, or undefined for a stored run. Throws for another engine's resident run. */
export function deviceRun(run: Run): DeviceRun | undefined {
  if (run instanceof DeviceRun) return run;
  if (run.kind === 'resident')
    throw new GpusortError('device-lost', 'cannot merge a run in the memory of another engine');
  return undefined;
}

/** Whether a slice lies in device memory. */
export const isResident = (slice: Slice): slice is Slice<DeviceRun> => deviceRun(slice.run) !== undefined;
