/**
 * Collects the facts that a plan depends on (the machine, the adapter, the size of the input, a sample of it) and makes
 * the plan.
 */

import { type Beginning, openBeginning } from '../input/beginning.js';
import { completedJob } from '../input/complete.js';
import { type SampledInput, type SampledRecords, sampleRecords, sampleStatistics } from '../input/engine-sample.js';
import { type InputFile, isEmptyFile, knownBytes, positional } from '../input/files.js';
import { closeInputs, type Inputs, openInputs, plannedCodecThreads, stripHeaders } from '../input/inputs.js';
import { engineRecords } from '../input/keyed-bytes.js';
import { readOptionFiles } from '../input/option-files.js';
import { readLast } from '../input/replay.js';
import { NEIGHBORS, type SampleWindows, sampledFiles, sampleParts, spreadWindows } from '../input/sample.js';
import type { SequentialRecords } from '../input/sequential-records.js';
import { storedSize } from '../input/stored-size.js';
import { isBgzf } from '../input/stretches.js';
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { choosesBySample } from '../plan/algorithm.js';
import {
  bamAheadBytes,
  bamSource,
  cpuBamPlan,
  gpuBamPlan,
  isLargeEnough,
  isPlainBam,
  mayFit,
  textBytesOf,
  whyNotOnGpu,
} from '../plan/bam.js';
import { withSplitters } from '../plan/buckets.js';
import { mayCount, repeatsIn } from '../plan/counting.js';
import { findsRecords, withDeviceCodecs } from '../plan/device-codec.js';
import { gpuBytes, mayUseGpu, requestedEngine, worthwhile } from '../plan/engine.js';
import { type Explanation, explanation, reasonsOf } from '../plan/explain.js';
import { type InputFacts, type MachineFacts, machineFacts, type SampledPart, whyNoGpu } from '../plan/facts.js';
import { makePlan } from '../plan/make-plan.js';
import { MEMORY_SHARE, READ_AHEAD_BYTES } from '../plan/memory.js';
import type { CpuPlan, GpuPlan, Plan } from '../plan/plan.js';
import { recordFinder } from '../records/record-finder.js';
import { createRecorder, type Recorder } from '../report/recorder.js';
import { KiB, MiB } from '../report/units.js';
import { quiet } from '../system/promises.js';
import { startAhead } from '../system/threads/crew.js';
import { askAdapter, findAdapter } from './open-engine.js';

/** While a GPU starts, a pipe that is kept anyway is read on, up to this many times the bytes that the plan needed. */
const READ_ON = 8;
/** The sample that estimates how many records are distinct is as large as one for this many buckets. */
const COUNTED_BUCKETS = 256;

/**
 * The plan of a job and its reasons. Reads as much of files as the sort would read before it has a plan, and nothing
 * from pipes.
 */
export async function explainJob(job: SortJob): Promise<Explanation> {
  if (job.mode !== 'sort') return explanation(job, null);
  const inputs = await stripHeaders(await openInputs(job, { named: await readOptionFiles(job) }));
  try {
    return explanation(job, await planOf(job, inputs, { machine: machineFacts(), isWhole: true }));
  } finally {
    closeInputs(inputs);
  }
}

/** The plan of a sort of these inputs, as far as it can be determined without reading pipes. */
export async function planOf(job: SortJob, inputs: Inputs, purpose: Purpose): Promise<Plan> {
  const { files, headers } = inputs;
  const pipe = files.findIndex((input) => input.extent === null && !isEmptyFile(input));
  const known = pipe < 0 ? files : files.slice(0, pipe);
  const recorder = createRecorder(() => {});
  const { first, rest } = await openBeginning(known, recordFinder(job.ordering.format), headers, recorder);
  try {
    const beginning = { first, rest: [...rest, ...files.slice(known.length)] };
    return await planFor(completedJob(job, inputs), files, beginning, recorder, { ...purpose, readsPipes: false });
  } finally {
    first?.records.close();
  }
}

/** How the plan will be used. */
interface Purpose {
  readonly machine: MachineFacts;
  /** Whether the sort writes the output of the job, and not a run of a cluster. */
  readonly isWhole: boolean;
  /** Whether to start the threads of the CPU engine as soon as their number is known. */
  readonly startsThreads?: boolean;
  /** Whether pipes whose bytes are kept may be read ahead. Absent: they may. */
  readonly readsPipes?: boolean;
}

