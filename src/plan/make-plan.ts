/**
 * The planner: a pure function from the job and the facts to a plan, with a reason for each choice. Opens nothing. Each
 * choice has a file of its own; this file puts them together.
 */
import { Declined } from '../contract/engine.js';
import { HYBRID_ALGORITHM } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { mostKeyed } from '../keys/keyed.js';
import { formatBytes, MiB } from '../report/units.js';
import { explainMemory, GpusortError } from '../system/errors.js';
import { cpuBamPlan } from './bam.js';
import { collatedPlan } from './collated.js';
import { cpuPlan } from './cpu-plan.js';
import { chooseEngine } from './engine.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import { type FoundAdapter, gpuPlan } from './gpu-plan.js';
import { hybridPlan } from './hybrid-plan.js';
import { atLeastOneRecord, engineLimit, keptMemory, memoryReason, plannedMemory } from './memory.js';
import type { CpuPlan, GpuPlan, Plan } from './plan.js';

/** A GPU that cannot hold chunks of this size is not used. */
const SMALLEST_RETRY_BYTES = 16 * MiB;

/** The plan for a job in mode `sort`. Throws `usage` or `no-adapter` if the request cannot be met. */
export function makePlan(job: PlannedJob, machine: MachineFacts, input: InputFacts, adapter: AdapterAnswer): Plan {
  const reasons: string[] = [];
  const engine = chooseEngine(job, input, adapter, reasons);
  const memory = plannedMemory(job, machine);
  if (job.ordering.segments !== undefined)
    reasons.push(
      'segments are written as soon as they are sorted; only a segment that continues in the next chunk is kept',
    );
  const limit = engineLimit(job);
  if (limit !== null) {
    const option = limit.end === 'first' ? '--top' : '--bottom';
    reasons.push(`${option}: only the ${limit.end} ${limit.count} records of each chunk are kept`);
  }
  reasons.push(memoryReason(job, machine));
  const basis = { job, machine, memory, input };
  if (engine === 'cpu') return isCollated(job.ordering) ? collatedPlan(basis, reasons) : cpuPlan(basis, reasons);
  const onGpu = input.keepsPipes === true ? { ...basis, memory: memory - keptMemory(job, machine) } : basis;
  // Only the hybrid, which must be requested, holds text on the host. hybridPlan plans that memory, so that gpuPlan
  // need not know it.
  const planOf = job.resources.algorithm === HYBRID_ALGORITHM ? hybridPlan : gpuPlan;
  return planOf(onGpu, adapter as FoundAdapter, reasons);
}

/** The plan to try after another one failed. */
export interface NextPlan {
  readonly plan: Plan;
  /** The change from the plan that failed, as messages name it. */
  readonly change: string;
}

/**
 * The plan to try after `error` ended `plan`: smaller chunks if the GPU ran out of memory, then the CPU. Null: none.
 */
export function smallerPlan(plan: Plan, error: unknown, job: PlannedJob, machine: MachineFacts): NextPlan | null {
  if (plan.engine === 'cpu') return plan.bam !== null && declinesBam(error) ? asLines(plan) : null;
  if (!leadsOn(error)) return null;
  if (error instanceof Declined && plan.inflates !== null)
    return { plan: { ...plan, inflates: null }, change: 'the host inflates' };
  if (plan.bam !== null) {
    // If the user requested a GPU, it sorts lines instead.
    if (job.resources.engine === 'gpu') return asLines(plan);
    const { source } = plan.bam;
    const instead = { source, why: `the GPU could not sort this ${source.toUpperCase()}` };
    const next = cpuBamPlan(job, machine, instead, cpuPlanAfter(plan, job, machine));
    return { plan: next, change: 'the CPU engine' };
  }
  const half = Math.ceil(plan.chunkBytes / 2);
  if (error instanceof GpusortError && error.code === 'out-of-device-memory' && half >= SMALLEST_RETRY_BYTES) {
    const chunkBytes = atLeastOneRecord(job, half);
    const mergeBytes = Math.min(plan.mergeBytes, mostKeyed(job.ordering.key, chunkBytes));
    const change = `chunks of ${formatBytes(chunkBytes)}`;
    const smaller: GpuPlan = {
      ...plan,
      chunkBytes,
      mergeBytes,
      rangeBytes: Math.min(plan.rangeBytes, mergeBytes),
      pieceBytes: Math.min(plan.pieceBytes, Math.ceil(chunkBytes / 16) * 16),
      reasons: [...plan.reasons, change],
    };
    return { plan: smaller, change };
  }
  return { plan: cpuPlanAfter(plan, job, machine), change: 'the CPU engine' };
}

/** The same plan for BAM as lines. */
const asLines = (plan: Plan): NextPlan => ({ plan: { ...plan, bam: null }, change: 'BAM as lines' });

/** Whether BAM may be sorted as lines after threads could not sort it as it is. */
function declinesBam(error: unknown): boolean {
  const explained = explainMemory(error);
  return error instanceof Declined || (explained instanceof GpusortError && explained.code === 'out-of-memory');
}

/** Whether another plan may succeed after an error: not if the input, the output or the program caused it. */
function leadsOn(error: unknown): boolean {
  if (error instanceof Declined) return true;
  return error instanceof GpusortError && ['out-of-device-memory', 'device-lost'].includes(error.code);
}

/** The plan for the CPU, after a plan for a GPU has failed. */
function cpuPlanAfter(plan: GpuPlan, job: PlannedJob, machine: MachineFacts): CpuPlan {
  const cpuJob: PlannedJob = { ...job, resources: { ...job.resources, engine: 'cpu', algorithm: 'auto', tunings: [] } };
  const memory = plannedMemory(job, machine);
  const cpu = cpuPlan({ job: cpuJob, machine, memory, input: { bytes: null } }, []);
  return { ...cpu, reasons: [...plan.reasons, ...cpu.reasons, 'the CPU engine'] };
}
