/** GPU engines for tests, with small sizes, and what tests do with each: sort texts, keep them as runs, merge these. */
import type { Engine, Run, Slice, Sorted } from '../../../src/contract/engine.js';
import type { Gpu } from '../../../src/engines/gpu/device/device.js';
import { assembleGpuEngine, type GpuEngineLimits } from '../../../src/engines/gpu/engine/engine-core.js';
import type { GpuEngineOptions } from '../../../src/engines/gpu/engine/options.js';
import { SORT_STAGES } from '../../../src/engines/gpu/engine/sorts.js';
import type { SortStage } from '../../../src/engines/gpu/engine/stages.js';
import { createGpuEngine } from '../../../src/engines/gpu/gpu-engine.js';
import type { GpuAlgorithm, Tuning } from '../../../src/job/algorithm-table.js';
import { collector, silent, sortChunk } from '../../support/jobs.js';
import { LINES } from '../../support/records.js';

const SMALL: GpuEngineOptions = {
  ordering: LINES,
  chunkBytes: 1 << 20,
  pieceBytes: 1 << 16,
  rangeBytes: 1 << 20,
  mostRecords: null,
  residentBytes: null,
  recorder: silent,
};

/** An engine with the sort `stage` on `gpu`, which stays open. */
export function engineOn(
  gpu: Gpu,
  options: Partial<GpuEngineOptions> = {},
  stage: SortStage = SORT_STAGES['string-merge'],
  limits: GpuEngineLimits = {},
): Engine {
  return assembleGpuEngine(gpu, { ...SMALL, ...options }, stage, limits);
}

/** The engine of an algorithm, with tunings, on `gpu`, which stays open. */
export function engineBy(
  gpu: Gpu,
  algorithm: GpuAlgorithm,
  options: Partial<GpuEngineOptions> & { readonly tunings?: readonly Tuning[] } = {},
): Promise<Engine> {
  return createGpuEngine({ ...gpu, close: () => {} }, algorithm, { ...SMALL, ...options });
}

/** Sorts a text as one chunk, which is filled piece by piece. */
export async function orderText(engine: Engine, text: Uint8Array): Promise<Sorted[]> {
  const chunk = await engine.openChunk(text.length);
  for (let at = 0; at < text.length; at += engine.pieceBytes) {
    const piece = await chunk.openPiece(at);
    const part = text.subarray(at, at + piece.bytes.length);
    piece.bytes.set(part);
    piece.commit(part.length);
  }
  return sortChunk(engine, chunk, text.length);
}

/** Sorts a text into runs on the device. */
export async function keptRuns(engine: Engine, text: Uint8Array): Promise<Run[]> {
  const runs: Run[] = [];
  for (const sorted of await orderText(engine, text)) runs.push((await sorted.keep())!);
  return runs;
}

/** The output of a merge of slices. */
export async function mergedText(engine: Engine, slices: readonly Slice[]): Promise<Buffer> {
  const { write, bytes } = collector();
  for (const sorted of await engine.merge(slices, 0)) await sorted.emit(write);
  return bytes();
}