/** Makes the plan after reading ahead as much of the beginning as the choice of engine, or a sample, needs. */
export async function planFor(
  job: SortJob,
  inputs: readonly InputFile[],
  beginning: Beginning,
  recorder: Recorder,
  purpose: Purpose,
): Promise<Plan> {
  const { machine, isWhole } = purpose;
  const bam = isWhole ? await planBam(job, inputs, purpose) : null;
  if (bam !== null) return noted(bam, knownBytes(inputs), recorder);
  const inflates = (await mayBeBgzf(inputs, beginning)) && findsRecords(job);
  if (!inflates) readLast(inputs);
  const keepsPipes = inflates && inputs.some(({ replay }) => replay !== undefined);
  const { bytes, sampledPart } = await readAhead(job, machine, inputs, beginning);
  const facts = { bytes, sampledPart, codecThreads: plannedCodecThreads(job, inputs), keepsPipes };
  const plan = await decide(job, facts, new Samples(job.ordering, inputs, beginning.first?.records ?? null), purpose);
  const codecs = { inflates, keepsPipes };
  return noted(plan.engine === 'gpu' ? withDeviceCodecs(plan, job, machine, codecs) : plan, bytes, recorder);
}

/** Whether some input may be BGZF. If the first one is a pipe of anything else, the host reads all. */
async function mayBeBgzf(inputs: readonly InputFile[], { first }: Beginning): Promise<boolean> {
  if (first?.input.replay !== undefined && !(await isBgzf(first.input))) return false;
  return inputs.some(({ compressed, replay }) => compressed || replay !== undefined);
}

/** Reads ahead if the first input is read sequentially. Returns the bytes of all inputs, and what samples show. */
async function readAhead(
  job: SortJob,
  machine: MachineFacts,
  inputs: readonly InputFile[],
  { first, rest }: Beginning,
): Promise<{ readonly bytes: number | null; readonly sampledPart: SampledPart }> {
  const known = knownBytes(inputs);
  const ahead =
    first === null
      ? { bytes: 0, ended: true }
      : await first.records.prefetch(readAheadBytes(job, machine, known, inputs));
  const others = rest.filter((input) => !isEmptyFile(input));
  const otherBytes = knownBytes(others);
  return {
    bytes: known ?? (ahead.ended && otherBytes !== null ? ahead.bytes + otherBytes : null),
    sampledPart: ahead.ended && others.every((input) => positional(input) !== null) ? 'whole' : 'beginning',
  };
}

function noted(plan: Plan, bytes: number | null, recorder: Recorder): Plan {
  for (const reason of reasonsOf(plan)) recorder.note(reason);
  if (bytes !== null) recorder.advance('reading', 0, bytes);
  return plan;
}

/** The plan for sorting BAM as it is, or SAM as BAM; null if the job cannot be sorted that way. */
async function planBam(
  job: SortJob,
  files: readonly InputFile[],
  { machine, readsPipes = true }: Purpose,
): Promise<Plan | null> {
  if (!isPlainBam(job)) return null;
  const ahead = bamAheadBytes(job, machine, whyNoGpu() === null);
  const size = await storedSize(files, readsPipes ? ahead : null);
  if (size === null || !isLargeEnough(job, size)) return null;
  let why = whyNotOnGpu(job, size, machine);
  if (why === null) {
    const pipe = readsPipes ? files.find(({ replay }) => replay?.bytes === null) : undefined;
    quiet(pipe?.replay?.readAhead(READ_ON * ahead));
    const adapter = await findAdapter(job);
    // A software GPU is slower than processors.
    if (adapter.found && (!adapter.software || requestedEngine(job) === 'gpu')) {
      const asked: SortJob = { ...job, resources: { ...job.resources, engine: 'gpu' } };
      const facts = { bytes: size.isWhole ? size.bytes : null };
      return gpuBamPlan(job, size, machine, adapter, makePlan(asked, machine, facts, adapter) as GpuPlan);
    }
    why = adapter.found ? `${adapter.name} is a software GPU` : adapter.reason;
  }
  if (requestedEngine(job) === 'gpu' || machine.mostWorkers === 0) return null;
  const bytes = size.isWhole ? textBytesOf(job, size) : null;
  const facts = { bytes, codecThreads: plannedCodecThreads(job, files) };
  const otherwise = makePlan(job, machine, facts, null) as CpuPlan;
  if (!mayFit(job, size, machine, otherwise)) return null;
  return cpuBamPlan(
    job,
    machine,
    { source: bamSource(job)!, why, size },
    { ...otherwise, buckets: 0, distributed: null },
  );
}

