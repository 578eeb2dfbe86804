/**
 * A task that merges a range: the slices of all runs between two splitters, by the merge that one machine uses. It cuts
 * the runs itself and so knows, before it merges, which records it must write and where.
 */
import { addDigests, type Digest, NO_RECORDS } from '../digest.js';
import type { KeptRun, Slice } from '../engine.js';
import type { SortJob } from '../job.js';
import { keepHeapSmall, mostOpenInputs } from '../limits.js';
import { compressing } from '../output/compress.js';
import { outputStages } from '../output/stages.js';
import { checkingThreads } from '../plan/checking.js';
import { adapterMatters } from '../plan/engine.js';
import { machineFacts } from '../plan/facts.js';
import { makePlan, smallerPlan } from '../plan/make-plan.js';
import type { Plan } from '../plan/plan.js';
import { requestedEngine } from '../plan/requested-engine.js';
import { inParallel } from '../promises.js';
import { GpusortError } from '../report/errors.js';
import type { Recorder } from '../report/stats.js';
import { warn } from '../report/warnings.js';
import { RunKeeper } from '../runs/keep.js';
import type { LargeRecord } from '../runs/large.js';
import { codecThreads, openStore } from '../sort.js';
import { askAdapter, openEngine } from '../start.js';
import { inDirectory } from '../temporary-files.js';
import { nothingWritten, Verification } from '../verify/verification.js';
import { type JobDirectory, partName } from './directory.js';
import { type ClusterJob, decoded, encoded, isInOrder, joiningOf, keepsKeysWhole } from './job-file.js';
import { readJson, writeJson } from './json-file.js';
import { OpenFiles } from './open-files.js';
import { partWriter, placeWriter, type RangeWriter } from './range-writer.js';
import { digestFrom, type IndexHeader, plainDigest } from './run-index.js';
import { type Cut, lazySurveyor, type Splitter, StoredShare } from './stored-share.js';

/** Runs that are read at once. */
const READS = 16;

/** The marker of a range. */
export interface RangeResult {
  /** Where the range begins in the output, if that is known, and its bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** The digest of the records of all runs that belong to the range. */
  readonly records: IndexHeader['input'];
}

/** Opens the runs of all shares. */
export async function openShares(
  directory: JobDirectory,
  { job, shares }: ClusterJob,
  files: OpenFiles,
): Promise<StoredShare[]> {
  const surveyor = lazySurveyor(job.ordering, isInOrder(job.ordering) ? 'output' : 'run');
  const opened: StoredShare[] = [];
  await inParallel(shares, READS, async (_, i) => {
    opened[i] = await StoredShare.open(directory, i, job.ordering, files, surveyor);
  });
  return opened;
}

export function writeSplitters(directory: JobDirectory, splitters: readonly Splitter[]): Promise<void> {
  return writeJson(directory.splitters(), encoded(splitters));
}

/** The splitters, in order; null if they are not chosen yet. */
export function readSplitters(directory: JobDirectory): readonly Splitter[] | null {
  const stored = readJson(directory.splitters());
  return stored === null ? null : (decoded(stored) as readonly Splitter[]);
}

/** Merges range `number`. `job`: that of the directory, with what the task's command says. */
export async function runRange(
  directory: JobDirectory,
  cluster: ClusterJob,
  job: SortJob,
  number: number,
  recorder: Recorder,
): Promise<void> {
  const files = new OpenFiles(Math.ceil(mostOpenInputs() / 2));
  try {
    const shares = await openShares(directory, cluster, files);
    const bounds = await boundsOf(directory, cluster, shares, number);
    const records = bounds.map(({ from, to }) => difference(to.before, from.before)).reduce(addDigests, NO_RECORDS);
    const offset =
      bounds.reduce((sum, { from }) => sum + from.before.bytes, 0) + (number > 0 ? cluster.header.length : 0);
    const length = records.bytes + (number === 0 ? cluster.header.length : 0);
    recorder.advance('merging', 0, records.bytes);
    const joining = joiningOf(job);
    const open = (): Promise<RangeWriter> =>
      joining === 'in place'
        ? placeWriter(cluster.text, directory.edges(number), offset, offset + length, recorder)
        : partWriter(
            joining === 'parts' ? inDirectory(cluster.text, partName(number)) : directory.part(number),
            recorder,
          );
    const bytes = await mergeInto(open, { cluster, job, number, records, bounds, recorder });
    const result: RangeResult = { offset, bytes, records: plainDigest(records) };
    await writeJson(directory.range(number), result);
  } finally {
    files.close();
  }
}

/** The part of a run that belongs to the range. */
interface Bounds {
  readonly share: StoredShare;
  readonly from: Cut;
  readonly to: Cut;
}

async function boundsOf(
  directory: JobDirectory,
  { job }: ClusterJob,
  shares: readonly StoredShare[],
  number: number,
): Promise<Bounds[]> {
  // Segments stay in the order of the input.
  if (isInOrder(job.ordering))
    return shares.map((share) => ({
      share,
      from: share.number < number ? share.end : share.begin,
      to: share.number <= number ? share.end : share.begin,
    }));
  const splitters = readSplitters(directory)!;
  const whole = keepsKeysWhole(job);
  const bounds: Bounds[] = [];
  await inParallel(shares, READS, async (share, i) => {
    bounds[i] = {
      share,
      from: number === 0 ? share.begin : await share.cut(splitters[number - 1], whole),
      to: number === splitters.length ? share.end : await share.cut(splitters[number], whole),
    };
    share.endCuts();
  });
  return bounds;
}

