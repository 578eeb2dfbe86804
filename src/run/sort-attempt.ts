/**
 * One attempt to sort by a plan: chunks are ordered into runs while the next ones are read, then the runs are combined.
 */

import type { Engine, KeptRun, Slice } from '../contract/engine.js';
import type { ChunkReader } from '../input/chunks.js';
import { type InputFile, knownBytes } from '../input/files.js';
import { headerToWrite } from '../input/header.js';
import type { Inputs } from '../input/inputs.js';
import { placeLargeBy } from '../input/keyed-bytes.js';
import { orderChunks } from '../input/order-chunks.js';
import type { SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { lastNeeded } from '../output/filters.js';
import { streamForm } from '../output/restored.js';
import type { Sink } from '../output/sink.js';
import { machineFacts } from '../plan/facts.js';
import { checkingThreads } from '../plan/memory.js';
import type { Plan } from '../plan/plan.js';
import type { Digest } from '../report/digest.js';
import type { Recorder } from '../report/recorder.js';
import { areDistributed } from '../runs/buckets.js';
import { RunKeeper } from '../runs/keep.js';
import { isRun, type LargeRecord, type PlaceLarge } from '../runs/large.js';
import { wholeRun } from '../runs/partition.js';
import { type PlacedRun, placedRun } from '../runs/placed-run.js';
import { SegmentWriter } from '../runs/segments.js';
import type { TemporaryStore } from '../runs/store.js';
import { isOnLocalSystem } from '../system/file-system.js';
import type { WrittenByAttempts } from '../verify/verification.js';
import type { Sort } from './caller.js';
import { type Delivery, type Made, openDelivery } from './delivery.js';
import { openEngine } from './open-engine.js';

/** The part of a sink that a sort needs. */
export type SortSink = Pick<
  Sink,
  'file' | 'regularFile' | 'expect' | 'write' | 'duplicates' | 'restart' | 'blocks' | 'canRestart'
>;

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
export async function attemptSort(one: Attempt, { recorder, caller }: Sort): Promise<Digest | null> {
  const { plan, job, inputs, store, sink, written, makes } = one;
  const { ordering } = job;
  const form = makes === 'run' ? 'run' : streamForm(job, { engine: plan.engine, tallied: caller.tally !== null });
  const engine = await openEngine(plan, ordering, recorder, {
    verify: job.output.verify,
    checksText: readsAgain(one),
    takeGpu: caller.takeGpu,
  });
  const { headers } = inputs;
  const takesBlocks = plan.engine === 'gpu' && plan.deflateLevel !== null && makes === 'output';
  const delivery = openDelivery(job, sink, {
    ...{ makes, form, header: headerToWrite(job, headers), sections: headers?.sections ?? null },
    ...{ store, threads: checkingThreads(plan, machineFacts(), ordering), written, tally: caller.tally, recorder },
    blocks: takesBlocks && caller.tally === null ? sink.blocks : null,
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

/** Of more inputs, it is not asked where they are. */
const MOST_ASKED = 64;

/**
 * Whether text that was in order as read is dropped, and read again from the input when it is written. This is done if
 * memory cannot hold all text: otherwise the text would go to temporary files, and have to be read back anyway. It is
 * also done if the system keeps files in memory that were read: then new memory takes more time than a second read. The
 * output must be a file, because the reader of a pipe could change the input before it is read again.
 */
function readsAgain({ job, plan, inputs, sink, makes }: Attempt): boolean {
  const bytes = knownBytes(inputs.files);
  if (bytes === null || !canTake('placed', job) || makes !== 'output' || sink.regularFile === null) return false;
  const isLarge = plan.residentBytes !== null && bytes > plan.residentBytes;
  const { files } = inputs;
  return isLarge || (files.length <= MOST_ASKED && files.every(staysInMemory));
}

/** Whether the system keeps what was read of an input, while there is memory. */
function staysInMemory({ name }: InputFile): boolean {
  try {
    return isOnLocalSystem(name);
  } catch {
    return false; // removed, or no statfs
  }
}

function keeperOf({ plan, job, store }: Attempt, engine: Engine): RunKeeper {
  const { residentBytes, windows } = plan;
  return new RunKeeper(engine, job.ordering, store, { bounded: residentBytes !== null, windows });
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
  if (placed > 0) recorder.note(`${placed} chunks in order were not kept: they are read again as output is written`);
  // If nothing is merged, sorted text is written as it is, or bucket by bucket.
  const merges = slices.length + large.length > 1 && !areDistributed(slices);
  if (!merges && canTake('sized', job)) recorder.advance('writing', 0, bytes);
  const repeated = output.weigh === undefined ? repeats?.written(output.write) : undefined;
  if (repeats !== null) output.weigh?.(repeats.countsOf);
  await keeper.combine(slices, large, repeated?.write ?? output.write, {
    form,
    writeBlocks: delivery.writeBlocks,
    runs: 'released',
    over: output.over,
    last: lastNeeded(job),
    ...(merges && { merged: (done, total) => recorder.advance('merging', done, total) }),
  });
  await repeated?.finish();
}
