/**
 * The whole path of a sort on one page: job -> plan -> chunks ordered into runs -> runs combined -> output. Knows no
 * algorithm and no record format.
 */
import { setImmediate } from 'node:timers/promises';
import { type Caller, PROGRAM } from './caller.js';
import { checkOrder } from './check.js';
import type { BlockWriter, Engine, KeptRun, RecordForm, Slice } from './engines/contract.js';
import { openEngine } from './engines/open.js';
import { ChunkReader } from './input/chunks.js';
import { canReadAgain, type InputFile, knownBytes, statInput } from './input/files.js';
import { Headers, refuseEmpty, withHeader } from './input/header.js';
import { longLineKeys } from './input/keyed-bytes.js';
import { located } from './input/locate-problem.js';
import { withListedContigs, withSeed } from './input/option-files.js';
import { orderChunks } from './input/order-chunks.js';
import type { FileName, Ordering, Resources, SortJob } from './job/job.js';
import { isCollated } from './keys/collation/collation.js';
import { isKeyed } from './keys/keyed.js';
import { warnOfAbsent, watchingParts } from './keys/presence.js';
import { mergeInputs } from './merge.js';
import { nameOrders } from './orders.js';
import { withOutputDelimiter } from './output/restored.js';
import { Saving } from './output/saving.js';
import { openSink, type Sink } from './output/sink.js';
import { outputStages, runStages } from './output/stages.js';
import { decide, planFor } from './plan/decide.js';
import { adapterMatters, remedyOnCpu } from './plan/engine.js';
import { type Explanation, explanation, formatReasons } from './plan/explain.js';
import { machineFacts } from './plan/facts.js';
import { smallerPlan } from './plan/make-plan.js';
import { checkingThreads, mostCodecThreads } from './plan/memory.js';
import type { Plan } from './plan/plan.js';
import { writtenHeader } from './records/headers.js';
import { recordFinder } from './records/record-finder.js';
import type { Digest } from './report/digest.js';
import type { Recorder } from './report/recorder.js';
import { warn } from './report/warnings.js';
import { areDistributed } from './runs/buckets.js';
import { RunKeeper } from './runs/keep.js';
import { isRun, keyedLarge, type LargeRecord, lineRun, type PlaceLarge } from './runs/large.js';
import { wholeRun } from './runs/partition.js';
import { SegmentWriter } from './runs/segments.js';
import { TemporaryStore } from './runs/store.js';
import { GpusortError } from './system/errors.js';
import { keepHeapSmall, mostWorkers } from './system/limits.js';
import { nothingWritten, Verification, type Written } from './verify/verification.js';

/** Does a job and resolves to the exit status. Throws GpusortError for disorder and failures. */
export async function runJob(requested: SortJob, recorder: Recorder, caller: Caller = PROGRAM): Promise<number> {
  const job = watchingParts(withOutputDelimiter(await withListedContigs(await withSeed(requested))));
  const headers = headersOf(job);
  const saving = Saving.of(job, codecThreads(job));
  const inputs = await statInputs(job, saving, caller);
  for (const reason of formatReasons(job)) recorder.note(reason);
  try {
    await runOn(inputs, job, headers, saving, recorder, caller);
    warnOfAbsent(job.ordering);
    return 0;
  } catch (error) {
    throw await located(error, inputs, job);
  }
}

async function runOn(
  inputs: readonly InputFile[],
  job: SortJob,
  headers: Headers | null,
  saving: Saving | null,
  recorder: Recorder,
  caller: Caller,
): Promise<void> {
  if (job.mode === 'check') {
    if (job.check.orders) await nameOrders(job, inputs[0], headers, recorder);
    else await checkOrder(job, inputs[0], headers, recorder);
    return;
  }
  const sink = await openSink(job, recorder, codecThreads(job), saving, caller.output);
  let complete = false;
  try {
    // Strip the headers of files before anything else is read.
    const stripped = job.mode === 'merge' ? inputs : await stripHeaders(inputs, headers);
    await (job.mode === 'merge'
      ? mergeAll(job, stripped, headers, sink, recorder)
      : sortInputs(job, stripped, headers, sink, recorder, 'output', caller));
    complete = true;
    await sink.finish();
    const saved = await saving?.sentence();
    if (saved != null) recorder.note(saved);
  } finally {
    if (!complete) await sink.abort();
    await saving?.close();
  }
}

async function mergeAll(
  job: SortJob,
  inputs: readonly InputFile[],
  headers: Headers | null,
  sink: Sink,
  recorder: Recorder,
): Promise<void> {
  const store = openStore(job.resources, recorder);
  const header = headerToWrite(job, headers);
  const verification = openVerification(
    job,
    () => withNumbers(job, headers).ordering,
    header,
    0,
    sink,
    nothingWritten(),
  );
  try {
    const output = outputStages(job, header, store, (block) => sink.write(block), verification);
    await mergeInputs(inputs, { job, store, output, recorder, headers, verification });
    await output.finish();
    if (verification !== null) recorder.verified(await verification.finish());
  } finally {
    store.close();
  }
}

