/**
 * Whether the GPU inflates inputs of BGZF, and compresses the output to BGZF, in its own memory. Pipes that it inflates
 * are kept meanwhile, as they arrive, because it may decline them. Pure.
 */
import { keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import { HYBRID_ALGORITHM } from '../job/algorithm-table.js';
import type { Resources, SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { isKeyed } from '../keys/keyed.js';
import { isUnfiltered } from '../output/filters.js';
import { streamForm } from '../output/restored.js';
import { formatBytes } from '../report/units.js';
import { mayUseGpu } from './engine.js';
import type { MachineFacts } from './facts.js';
import { keptMemory } from './memory.js';
import type { GpuPlan } from './plan.js';

/** A quarter of the bytes of text that a processor inflates in a second: a GPU also compresses three times as fast. */
const RATE_OF_PROCESSOR = 90e6;
/** More processors do not make a sort faster. */
const MOST_PROCESSORS = 16;

/** Whether a GPU may inflate the pipes of such a job. `gpu`: there may be one. Headers may still change the keys. */
export function mayInflatePipes(job: SortJob, gpu: boolean): boolean {
  return findsRecords(job) && mayUseGpu(job, { bytes: null }, gpu);
}

/**
 * The plan, with the codecs of the GPU. `inflates`: whether some input may be BGZF; `keepsPipes`: whether some of these
 * are pipes.
 */
export function withDeviceCodecs(
  plan: GpuPlan,
  job: SortJob,
  machine: MachineFacts,
  { inflates, keepsPipes }: { readonly inflates: boolean; readonly keepsPipes: boolean },
): GpuPlan {
  if (!hasRoom(job)) return plan;
  const readable = inflates && findsRecords(job);
  const deflateLevel = levelOnDevice(job);
  const whatItDoes = [
    ...(readable ? ['inflates BGZF'] : []),
    ...(deflateLevel === null ? [] : [`compresses the output, ${strength(deflateLevel)}`]),
  ];
  if (whatItDoes.length === 0) return plan;
  const memoryBytes = keptMemory(job, machine);
  const keeping = `pipes stay in memory as they arrive, up to ${formatBytes(memoryBytes)}, until the output is written`;
  return {
    ...plan,
    inflates: readable
      ? {
          source: job.input.genomics?.format ?? null,
          leastRate: leastRate(job.resources, machine.processors),
          memoryBytes,
        }
      : null,
    deflateLevel,
    reasons: [...plan.reasons, `the GPU ${whatItDoes.join(' and ')}`, ...(readable && keepsPipes ? [keeping] : [])],
  };
}

/** Codecs take memory of the GPU, which a limit leaves to records. */
function hasRoom({ resources: { algorithm, gpuMemoryBytes } }: SortJob): boolean {
  return algorithm !== HYBRID_ALGORITHM && gpuMemoryBytes === null;
}

/** The level at which the GPU compresses the output; null: it does not. */
function levelOnDevice(job: SortJob): number | null {
  const { compression } = job.output;
  if (compression?.kind !== 'bgzf' || !compressesOnDevice(compression.level) || !canTake('deflated', job)) return null;
  return isUnfiltered(job, streamForm(job, { engine: 'gpu', tallied: false })) ? compression.level : null;
}

/** The GPU compresses in two ways: for level 1, and for levels 2 to 6. */
export const compressesOnDevice = (level: number): boolean => level >= 1 && level <= 6;

/** How the GPU compresses at a level. */
export const strength = (level: number): string => (level === 1 || level === 6 ? `at level ${level}` : 'as at level 6');

/** Whether the device finds the records of inputs, and makes their keys; otherwise the host needs their text. */
export function findsRecords(job: SortJob): boolean {
  const { framing } = job.input;
  if (!hasRoom(job) || !canTake('inflated', job)) return false;
  if (isKeyed(job.ordering) && !keysOnDevice(job.ordering.key)) return false;
  return framing === null || framing.kind === 'fasta' || (framing.kind === 'fastq' && framing.reads === 1);
}

/**
 * The bytes of text that a GPU must inflate in a second so that the sort is probably faster there. Each thread of the
 * GPU inflates a block, so it needs thousands of threads (H200: 15 GB/s); an integrated GPU may have too few. The
 * measured time includes waits for a busy host, so the bound is low. 0: the user requested the GPU.
 */
export function leastRate({ engine }: Pick<Resources, 'engine'>, processors: number): number {
  return engine === 'gpu' ? 0 : Math.min(processors, MOST_PROCESSORS) * RATE_OF_PROCESSOR;
}
