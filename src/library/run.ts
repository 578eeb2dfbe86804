/**
 * One sort of the library: from the caller's arguments to a job, and from its end to a result or an error. Leaves the
 * process as it is: sets no signal handler, no exit status and no option of V8, and prints nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { surroundings } from '../cli/parse/environment.js';
import { type JobRequest, parseArguments, refuseValues } from '../cli/request.js';
import { guessFormat } from '../input/guess-format.js';
import type { SortJob } from '../job/job.js';
import { statsObject } from '../report/print-stats.js';
import { type Advance, createRecorder, type Phase, type Record, type Recorder } from '../report/recorder.js';
import type { Statistics } from '../report/statistics.js';
import { findWarnings, Warnings } from '../report/warnings.js';
import type { TakeGpu } from '../run/caller.js';
import { runJob } from '../run/run-job.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError, internalError, isOutOfMemory, systemText } from '../system/errors.js';
import { packageVersion } from '../system/installed.js';
import { lacksAddresses, lacksMemory, TRAP_OPTION } from '../system/limits.js';
import { Callbacks, CallerError } from './callbacks.js';
import { inLibraryWords } from './hints.js';
import { independentArguments, isPath, optionArguments, pathArgument, refuseSettings } from './options.js';
import { inputPaths, type OutputStream, openOutput, streamReader } from './streams.js';
import { RecordTally } from './tally.js';
import type { PathLike, SortInput, SortOutput, SortResult, SortSettings, StreamInput } from './types.js';

/** The warnings of each sort: several may run at once. */
const warningsOfRun = new AsyncLocalStorage<Warnings>();
findWarnings(() => warningsOfRun.getStore());

/** What a stream or an iteration needs of its sort. */
export interface SortControl {
  /** Ends the sort, like the signal of the settings. */
  readonly stop?: AbortSignal;
  /** Gets the job before its records are read. What it throws ends the sort. */
  onJob?(job: SortJob): void;
}

/**
 * Sorts `input` into `output`. In every case, the caller's streams are completed or destroyed afterwards.
 */
export async function runSort(
  input: SortInput,
  output: SortOutput,
  settings: SortSettings,
  takeGpu: TakeGpu,
  { stop, onJob }: SortControl = {},
): Promise<SortResult> {
  const callbacks = new Callbacks(settings.signal, stop);
  const { signal } = callbacks;
  let reader: ByteSource | undefined;
  let stream: OutputStream | undefined;
  try {
    let paths: readonly PathLike[] | null;
    try {
      if (output !== null && !isPath(output)) stream = openOutput(output, signal);
    } finally {
      // The input must be released even if the output is refused.
      paths = inputPaths(input);
      if (paths === null) reader = streamReader(input as StreamInput);
    }
    refuseSettings(settings);
    signal.throwIfAborted();
    refuseLimits();
    const request = requestOf(paths?.map(pathArgument) ?? ['-'], output, settings);
    const tally = new RecordTally();
    return await observed(settings, { callbacks, tally }, async (recorder) => {
      const { job, source } = await complete(request, reader, signal);
      onJob?.(job);
      const sources = new Map(source && [[job.input.files[0], source]]);
      await runJob(job, recorder, {
        ...{ sources, output: stream?.destination ?? null, signal, takeGpu, tally },
        target: null,
        ownsProcess: false,
      });
    });
  } catch (error) {
    const reason = explained(reasonOf(error, signal), input);
    stream?.fail(reason);
    throw reason;
  } finally {
    callbacks.close();
    reader?.close();
  }
}

/** Presets in the environment are for the command, not for the library. */
const CONVENTIONS = { programName: 'gpusort', posixlyCorrect: false, presets: undefined };

/** Throws `usage` if the library refuses the settings that all sorts of a sorter share. Each sort may extend them. */
export function refuseCommon({ signal, onProgress, onWarning, statistics, ...options }: SortSettings): void {
  refuseSettings({ signal, onProgress, onWarning, statistics });
  try {
    refuseValues(independentArguments(options), { ...surroundings(), ...CONVENTIONS });
  } catch (error) {
    throw error instanceof GpusortError ? inLibraryWords(error) : error;
  }
}

