/** Merges the records of a range, checks them and writes them. */

import type { KeptRun, RecordForm, Slice } from '../contract/engine.js';
import { codecThreads, plannedCodecThreads } from '../input/inputs.js';
import type { SortJob } from '../job/job.js';
import { isKeyed } from '../keys/keyed.js';
import { compressing } from '../output/compress.js';
import { streamForm } from '../output/restored.js';
import { adapterMatters, requestedEngine } from '../plan/engine.js';
import { machineFacts } from '../plan/facts.js';
import { makePlan } from '../plan/make-plan.js';
import { checkingThreads } from '../plan/memory.js';
import type { Plan } from '../plan/plan.js';
import type { Digest } from '../report/digest.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import { byPlans } from '../run/attempts.js';
import { type Delivery, openDelivery } from '../run/delivery.js';
import { mergeInputs } from '../run/merge.js';
import { askAdapter, openEngine } from '../run/open-engine.js';
import { RunKeeper } from '../runs/keep.js';
import type { LargeRecord } from '../runs/large.js';
import { openStore, type TemporaryStore } from '../runs/store.js';
import { emitStored } from '../runs/stored-run.js';
import { GpusortError } from '../system/errors.js';
import { keepHeapSmall } from '../system/limits.js';
import { isInOrder, joiningOf } from './job-file.js';
import type { RangeWriter } from './range-writer.js';
import { refuseDisorder, type SortedInput } from './sorted-input.js';
import type { Cut, Cuttable } from './splitters.js';
import type { StoredShare } from './stored-share.js';

/** The part of a run, or of an input of -m, that belongs to a range. */
export interface RangePart<Of extends Cuttable = StoredShare> {
  readonly share: Of;
  readonly from: Cut;
  readonly to: Cut;
}

interface RangeWork {
  readonly header: Uint8Array;
  /** The job with the settings of the task's command. */
  readonly job: SortJob;
  readonly number: number;
  /** Opens the output of an attempt. */
  readonly open: () => Promise<RangeWriter>;
  readonly recorder: Recorder;
}

/** The result of writing a range. */
interface MergedRange {
  readonly bytes: number;
  /** The digest of the merged records. */
  readonly records: Digest;
}

/**
 * This many processors or more merge runs of files faster than a GPU, which must be started and sent all text: 5 GB
 * take 4.2 s on 8 processors, and 4.9 s on an H200 (23 November 2026).
 */
const MERGING_PROCESSORS = 4;

/**
 * Merges the parts of runs, whose records have the digest `records`, and writes the result. If a GPU fails, begins
 * again on the CPU.
 */
export async function mergeStoredRuns(
  work: RangeWork,
  bounds: readonly RangePart[],
  records: Digest,
): Promise<MergedRange> {
  const { recorder } = work;
  const bytes = bounds.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);
  const machine = machineFacts();
  const onCpu =
    (work.job.resources.parallel ?? machine.processors) >= MERGING_PROCESSORS && requestedEngine(work.job) === 'auto';
  const job: SortJob = onCpu ? { ...work.job, resources: { ...work.job.resources, engine: 'cpu' } } : work.job;
  const adapter = adapterMatters(job, { bytes }) ? await askAdapter(job, { bytes }) : null;
  const first = makePlan(job, machine, { bytes, codecThreads: plannedCodecThreads(job, []) }, adapter);
  for (const reason of first.reasons) recorder.note(reason);
  if (first.smallHeap) keepHeapSmall();
  return byPlans(first, job, {
    attempt: async (plan) => {
      try {
        return await written(work, formOf(plan, job), checkers(plan, job), async (delivery, store) => {
          store.allowMemory(plan.hostBytes);
          await (isInOrder(job.ordering)
            ? copySegments(bounds, delivery.output.write)
            : combineRuns(plan, bounds, delivery, store, work));
          delivery.verification!.addInput(records);
          delivery.verification!.addSorted(records.records);
        });
      } catch (error) {
        if (!isOfSystem(error)) await findDamage(bounds);
        throw error;
      }
    },
    again: ({ error, next }) => warn(`${error.message}; the range is merged again with ${next.change}`),
  });
}

/**
 * Merges the parts of inputs that are already sorted, as one machine does. Throws `bad-records` if they are not sorted.
 */
export async function mergeParts(work: RangeWork, bounds: readonly RangePart<SortedInput>[]): Promise<MergedRange> {
  const { job, recorder } = work;
  const parts = bounds.flatMap(({ share, from, to }) => share.part(from, to) ?? []);
  const form = streamForm(job, { engine: 'cpu', tallied: false });
  try {
    return await written(work, form, 0, (delivery, store) =>
      mergeInputs(parts, { job, delivery, store, recorder, headers: null }),
    );
  } catch (error) {
    if (error instanceof GpusortError && error.code === 'verify-failed') await refuseDisorder(parts, job, recorder);
    throw error;
  }
}

