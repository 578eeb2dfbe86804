/**
 * The whole path of a sort on one page: job -> inputs -> plan -> chunks ordered into runs -> runs combined -> output.
 * Knows no algorithm and no record format.
 */

import { Declined, type Engine, type KeptRun, type Slice } from '../contract/engine.js';
import { ChunkReader } from '../input/chunks.js';
import { completedJob } from '../input/complete.js';
import { canReadAgain, type InputFile, inputChanged, knownBytes } from '../input/files.js';
import { headerToWrite } from '../input/header.js';
import { codecThreads, type Inputs, openInputs, readHeaders, stripHeaders } from '../input/inputs.js';
import { placeLargeBy } from '../input/keyed-bytes.js';
import { located } from '../input/locate-problem.js';
import { readOptionFiles } from '../input/option-files.js';
import { orderChunks } from '../input/order-chunks.js';
import type { SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { presenceDigits, warnOfAbsent, watchParts } from '../keys/presence.js';
import { lastNeeded } from '../output/filters.js';
import { streamForm } from '../output/restored.js';
import { Saving } from '../output/saving.js';
import { openSink, type Sink } from '../output/sink.js';
import { bamSource } from '../plan/bam.js';
import { adapterMatters, remedyOnCpu } from '../plan/engine.js';
import { formatReasons } from '../plan/explain.js';
import { machineFacts } from '../plan/facts.js';
import { type NextPlan, smallerPlan } from '../plan/make-plan.js';
import { checkingThreads } from '../plan/memory.js';
import type { Plan } from '../plan/plan.js';
import { recordFinder } from '../records/record-finder.js';
import type { Digest } from '../report/digest.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import { areDistributed } from '../runs/buckets.js';
import { RunKeeper } from '../runs/keep.js';
import { isRun, type LargeRecord, type PlaceLarge } from '../runs/large.js';
import { wholeRun } from '../runs/partition.js';
import { type PlacedRun, placedRun } from '../runs/placed-run.js';
import { SegmentWriter } from '../runs/segments.js';
import { openStore, type TemporaryStore } from '../runs/store.js';
import { GpusortError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { keepHeapSmall } from '../system/limits.js';
import { isSameFile } from '../system/links.js';
import { nothingWritten, type WrittenByAttempts } from '../verify/verification.js';
import { type Caller, PROGRAM } from './caller.js';
import { checkJob } from './check.js';
import { planFor } from './decide.js';
import { type Delivery, type DeliveryTarget, type Made, openDelivery } from './delivery.js';
import { mergeInputs } from './merge.js';
import { openEngine } from './open-engine.js';

/** The objects that live as long as one sort, and its caller. */
export interface Sort {
  readonly recorder: Recorder;
  readonly caller: Caller;
}

/** Does a job and resolves to the exit status. Throws GpusortError for disorder and failures. */
export async function runJob(job: SortJob, recorder: Recorder, caller: Caller = PROGRAM): Promise<number> {
  watchParts(job, recorder);
  const named = await readOptionFiles(job);
  const saving = Saving.of(job, codecThreads(job));
  const inputs = await openInputs(job, { named, streams: caller, ...(saving && { taker: saving.taker }) });
  for (const reason of formatReasons(job)) recorder.note(reason);
  try {
    if (job.mode === 'check') await checkJob(job, inputs, recorder);
    else await write(job, inputs, saving, { recorder, caller });
    warnOfAbsent(job, presenceDigits(recorder));
    return 0;
  } catch (error) {
    throw await located(error, inputs, job);
  } finally {
    inputs.headers?.close();
  }
}

/** Sorts or merges into the output of the job, which is complete afterwards. */
async function write(job: SortJob, inputs: Inputs, saving: Saving | null, sort: Sort): Promise<void> {
  const { recorder, caller } = sort;
  const sink = await openSink(job, recorder, {
    ...{ threads: codecThreads(job), saving, standard: caller.output, target: caller.target },
  });
  let complete = false;
  try {
    if (job.mode === 'merge') await mergeInto(sink, job, inputs, sort);
    // Strip the headers of files before anything else is read.
    else await sortInputs(job, await stripHeaders(inputs), sink, sort);
    complete = true;
    await sink.finish();
    const saved = await saving?.sentence();
    if (saved != null) recorder.note(saved);
  } finally {
    if (!complete) await sink.abort();
    await saving?.close();
  }
}

async function mergeInto(sink: Sink, requested: SortJob, inputs: Inputs, { recorder, caller }: Sort): Promise<void> {
  const { files, headers } = inputs;
  await readHeaders(inputs);
  const job = completedJob(requested, inputs);
  const form = streamForm(job, { engine: 'cpu', tallied: caller.tally !== null });
  const store = openStore(job.resources, () => machineFacts().processors, recorder);
  const delivery = openDelivery(job, targetOf(sink), {
    ...{ makes: 'output', form, header: headerToWrite(job, headers), sections: headers?.sections ?? null },
    ...{ store, threads: 0, tally: caller.tally, recorder },
  });
  try {
    await mergeInputs(files, { job, delivery, store, recorder, headers });
    await delivery.finish();
  } finally {
    await delivery.close();
    store.close();
  }
}

const targetOf = (sink: SortSink): DeliveryTarget => ({
  write: (block) => sink.write(block),
  duplicates: sink.duplicates,
  file: sink.file,
});

/** The part of a sink that a sort needs. */
export type SortSink = Pick<
  Sink,
  'file' | 'regularFile' | 'expect' | 'write' | 'duplicates' | 'restart' | 'blocks' | 'canRestart'
>;

/**
 * Sorts. If a device fails and the input can be read again, tries again with a smaller plan. If a run is made, the sink
 * gets records as runs hold them, without a header and, under `count`, not yet counted; segments are passed as
 * output. Resolves to the digest of the input if the job verifies.
 */
export async function sortInputs(
  job: SortJob,
  inputs: Inputs,
  sink: SortSink,
  sort: Sort,
  makes: Made = 'output',
): Promise<Digest | null> {
  const { files, headers } = inputs;
  const { recorder, caller } = sort;
  const expected = canTake('sized', job) ? (knownBytes(files) ?? 0) : 0;
  // While a GPU starts, there is time to prepare the output. Otherwise the plan first needs to know how much memory is
  // available.
  if (adapterMatters(job, { bytes: expected })) sink.expect(expected);
  let plan: Plan | undefined;
  let complete: SortJob | undefined;
  const written = nothingWritten();
  for (;;) {
    const store = openStore(job.resources, () => machineFacts().processors, recorder);
    const { format, segments } = job.ordering;
    const reader = new ChunkReader(files, recordFinder(format), store, recorder, {
      segments,
      headers,
      isOutput: (fd) => sink.regularFile !== null && areSame(fd, sink.regularFile),
    });
    try {
      // Reads the header, which may define the fields of the keys.
      await reader.firstStream();
      complete ??= completedJob(job, inputs);
      const purpose = { isWhole: makes === 'output', startsThreads: caller.ownsProcess };
      plan ??= await planFor(complete, files, reader, recorder, purpose);
      store.allowMemory(plan.hostBytes);
      if (plan.smallHeap && caller.ownsProcess) keepHeapSmall();
      sink.expect(expected);
      if (plan.bam !== null) {
        reader.close();
        const { sortBam } = await import('./sort-bam.js');
        await sortBam(plan, complete, inputs, sink, { recorder, caller });
        return null;
      }
      return await attempt({ plan, job: complete, inputs, reader, store, sink, written, makes }, sort);
    } catch (error) {
      const next: NextPlan | null = plan === undefined ? null : smallerPlan(plan, error, job, machineFacts());
      if (next === null) throw error;
      if (!sink.canRestart && plan!.engine === 'cpu') throw error;
      if (!sink.canRestart) throw cannotContinue(error as Error, 'part of the output is written', job);
      if (!canReadAgain(files)) throw cannotReadAgain(error as Error, job, files);
      if (error instanceof Declined || plan!.engine === 'cpu') {
        const what = bamSource(job) === 'sam' ? 'SAM cannot be sorted as BAM' : 'BAM cannot be sorted as it is';
        const why = `${what}: ${(error as Error).message}`;
        for (const note of [why, ...next.plan.reasons]) recorder.note(note);
      } else {
        recorder.note(`${(error as Error).message}; continuing with ${next.change}`);
        if (next.plan.engine === 'cpu')
          warn(`the GPU failed (${(error as Error).message}); sorting on the CPU instead`);
      }
      plan = next.plan;
      sink.restart();
    } finally {
      reader.close();
      store.close();
    }
  }
}

/** Whether two descriptors are of one file, or may be. */
function areSame(fd: number, other: number): boolean {
  try {
    return isSameFile(fileSystem.fstatSync(fd), fileSystem.fstatSync(other));
  } catch {
    return true;
  }
}

function cannotReadAgain(error: Error, job: SortJob, [{ label }]: readonly InputFile[]): GpusortError {
  // Only a file is read in a way that may be declined.
  if (error instanceof Declined) return inputChanged(label, 'changed');
  return cannotContinue(error, 'the input cannot be read a second time', job, 'Sort from a file, or use --engine cpu.');
}

function cannotContinue(cause: Error, why: string, job: SortJob, remedy = 'Use --engine cpu.'): GpusortError {
  return new GpusortError('device-lost', `${cause.message}; ${why}`, { cause, hint: remedyOnCpu(remedy, job) });
}

/** One attempt to sort by a plan. */
interface Attempt {
  readonly plan: Plan;
  readonly job: SortJob;
  readonly inputs: Inputs;
  readonly reader: ChunkReader;
  readonly store: TemporaryStore;
  readonly sink: SortSink;
  /** The output of earlier attempts. */
  readonly written: WrittenByAttempts;
  readonly makes: Made;
}

/** Opens the engine and the stages of the output, sorts, and verifies. */
async function attempt(one: Attempt, { recorder, caller }: Sort): Promise<Digest | null> {
  const { plan, job, inputs, store, sink, written, makes } = one;
  const { ordering } = job;
  const form = makes === 'run' ? 'run' : streamForm(job, { engine: plan.engine, tallied: caller.tally !== null });
  const engine = await openEngine(plan, ordering, recorder, {
    verify: job.output.verify,
    checksText: readsAgain(one),
    takeGpu: caller.takeGpu,
  });
  const { headers } = inputs;
  const delivery = openDelivery(job, targetOf(sink), {
    ...{ makes, form, header: headerToWrite(job, headers), sections: headers?.sections ?? null },
    ...{ store, threads: checkingThreads(plan, machineFacts(), ordering), written, tally: caller.tally, recorder },
  });
  try {
    const open: OpenSort = { engine, delivery, recorder, placeLarge: placeLargeBy(ordering, store, recorder.presence) };
    await (ordering.segments === undefined ? sortRuns(one, open) : sortSegments(one, open));
    delivery.verification?.addInput(await engine.input!());
    await delivery.finish();
    return delivery.verification?.read ?? null;
  } finally {
    await Promise.all([engine.close(), delivery.close()]);
  }
}

/** The objects that are open while records are sorted. */
interface OpenSort {
  readonly engine: Engine;
  readonly delivery: Delivery;
  readonly recorder: Recorder;
  readonly placeLarge: PlaceLarge | null;
}

/**
 * Whether text that is in order as it was read is not kept, but read again when it is written: if the memory cannot
 * hold all text. It would then go to temporary files, and be read again too. Who reads the output while it is written
 * might change the input, so the output must be a file.
 */
function readsAgain({ job, plan, inputs, sink, makes }: Attempt): boolean {
  const bytes = knownBytes(inputs.files);
  const isLarge = bytes !== null && plan.residentBytes !== null && bytes > plan.residentBytes;
  return canTake('placed', job) && isLarge && makes === 'output' && sink.regularFile !== null;
}

function keeperOf({ plan, job, store }: Attempt, engine: Engine): RunKeeper {
  return new RunKeeper(engine, job.ordering, store, plan.residentBytes !== null, plan.windows);
}

/** Writes segments as they arrive: each is in order by itself. */
async function sortSegments(one: Attempt, open: OpenSort): Promise<void> {
  const { engine, delivery, recorder, placeLarge } = open;
  const { output, verification } = delivery;
  const writer = new SegmentWriter(engine, one.job.ordering, keeperOf(one, engine), output.write, placeLarge);
  await orderChunks(
    engine,
    one.reader,
    { verification, recorder },
    {
      take: (text) => writer.add(text),
      takeLarge: (record) => writer.addLarge(record),
    },
  );
  await writer.finish();
}

/** Orders chunks into runs while the next ones are read, then combines the runs. */
async function sortRuns(one: Attempt, open: OpenSort): Promise<void> {
  const { job } = one;
  const { ordering } = job;
  const { engine, delivery, placeLarge, recorder } = open;
  const { output, form, verification } = delivery;
  const keeper = keeperOf(one, engine);
  const slices: Slice<KeptRun>[] = [];
  const large: LargeRecord[] = [];
  let placed = 0;
  /** The last slice, if it is such a run, and nothing else followed it in the input. */
  let last: PlacedRun | null = null;
  const { bytes, repeats } = await orderChunks(
    engine,
    one.reader,
    { verification, recorder },
    {
      take: async (text, place) => {
        const run = place === null || text.buckets !== undefined ? null : placedRun(place, text, ordering);
        if (run !== null) placed++;
        const joined: PlacedRun | null = run === null ? null : (last?.joined(run) ?? null);
        if (joined !== null) slices.pop();
        last = joined ?? run;
        slices.push(wholeRun(last ?? (await keeper.keep(text, slices, large))));
      },
      takeLarge: async (record) => {
        last = null;
        const run = placeLarge === null ? record : await placeLarge(record, slices.length);
        if (isRun(run)) slices.push(wholeRun(run));
        else large.push(run);
      },
    },
  );
  if (placed > 0)
    recorder.note(
      `${placed} chunks in order were not kept, because memory is short: they are read again as output is written`,
    );
  // If nothing is merged, sorted text is written as it is, or bucket by bucket.
  const merges = slices.length + large.length > 1 && !areDistributed(slices);
  if (!merges && canTake('sized', job)) recorder.advance('writing', 0, bytes);
  const repeated = output.weigh === undefined ? repeats?.written(output.write) : undefined;
  if (repeats !== null) output.weigh?.(repeats.countsOf);
  await keeper.combine(slices, large, repeated?.write ?? output.write, {
    form,
    runs: 'released',
    over: output.over,
    last: lastNeeded(job),
    ...(merges && { merged: (done, total) => recorder.advance('merging', done, total) }),
  });
  await repeated?.finish();
}