/** Makes the plan from the machine, the adapter and samples. */
async function decide(
  job: SortJob,
  facts: InputFacts,
  samples: Samples,
  { machine, isWhole, startsThreads = false }: Purpose,
): Promise<Plan> {
  const inBuckets = (plan: CpuPlan): CpuPlan =>
    plan.buckets === 0 ? plan : withSplitters(plan, engineRecords(samples.spread(plan.buckets), job.ordering), job);
  const early = mayUseGpu(job, facts, whyNoGpu() === null) ? null : await planSort(job, machine, facts, samples);
  if (startsThreads && early?.engine === 'cpu') startAhead(early.workers);
  if (isWhole && mayCount(job, facts.bytes)) {
    const buckets = early?.engine === 'cpu' ? early.buckets : 0;
    const repeats = repeatsIn(samples.spread(Math.max(COUNTED_BUCKETS, buckets)), facts);
    const plan = repeats === null ? null : (makePlan(job, machine, { ...facts, repeats }, null) as CpuPlan);
    // Buckets are only for records that are not counted.
    if (plan?.counting != null) return { ...inBuckets(plan), reasons: plan.reasons };
  }
  const plan = early ?? (await planSort(job, machine, facts, samples));
  return plan.engine === 'cpu' ? inBuckets(plan) : plan;
}

/**
 * Samples of the inputs that are read by position, and of the text that was read ahead of the first input that is not.
 */
class Samples {
  private readonly ordering: Ordering;
  private readonly inputs: readonly InputFile[];
  private readonly records: SequentialRecords | null;
  private last: { readonly buckets: number; readonly records: SampledRecords } = { buckets: 0, records: [] };

  constructor(ordering: Ordering, inputs: readonly InputFile[], records: SequentialRecords | null) {
    this.ordering = ordering;
    this.inputs = inputs;
    this.records = records;
  }

  /** The input from which the sample is taken. */
  input(windows: SampleWindows): SampledInput {
    const { ordering, inputs, records } = this;
    return {
      ahead: records === null ? [] : sampleParts(records.waiting(), recordFinder(ordering.format), windows),
      files: sampledFiles(inputs),
    };
  }

  /** Records spread over everything that can be sampled: enough to choose splitters for this many buckets. */
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
  // Neighboring records decide which sort a GPU uses. They are examined while the GPU starts.
  const looks = mayUseGpu(job, facts, whyNoGpu() === null) && sampleMatters(job, facts);
  const [sample, adapter] = await Promise.all([
    looks ? sampleStatistics(samples.input(NEIGHBORS), job.ordering, sampleThreads(machine)) : null,
    askAdapter(job, facts),
  ]);
  return makePlan(job, machine, { ...facts, sample: adapter?.found === true ? sample : null }, adapter);
}

/** Whether the choice among GPU sorts depends on a sample, or --explain shows one. */
export function sampleMatters(job: SortJob, input: InputFacts): boolean {
  if (job.ordering.segments !== undefined) return false;
  return job.report.explain !== 'no' || choosesBySample(job, input);
}

/** With one processor, a thread would only add its start. */
function sampleThreads({ processors, mostWorkers }: MachineFacts): number {
  return processors > 1 && mostWorkers > 0 ? 1 : 0;
}

/** Bytes of text for a sample, if the sizes of compressed files already show that a GPU is faster. */
const SAMPLE_BYTES = 8 * MiB;

/**
 * Bytes to read before planning, if the first input is read sequentially: enough for a sample, and to choose the engine
 * if there may be a GPU and the sizes of files do not decide. `bytes`: those of all inputs, if they are known. Text has
 * more bytes than compressed files.
 */
function readAheadBytes(
  job: SortJob,
  machine: MachineFacts,
  bytes: number | null,
  inputs: readonly InputFile[],
): number {
  const memory = job.resources.memoryBytes ?? machine.availableBytes * MEMORY_SHARE;
  const chooses =
    requestedEngine(job) === 'auto' && bytes === null && worthwhile(job, { bytes }) && whyNoGpu() === null;
  const stored = inputs.reduce((sum, { extent }) => sum + (extent === null ? 0 : extent.end - extent.begin), 0);
  const enough = gpuBytes(job.ordering.key);
  const decisive = chooses ? (stored < enough ? enough : SAMPLE_BYTES) : READ_AHEAD_BYTES;
  return Math.max(64 * KiB, Math.min(decisive, memory / 4));
}
