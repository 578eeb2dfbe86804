/** Whether BAM is sorted without leaving the GPU, from file to file (src/sort-bam.ts). Pure. */
import { dividesEqual, type SortJob } from '../job/job.js';
import { formatBytes, MiB } from '../report/units.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import type { GpuPlan } from './plan.js';

/** Bytes of a file from which it pays to start a GPU. 16 processors take 1 s for 80 MB of BAM. */
const LEAST_BYTES = 64 * MiB;

/** Memory of the host that this way takes at most, with the GPU's driver (H200: 0.5 GB). */
const HOST_BYTES = 1024 * MiB;
/** A quarter of the text that a processor inflates in a second: a GPU compresses three times as fast beside that. */
const RATE_OF_PROCESSOR = 90e6;

/** The part of a job that decides. */
type DeviceJob = Pick<SortJob, 'mode' | 'input' | 'ordering' | 'output' | 'resources'>;

/**
 * Whether a GPU could sort the job this way: one compressed file of BAM, by coordinate, into BAM, and nothing in
 * between looks at records. Of the ways of a GPU only this one is faster than processors, so an algorithm or a chunk size asks
 * for another one. All of the text lies in the memory of the GPU, so a limit of that does so too. `bytes`: of the file;
 * null: the input is not a compressed file.
 */
export function canStayOnDevice(
  { mode, input, ordering, output, resources }: DeviceJob,
  { bytes }: Pick<InputFacts, 'bytes'>,
): boolean {
  const { genomics, framing, contigs, mates, files } = input;
  const { compression, convertsTo, limit, underline, verify } = output;
  const { engine, algorithm, chunkBytes, gpuMemoryBytes, memoryBytes } = resources;
  const pays = bytes !== null && bytes >= LEAST_BYTES && (memoryBytes ?? Infinity) >= HOST_BYTES;
  const isWanted = bytes !== null && (engine === 'gpu' || (engine === 'auto' && pays));
  const isPlain = genomics?.by === 'coordinate' && genomics.as === null && contigs === null && !ordering.reverse;
  const looksAtRecords =
    ordering.unique || mates.length > 0 || dividesEqual(output) || limit !== null || underline || verify;
  return (
    isWanted &&
    mode === 'sort' &&
    framing?.kind === 'bam' &&
    files.length === 1 &&
    isPlain &&
    !looksAtRecords &&
    compression?.kind === 'bgzf' &&
    convertsTo === null &&
    algorithm === 'auto' &&
    chunkBytes === null &&
    gpuMemoryBytes === null
  );
}

/** The plan of such a sort. `otherwise`: what the GPU does if it cannot. */
export function devicePlan(
  { output: { compression, index }, resources }: DeviceJob,
  { bytes }: InputFacts,
  adapter: Extract<AdapterAnswer, { found: true }>,
  otherwise: GpuPlan,
): GpuPlan {
  const why = resources.engine === 'gpu' ? 'as requested' : formatBytes(bytes ?? 0);
  const reasons = [
    `engine gpu: ${why}, on ${adapter.name}`,
    'BAM stays on the GPU, which inflates it, sorts it and writes its records in order',
    compressesOnDevice(compression!.level)
      ? `the GPU compresses it${index === null ? '' : '; the text is read back for the index'}`
      : `threads of the host compress it, at level ${compression!.level}`,
  ];
  return { ...otherwise, onDevice: reasons };
}

/** The GPU has one level. */
export const compressesOnDevice = (level: number): boolean => level === 1;

/**
 * Bytes of text that a GPU must inflate in a second, so that the sort is probably faster there. It inflates a block with
 * each of its threads, and must have thousands of them (H200: 15 GB/s); a GPU in one chip with processors may have too
 * few. The time includes waits for a busy host, so the bound is low. More than 16 processors do not make a sort faster.
 * 0: the GPU is asked for.
 */
export function leastRate({ resources }: DeviceJob, { processors }: Pick<MachineFacts, 'processors'>): number {
  return resources.engine === 'gpu' ? 0 : Math.min(processors, 16) * RATE_OF_PROCESSOR;
}
