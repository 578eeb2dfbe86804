/**
 * The slices of a merge laid side by side in one text, whatever bytes they begin at. Knows nothing of records.
 */
import type { Slice, StoredRun } from '../../engine.js';
import { inParallel } from '../../promises.js';
import type { Gpu } from '../device/device.js';
import { dispatch, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { textBufferBytes } from '../records/records.js';
import { residentRun } from './sorted.js';
import type { Stages } from './stages.js';
import { DeviceText } from './upload.js';

/** Words of the target that one workgroup of copy-bytes takes. */
const TILE_WORDS = 1024;
/** Reads of stored runs at once: those of one piece, and pieces. */
const READS = 8;
const PIECES = 2;

/** Compiles what `layOut` needs. */
export function loadCopySlices(gpu: Gpu): Promise<unknown> {
  return gpu.kernels.load('runs/copy-bytes');
}

/**
 * The text of all slices, in their order and without gaps, in a buffer of `scratch`. Stored slices are read and uploaded; where
 * there are resident ones too they go through a buffer of their own, because uploads are aligned to words and slices are not.
 */
export async function layOut(stages: Stages, scratch: Scratch, slices: readonly Slice[]): Promise<GPUBuffer> {
  const stored = slices.filter((slice) => residentRun(slice.run) === undefined);
  if (stored.length === slices.length) return scratch.add(await uploadStored(stages, stored));
  const text = await scratch.take(textBufferBytes(bytesOf(slices)), 'merge text');
  const uploaded = stored.length === 0 ? null : scratch.add(await uploadStored(stages, stored));
  submitPass(stages.gpu, 'combine', 'lay out slices', (pass) => {
    let at = 0;
    let uploadedAt = 0;
    for (const { run, from, to } of slices) {
      const bytes = to.byte - from.byte;
      const resident = residentRun(run);
      copyBytes(stages.gpu, pass, resident?.records.text ?? uploaded!, resident === undefined ? uploadedAt : from.byte, text, at, bytes);
      if (resident === undefined) uploadedAt += bytes;
      at += bytes;
    }
  });
  if (uploaded !== null) scratch.drop(uploaded);
  return text;
}

/**
 * Records the copying of bytes from anywhere to anywhere. What shares a word of the target with bytes before must be copied after
 * them; the rest of a last word is not kept.
 */
export function copyBytes(gpu: Gpu, pass: GPUComputePassEncoder, source: GPUBuffer, from: number, target: GPUBuffer, to: number, bytes: number): void {
  const words = Math.ceil((to % 4 + bytes) / 4);
  dispatch(gpu, pass, 'runs/copy-bytes', {}, [source, target], [from, to, bytes], bytes === 0 ? 0 : Math.ceil(words / TILE_WORDS));
}

export function bytesOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);
}

/** Part of a stored run that belongs at byte `at` of a piece. */
interface Segment { readonly run: StoredRun; readonly byte: number; readonly at: number; readonly length: number }

/** Reads stored slices straight into upload memory, one behind the other. */
async function uploadStored(stages: Stages, slices: readonly Slice[]): Promise<GPUBuffer> {
  const { gpu, uploads, pool } = stages;
  const pieceBytes = uploads.pieceBytes;
  const bytes = bytesOf(slices);
  const pieces: Segment[][] = Array.from({ length: Math.ceil(bytes / pieceBytes) }, () => []);
  let at = 0;
  for (const { run, from, to } of slices) {
    for (let byte = from.byte; byte < to.byte;) {
      const within = at % pieceBytes;
      const length = Math.min(to.byte - byte, pieceBytes - within);
      pieces[Math.floor(at / pieceBytes)]!.push({ run: run as StoredRun, byte, at: within, length });
      byte += length;
      at += length;
    }
  }
  const text = new DeviceText(gpu, uploads, pool, bytes, bytes);
  try {
    await inParallel(pieces, PIECES, async (segments, i) => {
      const piece = await text.openPiece(i * pieceBytes);
      let filled = 0;
      try {
        await inParallel(segments, READS, ({ run, byte, at: begin, length }) => run.readAt(byte, piece.bytes.subarray(begin, begin + length)));
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