/** Whether an error is unrelated to the contents of the runs. */
const isOfSystem = (error: unknown): boolean => error instanceof GpusortError && OF_SYSTEM.includes(error.code);
const OF_SYSTEM: readonly string[] = [
  'device-lost',
  'out-of-device-memory',
  'out-of-memory',
  'no-temporary-space',
  'cannot-write',
  'write-failed',
];

/**
 * Whether the hash of the output shows any damage to the runs; it covers neither keys nor dropped records. If it does,
 * merges do not compare checksums, which would take a third of their time.
 */
const showsDamage = ({ ordering, output: { limit } }: SortJob): boolean =>
  !isKeyed(ordering) && !ordering.unique && limit === null;

/** Throws DamagedShare if the range's part of a run differs from its checksums. */
async function findDamage(bounds: readonly RangePart[]): Promise<void> {
  for (const { share, from, to } of bounds)
    await emitStored(share.run, from.byte, to.byte, async () => {
      // Reading compares the checksums.
    });
}

/** Opens the output, has it written by `merge`, and checks it, with `threads` threads. */
async function written(
  { header, job, number, open, recorder }: RangeWork,
  form: RecordForm,
  threads: number,
  merge: (delivery: Delivery, store: TemporaryStore) => Promise<void>,
): Promise<MergedRange> {
  const { compression } = job.output;
  const writer = await open();
  const store = openStore(job.resources, () => machineFacts().processors, recorder);
  const compressor =
    compression === null
      ? null
      : compressing({ ...compression, threads: codecThreads(job), isPart: joiningOf(job) === 'copied' }, (block) =>
          writer.write(block),
        );
  const target = {
    write: (block: Uint8Array) => (compressor ?? writer).write(block),
    duplicates: null,
    file: compressor === null ? writer.file : null,
  };
  const before = number === 0 && header.length > 0 ? () => header : null;
  const delivery = openDelivery(job, target, {
    ...{ makes: 'output', form, header: before, sections: null, store, threads, tally: null, recorder },
  });
  try {
    await merge(delivery, store);
    await delivery.finish();
    await compressor?.finish();
    return { bytes: await writer.finish(), records: delivery.verification!.read };
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    await Promise.all([delivery.close(), compressor?.close()]);
    store.close();
  }
}

async function combineRuns(
  plan: Plan,
  bounds: readonly RangePart[],
  { form, output }: Delivery,
  store: TemporaryStore,
  { job, recorder }: RangeWork,
): Promise<void> {
  const { ordering } = job;
  const engine = await openEngine(plan, ordering, recorder);
  try {
    const { residentBytes, windows } = plan;
    const keeper = new RunKeeper(engine, ordering, store, { bounded: residentBytes !== null, windows });
    const { slices, large } = await slicesOf(bounds, engine.mergeBytes, !showsDamage(job));
    await keeper.combine(slices, large, output.write, {
      form,
      runs: 'released',
      over: output.over,
      merged: (bytes) => recorder.advance('merging', bytes),
    });
  } finally {
    await engine.close();
  }
}

/** The form in which merges write the records. */
const formOf = ({ engine }: Plan, job: SortJob): RecordForm => streamForm(job, { engine, tallied: false });

/** Threads that check the output. A merge leaves more processors for them than a sort. */
function checkers(plan: Plan, { ordering, resources: { parallel } }: SortJob): number {
  const machine = machineFacts();
  const least = checkingThreads(plan, machine, ordering);
  return least === 0 ? 0 : Math.max(least, Math.ceil((parallel ?? machine.processors) / 2));
}

async function slicesOf(
  bounds: readonly RangePart[],
  most: number,
  checked: boolean,
): Promise<{ slices: Slice<KeptRun>[]; large: LargeRecord[] }> {
  const slices: Slice<KeptRun>[] = [];
  const large: LargeRecord[] = [];
  for (const { share, from, to } of bounds) {
    if (from.byte === to.byte) continue;
    const found = await share.slices(from.byte, to.byte, { most, slicesBefore: slices.length, checked });
    slices.push(...found.slices);
    large.push(...found.large);
  }
  return { slices, large };
}

async function copySegments(bounds: readonly RangePart[], write: (block: Uint8Array) => Promise<void>): Promise<void> {
  for (const { share, from, to } of bounds) await emitStored(share.run, from.byte, to.byte, write);
}
