/**
 * Finds out what the plan depends on: the machine, the adapter, the size of the input and a sample of it; and plans.
 */

import type { ChunkReader } from '../input/chunks.js';
import { completedJob } from '../input/complete.js';
import { type SampledInput, type SampledRecords, sampleRecords, sampleStatistics } from '../input/engine-sample.js';
import { type InputFile, knownBytes, storedBytes } from '../input/files.js';
import { openInputs, plannedCodecThreads, stripHeaders } from '../input/inputs.js';
import { engineRecords } from '../input/keyed-bytes.js';
import type { RecordStream } from '../input/record-stream.js';
import { NEIGHBORS, type SampleWindows, sampledFiles, sampleParts, spreadWindows } from '../input/sample.js';
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { choicePays } from '../plan/algorithm.js';
import { bamSource, cpuBamPlan, gpuBamPlan, isPlainBam, textBytesOf, whyNotOnGpu } from '../plan/bam.js';
import { withSplitters } from '../plan/buckets.js';
import { mayCount, repeatsIn } from '../plan/counting.js';
import { adapterMatters, gpuBytes, requestedEngine, worthwhile } from '../plan/engine.js';
import { type Explanation, explanation, reasonsOf } from '../plan/explain.js';
import { type InputFacts, type MachineFacts, machineFacts, whyNoGpu } from '../plan/facts.js';
import { makePlan } from '../plan/make-plan.js';
import { MEMORY_SHARE, STREAM_AHEAD_BYTES } from '../plan/memory.js';
import type { CpuPlan, GpuPlan, Plan } from '../plan/plan.js';
import { recordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import { KiB } from '../report/units.js';
import { startAhead } from '../system/threads/crew.js';
import { askAdapter, findAdapter } from './open-engine.js';

/** A sample that shows how many records are distinct is as large as one for this many buckets. */
const COUNTED_BUCKETS = 256;

/** The plan of a job and its reasons. Reads only a sample of the files, and nothing of a stream. */
export async function explainJob(job: SortJob): Promise<Explanation> {
  if (job.mode !== 'sort') return explanation(job, null);
  const inputs = await stripHeaders(await openInputs(job));
  const { files } = inputs;
  const bytes = knownBytes(files);
  const complete = completedJob(job, inputs);
  const machine = machineFacts();
  const plan =
    (await planBam(job, machine, files)) ??
    (await decide(complete, machine, files, { bytes, stream: null, isWhole: true }));
  return explanation(job, plan);
}

/** Makes the plan after reading as much of a leading stream as the choice of engine needs. */
export async function planFor(
  job: SortJob,
  inputs: readonly InputFile[],
  reader: ChunkReader,
  recorder: Recorder,
  purpose: Purpose,
): Promise<Plan> {
  const machine = machineFacts();
  let bytes = knownBytes(inputs);
  const stream = await reader.firstStream();
  const bam = purpose.isWhole ? await planBam(job, machine, inputs) : null;
  if (bam !== null) return noted(bam, bytes, recorder);
  if (stream !== undefined) {
    const ahead = await stream.prefetch(readAheadBytes(job, machine, { bytes }, whyNoGpu() === null));
    if (bytes === null && ahead.ended)
      bytes = knownBytes(inputs.slice(1).filter((input) => input.extent !== null))! + ahead.bytes;
  }
  const plan = await decide(job, machine, inputs, { bytes, stream: stream ?? null, ...purpose });
  return noted(plan, bytes, recorder);
}

function noted(plan: Plan, bytes: number | null, recorder: Recorder): Plan {
  for (const reason of reasonsOf(plan)) recorder.note(reason);
  if (bytes !== null) recorder.advance('reading', 0, bytes);
  return plan;
}

/** The plan of a sort of BAM as it is, or of SAM as BAM; null if it is not one. */
async function planBam(job: SortJob, machine: MachineFacts, files: readonly InputFile[]): Promise<Plan | null> {
  const input = { bytes: storedBytes(files) };
  if (!isPlainBam(job, input)) return null;
  let why = whyNotOnGpu(job, input, machine);
  if (why === null) {
    const adapter = await findAdapter(job);
    // A software GPU is slower than processors.
    if (adapter.found && (!adapter.software || requestedEngine(job) === 'gpu')) {
      const asked: SortJob = { ...job, resources: { ...job.resources, engine: 'gpu' } };
      return gpuBamPlan(job, input, machine, adapter, makePlan(asked, machine, input, adapter) as GpuPlan);
    }
    why = adapter.found ? `${adapter.name} is a software GPU` : adapter.reason;
  }
  if (requestedEngine(job) === 'gpu' || machine.mostWorkers === 0) return null;
  const facts = { bytes: textBytesOf(job, input), codecThreads: plannedCodecThreads(job, files) };
  const otherwise = makePlan(job, machine, facts, null) as CpuPlan;
  return cpuBamPlan(bamSource(job)!, job, machine, why, { ...otherwise, buckets: 0, distributed: null });
}

/** What a plan is made for. */
interface Purpose {
  /** Whether the output of the job is what is written. */
  readonly isWhole: boolean;
  /** Whether the threads of the CPU engine are started as soon as their number is known. */
  readonly startsThreads?: boolean;
}

/** What is known of the inputs. `bytes`: null: unknown. */
interface Decided extends Purpose {
  readonly bytes: number | null;
  readonly stream: RecordStream | null;
}

/**
 * Makes the plan from the machine, the adapter and a sample. The sample covers the files and what was
 * read ahead of `stream`.
 */
export async function decide(
  job: SortJob,
  machine: MachineFacts,
  inputs: readonly InputFile[],
  { bytes, stream, isWhole, startsThreads = false }: Decided,
): Promise<Plan> {
  const facts = { bytes, codecThreads: plannedCodecThreads(job, inputs) };
  const samples = new Samples(job.ordering, inputs, stream);
  const inBuckets = (plan: CpuPlan): CpuPlan =>
    plan.buckets === 0 ? plan : withSplitters(plan, engineRecords(samples.spread(plan.buckets), job.ordering), job);
  const early = mayUseGpu(job, facts) ? null : await planSort(job, machine, facts, samples);
  if (startsThreads && early?.engine === 'cpu') startAhead(early.workers);
  if (isWhole && mayCount(job, bytes)) {
    const buckets = early?.engine === 'cpu' ? early.buckets : 0;
    const repeats = repeatsIn(samples.spread(Math.max(COUNTED_BUCKETS, buckets)), bytes);
    const plan = repeats === null ? null : (makePlan(job, machine, { ...facts, repeats }, null) as CpuPlan);
    // Buckets are only for records that are not counted.
    if (plan?.counting != null) return { ...inBuckets(plan), reasons: plan.reasons };
  }
  const plan = early ?? (await planSort(job, machine, facts, samples));
  return plan.engine === 'cpu' ? inBuckets(plan) : plan;
}

/** Samples of the inputs, and of what was read ahead of a stream. */
class Samples {
  private readonly ordering: Ordering;
  private readonly inputs: readonly InputFile[];
  private readonly stream: RecordStream | null;
  private last: { readonly buckets: number; readonly records: SampledRecords } = { buckets: 0, records: [] };

  constructor(ordering: Ordering, inputs: readonly InputFile[], stream: RecordStream | null) {
    this.ordering = ordering;
    this.inputs = inputs;
    this.stream = stream;
  }

  /** What is to be sampled. */
  input(windows: SampleWindows): SampledInput {
    const { ordering, inputs, stream } = this;
    return {
      ahead: stream === null ? [] : sampleParts(stream.waiting(), recordFinder(ordering.format), windows),
      files: sampledFiles(inputs),
    };
  }

  /** Records that are spread over all input: enough to choose splitters for so many buckets. */
  spread(buckets: number): SampledRecords {
    if (this.last.buckets < buckets) {
      const windows = spreadWindows(buckets);
      this.last = { buckets, records: sampleRecords(this.input(windows), this.ordering, windows) };
    }
    return this.last.records;
  }
}

/** The plan of a sort that counts no records. */
async function planSort(job: SortJob, machine: MachineFacts, facts: InputFacts, samples: Samples): Promise<Plan> {
  // A GPU's sort is chosen by neighboring records, which are looked at while the GPU starts.
  const looks = mayUseGpu(job, facts) && sampleMatters(job, facts);
  const [sample, adapter] = await Promise.all([
    looks ? sampleStatistics(samples.input(NEIGHBORS), job.ordering, sampleThreads(machine)) : null,
    askAdapter(job, facts),
  ]);
  return makePlan(job, machine, { ...facts, sample: adapter?.found === true ? sample : null }, adapter);
}

/** Whether a GPU may be found that the plan would depend on. */
function mayUseGpu(job: SortJob, input: InputFacts): boolean {
  return adapterMatters(job, input) && (requestedEngine(job) === 'gpu' || whyNoGpu() === null);
}

/** Whether the choice among GPU sorts depends on a sample, or --explain shows one. */
export function sampleMatters(job: SortJob, input: InputFacts): boolean {
  if (job.ordering.segments !== undefined) return false;
  return job.report.explain !== 'no' || (job.resources.algorithm === 'auto' && choicePays(input));
}

/** With one processor, a thread would only add its start. */
function sampleThreads({ processors, mostWorkers }: MachineFacts): number {
  return processors > 1 && mostWorkers > 0 ? 1 : 0;
}

/**
 * Bytes of a stream to read before planning: enough to choose the engine if there may be a GPU
 * (`gpu`), or for a sample.
 */
function readAheadBytes(job: SortJob, machine: MachineFacts, input: InputFacts, gpu: boolean): number {
  const memory = job.resources.memoryBytes ?? machine.availableBytes * MEMORY_SHARE;
  const decisive =
    gpu && requestedEngine(job) === 'auto' && input.bytes === null && worthwhile(job, input)
      ? gpuBytes(job.ordering.key)
      : STREAM_AHEAD_BYTES;
  return Math.max(64 * KiB, Math.min(decisive, memory / 4));
}