export function openStore(
  { temporaryDirectories, compressProgram, parallel }: Resources,
  recorder: Recorder,
): TemporaryStore {
  return new TemporaryStore(
    temporaryDirectories,
    compressProgram && {
      program: compressProgram,
      width: Math.max(1, Math.min(mostWorkers(), parallel ?? machineFacts().processors)),
    },
    recorder,
  );
}

/**
 * The verifier of the output, with `threads` threads; null unless --verify is given. `written`: what
 * earlier attempts wrote.
 */
function openVerification(
  job: SortJob,
  ordering: () => Ordering,
  header: (() => Uint8Array) | null,
  threads: number,
  { file }: Pick<Sink, 'file'>,
  written: Written,
): Verification | null {
  return job.output.verify
    ? new Verification(job, { ordering, headerBytes: () => header?.().length ?? 0, threads, file, written })
    : null;
}

/** Gives the header of the output, once those of all inputs are known; null: there is none. */
function headerToWrite(job: SortJob, headers: Headers | null): (() => Uint8Array) | null {
  let bytes: Uint8Array | undefined;
  if (headers === null) return null;
  return () => {
    refuseEmpty(job.input, headers);
    return (bytes ??= writtenHeader(job, headers.text, headers.bam));
  };
}

export function headersOf({ input: { header }, ordering: { format } }: SortJob): Headers | null {
  return header === null ? null : new Headers(header, format);
}

/** The job with what the header of the inputs defines: the numbers of named fields, the order of contigs. */
export function withNumbers(job: SortJob, headers: Headers | null): SortJob {
  return { ...job, ordering: withHeader(job.ordering, headers, job.input) };
}

/** Strips the headers of regular files. */
export async function stripHeaders(
  inputs: readonly InputFile[],
  headers: Headers | null,
): Promise<readonly InputFile[]> {
  if (headers === null) return inputs;
  const stripped: InputFile[] = [];
  for (const input of inputs) stripped.push(await headers.stripFile(input));
  return stripped;
}

/** The plan of a job and its reasons. Reads only a sample of the files, and nothing of a stream. */
export async function explainJob(job: SortJob): Promise<Explanation> {
  if (job.mode !== 'sort') return explanation(job, null);
  const headers = headersOf(job);
  const inputs = await stripHeaders(await statInputs(job), headers);
  const bytes = knownBytes(inputs);
  return explanation(job, await decide(withNumbers(job, headers), machineFacts(), inputs, bytes, null));
}

/** The number of threads that decompress, and of those that compress; 0 if the job does neither. */
export function codecThreads(job: SortJob): number {
  // Asking the system takes time, which a small sort lacks.
  if (!job.input.decompress && job.output.compression === null) return 0;
  return Math.min(mostWorkers(), mostCodecThreads(job.resources), job.resources.parallel ?? machineFacts().processors);
}

/** After so many inputs, signals are let through. */
const INPUTS_PER_STEP = 1000;

/** Checks all inputs. Standard input is read once, however often it is named. `saving` takes what is read. */
export async function statInputs(
  job: SortJob,
  saving: Saving | null = null,
  { sources, signal }: Caller = PROGRAM,
): Promise<InputFile[]> {
  const form = {
    ...job.input,
    format: job.input.genomics?.format ?? null,
    threads: codecThreads(job),
    taker: saving?.taker,
    signal,
  };
  const stat = (name: FileName, mates: readonly InputFile[] = []): InputFile =>
    statInput(name, job.mode, sources.size === 0 ? form : { ...form, source: sources.get(name) }, mates);
  const first = job.input.files.indexOf(null);
  const inputs: InputFile[] = [];
  for (const [i, name] of job.input.files.entries()) {
    if (name === null && i !== first) continue;
    const mates = job.input.mates.map((mate) => stat(mate));
    inputs.push(stat(name, mates));
    if (inputs.length % INPUTS_PER_STEP === 0) await setImmediate();
  }
  return inputs;
}

/** What a sort needs of a sink. */
export type SortSink = Pick<Sink, 'file' | 'expect' | 'write' | 'restart'>;

/**
 * Sorts. If a device fails and the input can be read again, tries again with a smaller plan. With `form` run, the sink
 * gets records as runs hold them, without a header and, under `count`, not yet counted; segments come as output. Resolves
 * to the digest of what was read if the job verifies.
 */
