/** Does a job: opens inputs and output, and sorts, merges or checks. */

import { completedJob } from '../input/complete.js';
import { headerToWrite } from '../input/header.js';
import {
  closeInputs,
  codecThreads,
  type Inputs,
  openInputs,
  readHeaders,
  stripHeaders,
  withStandardInput,
} from '../input/inputs.js';
import { located } from '../input/locate-problem.js';
import { readOptionFiles } from '../input/option-files.js';
import type { SortJob } from '../job/job.js';
import { presenceDigits, warnOfAbsent, watchParts } from '../keys/presence.js';
import { streamForm } from '../output/restored.js';
import { Saving } from '../output/saving.js';
import { openSink, type Sink } from '../output/sink.js';
import { formatReasons } from '../plan/explain.js';
import { machineFacts } from '../plan/facts.js';
import type { Recorder } from '../report/recorder.js';
import { openStore } from '../runs/store.js';
import { type Caller, PROGRAM, type Sort } from './caller.js';
import { checkJob } from './check.js';
import { openDelivery } from './delivery.js';
import { mergeInputs } from './merge.js';
import { sortInputs } from './sort.js';

/** Does a job and resolves to the exit status. Throws GpusortError for disorder and failures. */
export async function runJob(job: SortJob, recorder: Recorder, caller: Caller = PROGRAM): Promise<number> {
  watchParts(job, recorder);
  const named = await readOptionFiles(job);
  const saving = Saving.of(job, codecThreads(job));
  const inputs = await openInputs(job, { named, open: caller, ...(saving && { taker: saving.taker }) });
  for (const reason of formatReasons(job)) recorder.note(reason);
  try {
    if (job.mode === 'check') await checkJob(job, await withStandardInput(job, inputs, caller), recorder);
    else await write(job, inputs, saving, { recorder, caller });
    warnOfAbsent(job, presenceDigits(recorder));
    return 0;
  } catch (error) {
    throw await located(error, inputs, job);
  } finally {
    closeInputs(inputs);
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
    const known = await withStandardInput(job, inputs, caller);
    if (job.mode === 'merge') await mergeInto(sink, job, known, sort);
    // Strip the headers of files before anything else is read.
    else await sortInputs(job, await stripHeaders(known), sink, sort);
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
  const delivery = openDelivery(job, sink, {
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