/** The request that the command would make of these arguments. Throws `usage`. */
function requestOf(inputs: readonly string[], output: SortOutput, settings: SortSettings): JobRequest {
  const { signal, onProgress, onWarning, statistics, ...options } = settings;
  if ((output === null) !== Boolean(options.check))
    throw new GpusortError('usage', output === null ? 'no output' : 'check writes no output: give null');
  const argv = [
    ...optionArguments(options),
    ...(statistics ? ['--stats=json'] : []),
    ...(isPath(output) ? [`--output=${pathArgument(output)}`] : []),
    '--',
    ...inputs,
  ];
  const request = parseArguments(argv, { ...surroundings(), ...CONVENTIONS });
  if (request.action !== 'sort') throw internalError(`the options request ${request.action}`);
  return request;
}

/** The job and, if its first input is a stream, a reader of all of it. */
async function complete(
  { job, guesses, completed }: JobRequest,
  reader: ByteSource | undefined,
  signal: AbortSignal | undefined,
): Promise<{ readonly job: SortJob; readonly source: ByteSource | undefined }> {
  if (!guesses) return { job, source: reader };
  const { format, source } = await guessFormat(job.input.files[0], reader, signal);
  return { job: completed(job.input.files, format), source };
}

/** Does the work of a sort, reports on it as the settings ask, and returns the result. */
async function observed(
  { onProgress, onWarning, statistics }: SortSettings,
  { callbacks, tally }: { readonly callbacks: Callbacks; readonly tally: RecordTally },
  work: (recorder: Recorder) => Promise<void>,
): Promise<SortResult> {
  const begin = performance.now();
  const warnings: string[] = [];
  const done = new Map<Phase, { bytes: number; totalBytes: number | null }>();
  const advance: Advance = (phase, bytes, totalBytes) => {
    callbacks.signal.throwIfAborted();
    const state = done.get(phase) ?? { bytes: 0, totalBytes: null };
    done.set(phase, state);
    state.bytes += bytes;
    state.totalBytes = totalBytes ?? state.totalBytes;
    if (onProgress !== undefined) callbacks.call(() => onProgress({ phase, ...state }));
  };
  const recorder = createRecorder(advance, { keepsSpans: statistics === true });
  const report = new Warnings((sentence) => {
    warnings.push(sentence);
    if (onWarning !== undefined) callbacks.call(() => onWarning(sentence));
  });
  await warningsOfRun.run(report, () => work(recorder));
  await callbacks.settled();
  const result = { bytes: done.get('writing')?.bytes ?? 0, records: tally.records, warnings };
  return statistics ? { ...result, statistics: statisticsSince(begin, recorder) } : result;
}

/** The statistics of a run, with times relative to `begin`. */
function statisticsSince(begin: number, record: Record): Statistics {
  const spans = record.spans.map((span) => ({ ...span, start: span.start - begin, end: span.end - begin }));
  return statsObject(
    { ...record, spans },
    {
      version: packageVersion(),
      wall: performance.now() - begin,
      exitCode: 0,
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    },
  );
}

/** The error with which the promise rejects. */
function reasonOf(thrown: unknown, signal: AbortSignal): unknown {
  const error = signal.aborted && !(thrown instanceof CallerError) ? signal.reason : thrown;
  if (error instanceof CallerError) return error.cause;
  if (signal.aborted) return error;
  if (error instanceof GpusortError) return inLibraryWords(error);
  if (isOutOfMemory(error))
    return new GpusortError('out-of-memory', 'memory exhausted', {
      cause: error,
      hint: 'Use a smaller bufferSize or parallel.',
    });
  const { code, message } = internalError(systemText(error));
  return new GpusortError(code, message, { cause: error, hint: 'Please report this, with the stack of its cause.' });
}

/** The reason. If text may have been given in place of file names, adds a remedy. */
function explained(reason: unknown, input: SortInput): unknown {
  if (!Array.isArray(input) || !(reason instanceof GpusortError) || reason.code !== 'cannot-read') return reason;
  return new GpusortError(reason.code, reason.message, {
    cause: reason.cause,
    hint: 'An array is a list of file names. To sort an array of texts, give Readable.from(array).',
  });
}

/** Throws `out-of-memory` if V8 would abort the process during a sort. */
function refuseLimits(): void {
  if (!lacksMemory() && !lacksAddresses()) return;
  throw new GpusortError('out-of-memory', 'memory exhausted: the limits of this process leave too little', {
    hint: `Raise the limits (ulimit -v, ulimit -d), or start Node with ${TRAP_OPTION}.`,
  });
}
