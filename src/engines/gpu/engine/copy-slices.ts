/**
 * Lays the slices of a merge side by side in one text, whatever byte they begin at. Knows nothing of records.
 */
import type { Slice, StoredRun } from '../../contract.js';
import type { Gpu } from '../device/device.js';
import { dispatch, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';
import { deviceRun } from './sorted.js';
import type { Stages } from './stages.js';
import { uploadSources } from './upload-sources.js';

/** Words of the target that one workgroup of copy-bytes writes. */
const TILE_WORDS = 1024;

/** Compiles what `layOut` needs. */
export function loadCopySlices(gpu: Gpu): Promise<unknown> {
  return gpu.pipelines.load('engine/copy-bytes');
}

/**
 * The text of all slices, in order and without gaps, in a buffer of `scratch`. Stored slices are read and uploaded. If
 * there are resident slices too, stored ones go through a separate buffer: uploads are word-aligned, slices are not.
 */
export async function layOut(stages: Stages, scratch: Scratch, slices: readonly Slice[]): Promise<GPUBuffer> {
  const stored = slices.filter((slice) => deviceRun(slice.run) === undefined);
  if (stored.length === slices.length) return scratch.add(await uploadStored(stages, stored));
  const text = await scratch.take(textBufferBytes(bytesOf(slices)), 'merge text');
  const uploaded = stored.length === 0 ? null : scratch.add(await uploadStored(stages, stored));
  submitPass(stages.gpu, 'combine', 'lay out slices', (pass) => {
    let at = 0;
    let uploadedAt = 0;
    for (const { run, from, to } of slices) {
      const bytes = to.byte - from.byte;
      const resident = deviceRun(run);
      copyBytes(
        stages.gpu,
        pass,
        resident?.records.text ?? uploaded!,
        resident === undefined ? uploadedAt : from.byte,
        text,
        at,
        bytes,
      );
      if (resident === undefined) uploadedAt += bytes;
      at += bytes;
    }
  });
  if (uploaded !== null) scratch.drop(uploaded);
  return text;
}

/**
 * Records a copy between any byte offsets. Bytes that share a target word with earlier bytes must be copied after them;
 * the rest of the last word becomes zero.
 */
export function copyBytes(
  gpu: Gpu,
  pass: GPUComputePassEncoder,
  source: GPUBuffer,
  from: number,
  target: GPUBuffer,
  to: number,
  bytes: number,
): void {
  const words = Math.ceil(((to % 4) + bytes) / 4);
  dispatch(
    gpu,
    pass,
    'engine/copy-bytes',
    {},
    { text: source, target_text: target },
    { source: from, target_byte: to, bytes },
    bytes === 0 ? 0 : Math.ceil(words / TILE_WORDS),
  );
}

export function bytesOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);
}

/** Reads stored slices into upload memory, one after another. */
function uploadStored({ gpu, uploads, pool }: Stages, slices: readonly Slice[]): Promise<GPUBuffer> {
  return uploadSources(
    gpu,
    uploads,
    pool,
    slices.map(({ run, from, to }) => ({
      bytes: to.byte - from.byte,
      readAt: (byte, target) => (run as StoredRun).readAt(from.byte + byte, target, true),
    })),
  );
}