interface RangeWork {
  readonly cluster: ClusterJob;
  readonly job: SortJob;
  readonly number: number;
  readonly records: Digest;
  readonly bounds: readonly Bounds[];
  readonly recorder: Recorder;
}

/**
 * From so many processors on, they merge runs of files faster than a GPU, which must be started and sent all text: 5 GB
 * take 4.2 s on 8 processors, and 4.9 s on an H200 (23 November 2026).
 */
const MERGING_PROCESSORS = 4;

/** Merges and writes; if a GPU fails, begins again on the CPU. Resolves to the bytes written. */
async function mergeInto(open: () => Promise<RangeWriter>, work: RangeWork): Promise<number> {
  const { recorder, bounds } = work;
  const bytes = bounds.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0);
  const machine = machineFacts();
  const onCpu = (work.job.parallel ?? machine.processors) >= MERGING_PROCESSORS && requestedEngine(work.job) === 'auto';
  const job: SortJob = onCpu ? { ...work.job, engine: 'cpu' } : work.job;
  const adapter = adapterMatters(job, { bytes }) ? await askAdapter(job, { bytes }) : null;
  let plan: Plan = makePlan(job, machine, { bytes, sample: null }, adapter);
  for (const reason of plan.reasons) recorder.note(reason);
  if (plan.smallHeap) keepHeapSmall();
  for (;;) {
    const writer = await open();
    try {
      await mergeWith(plan, writer, work);
      return await writer.finish();
    } catch (error) {
      writer.abort();
      if (!isOfDevice(error)) await findDamage(bounds);
      const next = smallerPlan(plan, error, job, machine);
      if (next === null) throw error;
      warn(`${(error as Error).message}; the range is merged again with ${next.reasons.at(-1)}`);
      plan = next;
    }
  }
}

const isOfDevice = (error: unknown): boolean =>
  error instanceof GpusortError && ['device-lost', 'out-of-device-memory'].includes(error.code);

/** Bytes of runs read at a time, outside merges. */
const READ_BYTES = 4 << 20;

/**
 * Throws DamagedShare if the range's part of a run differs from its checksums. Merges do not compare these: it takes a
 * third of their time, and the hash of what they write shows any damage.
 */
async function findDamage(bounds: readonly Bounds[]): Promise<void> {
  for (const { share, from, to } of bounds)
    for (let at = from.byte; at < to.byte; at += READ_BYTES)
      await share.run.readAt(at, Buffer.allocUnsafe(Math.min(READ_BYTES, to.byte - at)));
}

async function mergeWith(
  plan: Plan,
  writer: RangeWriter,
  { cluster: { header }, job, number, records, bounds, recorder }: RangeWork,
): Promise<void> {
  const { ordering, count, outputForm } = job;
  const store = openStore(job, recorder);
  store.allowMemory(plan.hostBytes);
  const compressor =
    outputForm === null
      ? null
      : compressing({ ...outputForm, threads: codecThreads(job), isPart: joiningOf(job) === 'copied' }, (block) =>
          writer.write(block),
        );
  const verification = new Verification(job, {
    ordering: () => ordering,
    headerBytes: () => (number === 0 ? header.length : 0),
    threads: checkers(plan, job),
    file: compressor === null ? writer.file : null,
    written: nothingWritten(),
  });
  const output = outputStages(
    job,
    number === 0 && header.length > 0 ? () => header : null,
    store,
    (block) => (compressor ?? writer).write(block),
    verification,
  );
  let engine: Awaited<ReturnType<typeof openEngine>> | null = null;
  try {
    if (isInOrder(ordering)) await copySegments(bounds, output.write);
    else {
      engine = await openEngine(plan, ordering, recorder);
      const keeper = new RunKeeper(engine, ordering, store, plan.residentBytes !== null, plan.windows);
      const { slices, large } = await slicesOf(bounds, engine.mergeBytes, count);
      await keeper.combine(slices, large, output.write, {
        form: count ? 'run' : 'output',
        runs: 'released',
        over: output.over,
        merged: (bytes) => recorder.advance('merging', bytes),
      });
    }
    await output.finish();
    await compressor?.finish();
    verification.addInput(records);
    verification.addSorted(records.records);
    recorder.verified(await verification.finish());
  } finally {
    await Promise.all([engine?.close(), verification.close(), compressor?.close()]);
    store.close();
  }
}

/** Threads that check the output. Merging leaves them more processors than sorting. */
function checkers(plan: Plan, { ordering, parallel }: SortJob): number {
  const machine = machineFacts();
  const least = checkingThreads(plan, machine, ordering);
  return least === 0 ? 0 : Math.max(least, Math.ceil((parallel ?? machine.processors) / 2));
}

async function slicesOf(
  bounds: readonly Bounds[],
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

async function copySegments(bounds: readonly Bounds[], write: (block: Uint8Array) => Promise<void>): Promise<void> {
  for (const { share, from, to } of bounds)
    for (let at = from.byte; at < to.byte; at += READ_BYTES) {
      const block = Buffer.allocUnsafe(Math.min(READ_BYTES, to.byte - at));
      await share.run.readAt(at, block);
      await write(block);
    }
}

function difference(a: Digest, b: Digest): Digest {
  return { records: a.records - b.records, bytes: a.bytes - b.bytes, hash: BigInt.asUintN(64, a.hash - b.hash) };
}

/** The sum of the digests of ranges. */
export const sumOf = (results: readonly RangeResult[]): Digest =>
  results.map(({ records }) => digestFrom(records)).reduce(addDigests, NO_RECORDS);
