/** A task that sorts a share into a stored run. */

import { type InputFile, statInput } from '../input/files.js';
import { codecThreads, headersOf, mostThreads } from '../input/inputs.js';
import { located } from '../input/locate-problem.js';
import { NO_OPTION_FILES } from '../input/option-files.js';
import { shareInputs } from '../input/shares.js';
import type { SortJob } from '../job/job.js';
import { machineFacts } from '../plan/facts.js';
import { NO_RECORDS } from '../report/digest.js';
import type { Recorder } from '../report/recorder.js';
import { PROGRAM } from '../run/caller.js';
import { sortInputs } from '../run/sort.js';
import { GpusortError } from '../system/errors.js';
import type { JobDirectory } from './directory.js';
import { type ClusterJob, hasAll, isInOrder, refuseStale } from './job-file.js';
import { RunWriter } from './run-writer.js';

/** Processors for each thread that surveys the run while it is written. */
const PROCESSORS_PER_SURVEY = 2;

/** Sorts share `number`. `job`: that of the directory, with the settings of the task's command. */
export async function runShare(
  directory: JobDirectory,
  cluster: ClusterJob,
  job: SortJob,
  number: number,
  recorder: Recorder,
): Promise<void> {
  const { inputs, shares } = cluster;
  const used = [...new Set(shares[number].map(({ input }) => input))].map((input) => inputs[input]);
  const parts = shareInputs(
    used.map((input) => restoredInput(input, job)),
    shares[number].map((part) => ({ ...part, input: used.indexOf(inputs[part.input]) })),
  );
  const form = isInOrder(job.ordering) ? 'plain' : 'run';
  const threads = Math.ceil((job.resources.parallel ?? machineFacts().processors) / PROCESSORS_PER_SURVEY);
  const writer = await RunWriter.open(
    { run: directory.run(number), index: directory.index(number), share: number },
    { ordering: job.ordering, form, threads },
    recorder,
  );
  try {
    const input = await sortInputs(
      job,
      { files: parts, headers: headersOf(job), named: NO_OPTION_FILES },
      writer,
      { recorder, caller: PROGRAM },
      'run',
    );
    // Checks that the files have not changed since they were cut.
    for (const file of used) refuseChanged(file, job.mode);
    refuseStale(directory, cluster);
    await writer.finish(input ?? NO_RECORDS, { isAll: hasAll(job) });
  } catch (error) {
    await writer.abort();
    throw await located(error, { files: parts, named: NO_OPTION_FILES }, job);
  }
}

/** The input as the client saw it. Throws `input-changed` if it has changed since. */
export function restoredInput(
  { name, label, extent, compressed, sequential, headerStripped, renaming, identity }: ClusterJob['inputs'][number],
  job: SortJob,
): InputFile {
  const { framing, decompress, warnsOfCompression, genomics } = job.input;
  const form = {
    framing,
    decompress: decompress || compressed,
    warnsOfCompression,
    format: genomics?.format ?? null,
    threads: compressed ? mostThreads(job.resources) : codecThreads(job),
  };
  const now = statInput(name, job.mode, form);
  refuseOther(now, label, identity);
  return { ...now, label, extent, compressed, sequential, headerStripped, renaming };
}

/** Throws `input-changed` if an input is no longer as the client saw it. */
export function refuseChanged({ name, label, identity }: ClusterJob['inputs'][number], mode: SortJob['mode']): void {
  refuseOther(statInput(name, mode), label, identity);
}

function refuseOther(now: InputFile, label: string, identity: string): void {
  if (sameFile(now.identity) !== sameFile(identity))
    throw new GpusortError('input-changed', `${label} has changed since the sort began`, {
      hint: 'Remove the job directory and start again.',
    });
}

/** An identity without the number of the device, which differs from node to node. */
export const sameFile = (identity: string): string => identity.slice(identity.indexOf(':') + 1);
