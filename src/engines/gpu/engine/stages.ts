/**
 * What all parts of the GPU engine share: the device and its memory, rings of buffers, the sort, and limits.
 */
import type { Limit } from '../../../job/job.js';
import type { Ordering } from '../../../job/ordering.js';
import type { Recorder, Stage } from '../../../report/recorder.js';
import type { Gpu } from '../device/device.js';
import type { DevicePool } from '../device/pool.js';
import type { Recoder } from '../records/recode.js';
import type { OrderedRecords } from '../records/records.js';
import type { OrderStage } from '../strings/entries.js';
import type { DeviceDeflater } from './deflater.js';
import type { ReadRing } from './emit.js';
import type { Questions } from './questions.js';
import type { Residency } from './residency.js';
import type { UploadRing } from './upload.js';

export interface Stages {
  readonly gpu: Gpu;
  readonly ordering: Ordering;
  readonly limit: Limit | null;
  readonly recorder: Recorder;
  readonly pool: DevicePool;
  readonly uploads: UploadRing;
  readonly reads: ReadRing;
  readonly residency: Residency;
  readonly questions: Questions;
  readonly sort: SortStage;
  /** Null: the host compresses what is compressed. */
  readonly deflater: DeviceDeflater | null;
  /** Null: records are held as they were read. */
  readonly recoder: Recoder | null;
  /** Maximum bytes of text sorted or merged at once, including keys if records have any. */
  readonly textBytes: number;
  /** Maximum records of one sort. */
  readonly recordLimit: number;
}

/** Records a span that ends when all work submitted so far is done. Does nothing if passes are timed one by one. */
export function spanOnDevice(stages: Stages, stage: Stage, start: number, bytes: number): void {
  if (!stages.recorder.keepsSpans || stages.gpu.timer !== null) return;
  stages.gpu.device.queue.onSubmittedWorkDone().then(
    () => {
      stages.recorder.span(stage, start, bytes);
    },
    () => {
      /* a lost device is reported elsewhere */
    },
  );
}

/**
 * The sort of an engine: how chunks are sorted, and how slices are merged. `load` compiles what chunks need,
 * `loadMerge` what slices need.
 */
export interface SortStage extends Omit<OrderStage, 'order'> {
  order(...given: Parameters<OrderStage['order']>): Promise<OrderedRecords>;
  loadMerge(gpu: Gpu, ordering: Ordering): Promise<unknown>;
}
