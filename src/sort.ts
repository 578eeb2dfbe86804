/**
 * The whole path on one page: job -> plan -> chunks ordered into runs -> runs combined -> output.
 * No algorithm and no format is known here.
 */
import { checkOrder } from './check.js';
import type { Engine, Run, Sorted } from './engine.js';
import { ChunkReader } from './input/chunks.js';
import { canReadAgain, statInput, type InputFile } from './input/files.js';
import type { RecordStream } from './input/record-stream.js';
import { sampleFiles, sampleParts } from './input/sample.js';
import type { Ordering, SortJob } from './job.js';
import { mergeInputs } from './merge.js';
import { openSink, type Sink } from './output/sink.js';
import { explanation, type Explanation } from './plan/explain.js';
import { machineFacts, type MachineFacts } from './plan/facts.js';
import { adapterMatters, makePlan, readAheadBytes, smallerPlan, type Plan } from './plan/plan.js';
import { sampleOf } from './plan/sample.js';
import { allOver } from './promises.js';
import { recordFinder } from './records/format.js';
import { GpusortError } from './report/errors.js';
import type { Recorder } from './report/stats.js';
import { combine } from './runs/combine.js';
import type { LargeRecord } from './runs/large.js';
import { wholeRuns } from './runs/partition.js';
import { TemporaryStore } from './runs/store.js';
import { storeRun } from './runs/stored-run.js';
import { askAdapter, openEngine } from './start.js';

/** Chunks of text that leave the engine's memory where it is full: merges ahead of the writing then have room (with 8 they had not always). */
const MERGE_ROOM_CHUNKS = 12;

/** Does a job; resolves to the exit status. Throws GpusortError for disorder and trouble. */
export async function runJob(job: SortJob, recorder: Recorder): Promise<number> {
  const inputs = statInputs(job);
  if (job.mode === 'check') {
    await checkOrder(job, inputs[0]!, recorder);
    return 0;
  }
  const sink = openSink(job.output, job.temporaryDirectories[0]!, recorder);
  let complete = false;
  try {
    await (job.mode === 'merge' ? mergeAll(job, inputs, sink) : sortInputs(job, inputs, sink, recorder));
    complete = true;
    await sink.finish();
  } finally {
    if (!complete) await sink.abort();
  }
  return 0;
}

async function mergeAll(job: SortJob, inputs: readonly InputFile[], sink: Sink): Promise<void> {
  const store = new TemporaryStore(job.temporaryDirectories);
  try {
    await mergeInputs(inputs, job.ordering, store, (block) => sink.write(block));
  } finally {
    store.close();
  }
}

/** The plan of a job and its reasons, with no more than a sample of the input read, and nothing of a stream. */
export async function explainJob(job: SortJob): Promise<Explanation> {
  if (job.mode !== 'sort') return explanation(job, null);
  const statted = statInputs(job);
  const bytes = knownBytes(statted);
  return explanation(job, await decide(job, machineFacts(), statted, bytes, null));
}

/** The plan, by the machine, the adapter and a sample of the files and of what was read ahead of `stream`. */
async function decide(job: SortJob, machine: MachineFacts, inputs: readonly InputFile[], bytes: number | null, stream: RecordStream | null): Promise<Plan> {
  if (!adapterMatters(job, { bytes })) return makePlan(job, machine, { bytes }, null);
  const adapter = await askAdapter(job, { bytes });
  // Only the GPU's sorts are chosen by a sample: without an adapter none is taken.
  if (adapter?.found !== true) return makePlan(job, machine, { bytes }, adapter);
  const finder = recordFinder(job.ordering.format);
  const windows = [...(stream === null ? [] : sampleParts(stream.waiting(), finder)), ...sampleFiles(inputs, finder)];
  return makePlan(job, machine, { bytes, sample: sampleOf(windows, job.ordering) }, adapter);
}

/** Looks at all inputs. Standard input is read once, however often it is named. */
function statInputs(job: SortJob): InputFile[] {
  return job.inputs.filter((name, i) => name !== null || job.inputs.indexOf(null) === i).map((name) => statInput(name, job.mode));
}

function knownBytes(inputs: readonly InputFile[]): number | null {
  return inputs.reduce<number | null>((sum, { extent }) => (sum === null || extent === null ? null : sum + extent.end - extent.begin), 0);
}

