/** Starts an engine. This is the only module that knows all engines; it imports each one only when it is chosen. */

import type { BamInput, BamSort } from '../contract/bam-sort.js';
import type { Engine } from '../contract/engine.js';
import type { Gpu } from '../engines/gpu/device/device.js';
import { COLLATED_ALGORITHM, type GpuAlgorithm } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { adapterMatters, remedyOnCpu, requestedEngine } from '../plan/engine.js';
import { type AdapterAnswer, type InputFacts, whyNoGpu } from '../plan/facts.js';
import type { CpuPlan, GpuPlan, Plan } from '../plan/plan.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import { withLongLines } from '../runs/long-lines.js';
import { GpusortError } from '../system/errors.js';
import { isTerminal } from '../system/file-system.js';
import { PROGRAM, type TakeGpu } from './caller.js';

const STANDARD_ERROR = 2;

/**
 * The adapter's facts, if the plan depends on them. Throws `no-adapter` only if the user asked for a GPU or an
 * algorithm that needs one.
 */
export async function askAdapter(job: PlannedJob, input: InputFacts): Promise<AdapterAnswer> {
  return adapterMatters(job, input) ? findAdapter(job) : null;
}

/** The adapter's facts, for a plan that depends on them. Throws like `askAdapter`. */
export async function findAdapter(job: PlannedJob): Promise<Exclude<AdapterAnswer, null>> {
  const reason = requestedEngine(job) === 'auto' ? whyNoGpu() : null;
  if (reason !== null) return { found: false, reason };
  try {
    const { requestAdapter } = await import('../engines/gpu/device/adapters.js');
    const { adapterFacts } = await import('../engines/gpu/device/device.js');
    const adapter = await requestAdapter({ onlyHardware: requestedEngine(job) === 'auto' });
    return { found: true, ...adapterFacts(adapter) };
  } catch (error) {
    if (!(error instanceof GpusortError)) throw error;
    if (requestedEngine(job) === 'gpu') throw withRemedyOnCpu(error, job);
    await noteMissingPackage();
    return { found: false, reason: error.message };
  }
}

/** On a terminal, says how to use this machine's GPU, if only the package is missing. */
async function noteMissingPackage(): Promise<void> {
  if (!isTerminal(STANDARD_ERROR)) return;
  const { installAdvice, webgpuManifest } = await import('../engines/gpu/device/webgpu.js');
  if (webgpuManifest() === null)
    warn(`the CPU sorts, because the webgpu package is not installed. ${installAdvice()} to use a GPU.`);
}

function withRemedyOnCpu({ code, message, hint, cause }: GpusortError, job: PlannedJob): GpusortError {
  return new GpusortError(code, message, { cause, ...(hint !== undefined && { hint: remedyOnCpu(hint, job) }) });
}

/** The planned engine for merging texts that may be unsorted. */
export async function openMergeEngine(plan: CpuPlan, ordering: Ordering, recorder: Recorder): Promise<Engine> {
  const { createCpuEngine } = await import('../engines/cpu/engine.js');
  return withLongLines(await createCpuEngine({ ...plan, ordering, recorder, mayBeUnsorted: true }), ordering);
}

/** How an engine is used. */
interface EngineUse {
  /** Whether it hashes its input. */
  readonly verify?: boolean;
  /** See Engine. */
  readonly checksText?: boolean;
  readonly takeGpu?: TakeGpu;
}

/** The planned engine, ready for its first chunk. */
export async function openEngine(
  plan: Plan,
  ordering: Ordering,
  recorder: Recorder,
  { verify = false, checksText = false, takeGpu = PROGRAM.takeGpu }: EngineUse = {},
): Promise<Engine> {
  const start = performance.now();
  const watched = { ordering, recorder, verify, checksText };
  const engine =
    plan.engine === 'gpu' ? await openGpuEngine(plan, watched, takeGpu) : await openCpuEngine(plan, watched);
  recorder.span('start', start, 0);
  return withLongLines(engine, ordering);
}

/** An engine's settings besides its plan. */
interface Watched {
  readonly ordering: Ordering;
  readonly recorder: Recorder;
  readonly verify: boolean;
  readonly checksText: boolean;
}

/** The device of the best adapter, or one that was used before. The caller closes it. */
async function openDevice(takeGpu: TakeGpu): Promise<Gpu> {
  const { requestAdapter } = await import('../engines/gpu/device/adapters.js');
  const { openGpu } = await import('../engines/gpu/device/device.js');
  return takeGpu(async () => openGpu(await requestAdapter()));
}

/** The planned sort of BAM as it is, which compresses at `level`. Throws Declined. */
export async function openBamSort(
  plan: Plan,
  input: BamInput,
  level: number,
  recorder: Recorder,
  takeGpu: TakeGpu,
): Promise<BamSort> {
  const start = performance.now();
  let sort: BamSort;
  if (plan.engine === 'cpu') {
    const { CpuBamSort } = await import('../engines/cpu/bam/sort-bam.js');
    sort = new CpuBamSort(input, { ...plan, memoryBytes: plan.bam!.memoryBytes, level }, recorder);
  } else {
    const { GpuBamSort } = await import('../engines/gpu/bam/sort-bam.js');
    const { leastRate } = plan.bam!;
    sort = new GpuBamSort(await openDevice(takeGpu), { ...input, leastRate, level }, recorder);
  }
  recorder.span('start', start, 0);
  return sort;
}

async function openGpuEngine(plan: GpuPlan, watched: Watched, takeGpu: TakeGpu): Promise<Engine> {
  const { createGpuEngine } = await import('../engines/gpu/gpu-engine.js');
  const gpu = await openDevice(takeGpu);
  return createGpuEngine(gpu, plan.algorithm as GpuAlgorithm, { ...plan, keyThreads: plan.workers, ...watched });
}

async function openCpuEngine(plan: CpuPlan, watched: Watched): Promise<Engine> {
  const options = { ...plan, ...watched };
  if (plan.algorithm === COLLATED_ALGORITHM)
    return (await import('../engines/collate/engine.js')).createCollateEngine(options);
  return (await import('../engines/cpu/engine.js')).createCpuEngine(options);
}
