/**
 * Sorts inputs: makes a plan, then tries it. An attempt (sort-attempt.ts) orders chunks into runs and combines these.
 * If a device fails, another attempt begins.
 */

import { Declined } from '../contract/engine.js';
import { type Beginning, openBeginning } from '../input/beginning.js';
import { ChunkReader } from '../input/chunks.js';
import { completedJob } from '../input/complete.js';
import { canReadAgain, type InputFile, inputChanged, knownBytes } from '../input/files.js';
import type { Inputs } from '../input/inputs.js';
import { keepAtMost } from '../input/replay.js';
import type { SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { bamSource } from '../plan/bam.js';
import { adapterMatters, remedyOnCpu } from '../plan/engine.js';
import { machineFacts } from '../plan/facts.js';
import { mostKept } from '../plan/memory.js';
import type { Plan } from '../plan/plan.js';
import { recordFinder } from '../records/record-finder.js';
import type { Digest } from '../report/digest.js';
import type { Recorder } from '../report/recorder.js';
import { warn } from '../report/warnings.js';
import { openStore, type TemporaryStore } from '../runs/store.js';
import { GpusortError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { collectAfter } from '../system/garbage.js';
import { keepHeapSmall } from '../system/limits.js';
import { isSameFile } from '../system/links.js';
import { nothingWritten } from '../verify/verification.js';
import { byPlans, type Failure } from './attempts.js';
import type { Sort } from './caller.js';
import { planFor } from './decide.js';
import type { Made } from './delivery.js';
import { attemptSort, type SortSink } from './sort-attempt.js';

/**
 * Sorts. If a device fails and the input can be read again, tries again with a smaller plan. If the result is a run,
 * records keep their keys, there is no header, and counting equal records is left to the merge. Segments are written as
 * in the output. Resolves to the digest of the input if the job verifies.
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
  const { format, segments } = job.ordering;
  const finder = recordFinder(format);
  const open = ({ first, rest }: Beginning): Reading => {
    const store = openStore(job.resources, () => machineFacts().processors, recorder);
    const isOutput = (fd: number): boolean => sink.regularFile !== null && areSame(fd, sink.regularFile);
    const options = { first, segments, headers, isOutput };
    return { store, reader: new ChunkReader(rest, finder, store, recorder, options) };
  };
  let reading = null as Reading | null;
  /** A function of its own: what was read ahead is left to the reader, which lets go of it. */
  const begin = async (): Promise<{ readonly complete: SortJob; readonly first: Plan }> => {
    // Reads the header, which may define the fields of the keys.
    const beginning = await openBeginning(files, finder, headers, recorder);
    reading = open(beginning);
    const complete = completedJob(job, inputs);
    const purpose = { machine: machineFacts(), isWhole: makes === 'output', startsThreads: caller.ownsProcess };
    return { complete, first: await planFor(complete, files, beginning, recorder, purpose) };
  };
  try {
    const { complete, first } = await begin();
    const written = nothingWritten();
    return await byPlans(first, job, {
      attempt: async (plan) => {
        // The first attempt continues with the input that was read for the plan.
        const { reader, store } = (reading ??= open({ first: null, rest: files }));
        store.allowMemory(plan.hostBytes);
        if (plan.smallHeap && caller.ownsProcess) keepHeapSmall();
        sink.expect(expected);
        keepAtMost(files, mostKept(plan));
        if (plan.bam === null)
          return attemptSort({ plan, job: complete, inputs, reader, store, sink, written, makes }, sort);
        reader.close();
        const { sortBam } = await import('./sort-bam.js');
        await sortBam(plan, complete, inputs, sink, { recorder, caller });
        return null;
      },
      again: (failure) => {
        refuseAgain(failure, job, files, sink);
        report(failure, job, recorder);
        // Its text may have taken all of the memory that the next attempt takes.
        if (failure.plan.bam !== null) collectAfter(failure.error);
        if (reading !== null) close(reading);
        reading = null;
        sink.restart();
        recorder.presence?.invalid.fill(0n);
      },
    });
  } finally {
    if (reading !== null) close(reading);
  }
}

/** The reader of the inputs, and the store for text that does not fit into memory. */
interface Reading {
  readonly reader: ChunkReader;
  readonly store: TemporaryStore;
}

function close({ reader, store }: Reading): void {
  reader.close();
  store.close();
}

/** Throws unless the inputs can be read, and the output written, once more. */
function refuseAgain({ error }: Failure, job: SortJob, files: readonly InputFile[], sink: SortSink): void {
  // Blocks of SAM that became BAM do not let the sink restart.
  if (!sink.canRestart) throw error;
  if (!canReadAgain(files)) throw cannotReadAgain(error, job, files);
}

/** Reports how the sort continues. */
function report({ error, plan, next }: Failure, job: SortJob, recorder: Recorder): void {
  if (error instanceof Declined || plan.engine === 'cpu') {
    const what =
      plan.bam === null
        ? 'the GPU cannot inflate the input'
        : bamSource(job) === 'sam'
          ? 'SAM cannot be sorted as BAM'
          : 'BAM cannot be sorted as it is';
    for (const note of [`${what}: ${error.message}`, ...next.plan.reasons]) recorder.note(note);
    return;
  }
  recorder.note(`${error.message}; continuing with ${next.change}`);
  if (next.plan.engine === 'cpu') warn(`the GPU failed (${error.message}); sorting on the CPU instead`);
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
  // Only files, and inputs that are kept, are read in a way that may be declined.
  if (error instanceof Declined) return inputChanged(label, 'changed');
  const hint = remedyOnCpu('Sort from a file, or use --engine cpu.', job);
  return new GpusortError('device-lost', `${error.message}; the input cannot be read a second time`, {
    cause: error,
    hint,
  });
}