export async function sortInputs(
  job: SortJob,
  inputs: readonly InputFile[],
  headers: Headers | null,
  sink: SortSink,
  recorder: Recorder,
  form: RecordForm = 'output',
  caller: Caller = PROGRAM,
): Promise<Digest | null> {
  // The CPUs are idle while a GPU starts, so the sink prepares for the expected output. Its size is unknown under
  // `unique`, with a limit and with counts.
  const expected = job.ordering.unique || job.output.limit !== null || job.output.count ? 0 : (knownBytes(inputs) ?? 0);
  if (adapterMatters(job, { bytes: expected })) sink.expect(expected);
  let plan: Plan | undefined;
  const written = nothingWritten();
  for (;;) {
    const store = openStore(job.resources, recorder);
    const reader = new ChunkReader(
      inputs,
      recordFinder(job.ordering.format),
      store,
      recorder,
      job.ordering.segments,
      headers,
    );
    try {
      // Reads the header, which may define the fields of the keys.
      await reader.firstStream();
      const numbered = withNumbers(job, headers);
      plan ??= await planFor(numbered, inputs, reader, recorder);
      store.allowMemory(plan.hostBytes);
      if (plan.smallHeap && caller.ownsProcess) keepHeapSmall();
      if (plan.engine !== 'gpu') sink.expect(0);
      return await sortWith(plan, numbered, reader, headers, store, sink, recorder, written, form, caller);
    } catch (error) {
      const next: Plan | null = plan === undefined ? null : smallerPlan(plan, error, job, machineFacts());
      if (next === null) throw error;
      if (!canReadAgain(inputs)) {
        throw new GpusortError('device-lost', `${(error as Error).message}; the input cannot be read a second time`, {
          cause: error,
          hint: remedyOnCpu('Sort from a file, or use --engine cpu.', job),
        });
      }
      recorder.note(`${(error as Error).message}; continuing with ${next.reasons.at(-1)}`);
      if (next.engine === 'cpu') warn(`the GPU failed (${(error as Error).message}); sorting on the CPU instead`);
      plan = next;
      sink.restart();
    } finally {
      reader.close();
      store.close();
    }
  }
}

/**
 * Orders chunks while the next ones are read. With segments it writes results as they come, else
 * combines them at the end.
 */
async function sortWith(
  plan: Plan,
  job: SortJob,
  reader: ChunkReader,
  headers: Headers | null,
  store: TemporaryStore,
  sink: SortSink,
  recorder: Recorder,
  written: Written,
  form: RecordForm,
  caller: Caller,
): Promise<Digest | null> {
  const {
    ordering,
    output: { count, limit },
  } = job;
  const engine = await openEngine(plan, ordering, recorder, job.output.verify, caller.takeGpu);
  const header = headerToWrite(job, headers);
  const verification = openVerification(
    job,
    () => ordering,
    header,
    checkingThreads(plan, machineFacts(), ordering),
    sink,
    written,
  );
  const keeper = new RunKeeper(engine, ordering, store, plan.residentBytes !== null, plan.windows);
  const write: BlockWriter = (block) => sink.write(block);
  const output = form === 'run' ? runStages(job, store, write) : outputStages(job, header, store, write, verification);
  const writeKey = isKeyed(ordering) ? longLineKeys(ordering) : null;
  const placeLarge: PlaceLarge | null =
    writeKey !== null
      ? (record, slices) => keyedLarge(record, ordering, store, slices, writeKey)
      : isCollated(ordering)
        ? (record) => lineRun(record, ordering, store)
        : null;
  try {
    if (ordering.segments !== undefined) {
      const writer = new SegmentWriter(engine, ordering, keeper, output.write, placeLarge);
      await orderChunks(
        engine,
        reader,
        verification,
        recorder,
        (text) => writer.add(text),
        (record) => writer.addLarge(record),
      );
      await writer.finish();
      await output.finish();
      return await finishVerification(verification, engine, recorder, form);
    }
    const slices: Slice<KeptRun>[] = [];
    const large: LargeRecord[] = [];
    const bytes = await orderChunks(
      engine,
      reader,
      verification,
      recorder,
      async (text) => {
        slices.push(wholeRun(await keeper.keep(text, slices, large)));
      },
      async (record) => {
        const placed = placeLarge === null ? record : await placeLarge(record, slices.length);
        if (isRun(placed)) slices.push(wholeRun(placed));
        else large.push(placed);
      },
    );
    // If nothing is merged, the text is written as it was sorted, or as its buckets are.
    const merges = slices.length + large.length > 1 && !areDistributed(slices);
    if (!merges && limit === null && !count && !ordering.unique) recorder.advance('writing', 0, bytes);
    await keeper.combine(slices, large, output.write, {
      form: count ? 'run' : form,
      runs: 'released',
      over: output.over,
      ...(merges && { merged: (done, total) => recorder.advance('merging', done, total) }),
    });
    await output.finish();
    return await finishVerification(verification, engine, recorder, form);
  } finally {
    await Promise.all([engine.close(), verification?.close()]);
  }
}

/** The digest of what was read. Throws `verify-failed` if the output is wrong; runs are not checked here. */
async function finishVerification(
  verification: Verification | null,
  engine: Engine,
  recorder: Recorder,
  form: RecordForm,
): Promise<Digest | null> {
  if (verification === null) return null;
  verification.addInput(await engine.input!());
  if (form === 'output') recorder.verified(await verification.finish());
  return verification.read;
}