/** Sorts, and sorts again in another way where a device fails and the input can be read once more. */
async function sortInputs(job: SortJob, inputs: readonly InputFile[], sink: Sink, recorder: Recorder): Promise<void> {
  // While a GPU starts the processors have nothing to do. Under `unique` nobody knows how much will be written.
  const expected = job.ordering.unique ? 0 : knownBytes(inputs) ?? 0;
  if (adapterMatters(job, { bytes: expected })) sink.expect(expected);
  let plan: Plan | undefined;
  for (;;) {
    const store = new TemporaryStore(job.temporaryDirectories);
    const reader = new ChunkReader(inputs, recordFinder(job.ordering.format), store, recorder);
    try {
      plan ??= await planFor(job, inputs, reader, recorder);
      store.allowMemory(plan.hostBytes);
      if (plan.engine !== 'gpu') sink.expect(0);
      await sortWith(plan, job, reader, store, sink, recorder);
      return;
    } catch (error) {
      const next: Plan | null = plan === undefined ? null : smallerPlan(plan, error, job, machineFacts());
      if (next === null) throw error;
      if (!canReadAgain(inputs)) {
        throw new GpusortError('device-lost', `${(error as Error).message}; the input cannot be read a second time`,
          { cause: error, hint: 'sort from a file, or use --engine cpu' });
      }
      recorder.note(`${(error as Error).message}; going on with ${next.reasons.at(-1)}`);
      plan = next;
      sink.restart();
    } finally {
      reader.close();
      store.close();
    }
  }
}

/** The plan, once as much of a leading stream is read ahead as the choice of engine needs. */
async function planFor(job: SortJob, inputs: readonly InputFile[], reader: ChunkReader, recorder: Recorder): Promise<Plan> {
  const machine = machineFacts();
  let bytes = knownBytes(inputs);
  const stream = await reader.firstStream();
  if (stream !== undefined) {
    const ahead = await stream.prefetch(readAheadBytes(job, machine));
    if (ahead.ended) bytes = knownBytes(inputs.filter((input) => input.extent !== null))! + ahead.bytes;
  }
  const plan = await decide(job, machine, inputs, bytes, stream ?? null);
  for (const reason of plan.reasons) recorder.note(reason);
  if (bytes !== null) recorder.advance('reading', 0, bytes);
  return plan;
}

/** Orders chunks into runs while the next ones are read, then combines the runs. */
async function sortWith(plan: Plan, job: SortJob, reader: ChunkReader, store: TemporaryStore, sink: Sink, recorder: Recorder): Promise<void> {
  const engine = await openEngine(plan, job.ordering, recorder);
  try {
    const { runs, large } = await formRuns(engine, plan, job, reader, store);
    recorder.advance('writing', 0, runs.reduce((sum, run) => sum + run.end.byte, 0) + large.reduce((sum, record) => sum + record.bytes, 0));
    await combine(engine, runs, large, job.ordering, (block) => sink.write(block));
  } finally {
    await engine.close();
  }
}

/** Stores runs that have taken all of the engine's memory: merging needs more of it than sorting chunks did. */
async function makeRoom(engine: Engine, runs: Run[], ordering: Ordering, store: TemporaryStore): Promise<void> {
  let room = 0;
  for (let i = 0; i < runs.length && room < MERGE_ROOM_CHUNKS * engine.chunkBytes; i++) {
    const run = runs[i]!;
    if (run.kind !== 'resident') continue;
    const [sorted] = await engine.merge(wholeRuns([run]), 0);
    runs[i] = await storeRun(store, sorted!, ordering);
    run.release();
    room += run.end.byte;
  }
}

async function formRuns(engine: Engine, plan: Plan, job: SortJob, reader: ChunkReader, store: TemporaryStore): Promise<{ runs: Run[]; large: LargeRecord[] }> {
  const runs: Run[] = [];
  const large: LargeRecord[] = [];
  let full = false;
  const place = async (sorted: Sorted): Promise<void> => {
    const kept = full ? null : await sorted.keep();
    runs.push(kept ?? await storeRun(store, sorted, job.ordering));
    // Without a limit of its own an engine refuses a run only where its memory is full.
    if (kept === null && !full && plan.residentBytes === null) {
      full = true;
      await makeRoom(engine, runs, job.ordering, store);
    }
  };
  // Chunks are sorted side by side but placed in input order, so that equal records keep it.
  const underway: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  try {
    for (let portion = await reader.portion(engine); portion !== null; portion = await reader.portion(engine)) {
      if (portion.kind === 'large') { large.push(portion.record); continue; }
      const { chunk, bytes, filled } = portion;
      const ordered = filled.then(() => engine.order(chunk, bytes));
      // Over only when the chunk is read and sorted, also where one before it has failed: the engine is closed then.
      last = allOver([last, ordered]).then(async ([, list]) => { for (const sorted of list) await place(sorted); });
      last.catch(() => { /* met below, perhaps while the next chunk waits for memory */ });
      underway.push(last);
      if (underway.length >= engine.lanes) await underway.shift();
    }
  } catch (error) {
    await Promise.allSettled(underway);
    throw error;
  }
  await last;
  return { runs, large };
}
