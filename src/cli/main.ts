/**
 * From arguments to exit status: parses the request, runs it and reports how it ended. Errors and help appear at once,
 * because the sort is loaded only if there is something to sort, and the cluster code only under --cluster.
 */

import type { ReportRequest, SortJob, When } from '../job/job.js';
import type { Explanation } from '../plan/explain.js';
import { runCleanups } from '../report/cleanup.js';
import { createRecorder, type Recorder } from '../report/recorder.js';
import { showWarnings, warn } from '../report/warnings.js';
import { type AtOnce, sortAtOnce } from '../run/at-once.js';
import { GpusortError } from '../system/errors.js';
import { isHeapSmall, lacksAddresses, lacksMemory, poolThreads } from '../system/limits.js';
import { quiet } from '../system/promises.js';
import { type CompleteJob, completeJob } from './complete-job.js';
import { GNU_NAME, programName, rawArguments } from './parse/argv.js';
import { surroundings } from './parse/environment.js';
import type { Form } from './parse/option-values.js';
import { namingOurs, warningWithOurs } from './parse/other-tools.js';
import { requestedColor } from './presets.js';
import { type JobRequest, parseArguments, type Request, type TaskRequest } from './request.js';
import { refuseOwnDescriptors } from './terminal/descriptors.js';
import { isMessageLost, printError, printOutput, reportError, reportWarnings } from './terminal/messages.js';
import { createProgress } from './terminal/progress.js';
import {
  dieOf,
  diesLikeOthers,
  endsWithThis,
  installSignalHandlers,
  isDeadly,
  isIgnored,
  nodeOptions,
  passSignals,
  refuseDebugger,
  survivePipes,
} from './terminal/signals.js';

const TROUBLE = 2;
/** The exit status of --adapters if there is no GPU, although one is needed. */
const NO_GPU = 1;
const NOT_TRIED: AtOnce = { kind: 'left', piped: new Uint8Array(), target: null };

/**
 * Runs the command line. Resolves when all output has been flushed; the status is in process.exitCode. The result says
 * whether the code that V8 compiled is worth keeping: input was sorted, and V8 still has the options of the next start.
 */
export async function main(): Promise<boolean> {
  const name = programName();
  /** The value of --color; null: the command line has not been read to its end. */
  let given: When | null = null;
  const color = (): When => (given ??= requestedColor(rawArguments(), surroundings()));
  // After an unhandled error the state is unknown: nothing more may be written.
  process.on('uncaughtException', (error) => {
    fail(error, name, color());
    process.exit();
  });
  // Called if nothing is left that could settle the promise that main() waits for.
  const endedEarly = (): void => {
    fail(new Error('the program ended before its work was done'), name, color());
    process.exit();
  };
  process.once('beforeExit', endedEarly);
  showWarnings((sentence) =>
    reportWarnings([`warning: ${warningWithOurs(sentence, rawArguments(), name)}`], name, color()),
  );
  refuseOwnDescriptors();
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    installSignalHandlers();
    limitPool();
  };
  try {
    const request = parseArguments(rawArguments(), { ...surroundings(), recognizes: name !== GNU_NAME });
    // Until this ends, signals have their default effects, except while it replaces a file.
    const attempt = isSimple(request) ? sortAtOnce(request.job, mayWait, begin) : NOT_TRIED;
    if (attempt.kind === 'done') return true;
    if (request.action !== 'sort' && request.action !== 'cluster-task') {
      await inform(request, name);
      return false;
    }
    begin();
    given = (request.action === 'sort' ? request.job.report : request).color;
    if (lacksMemory()) {
      throw new GpusortError('out-of-memory', 'memory exhausted: the limits of this process leave too little', {
        hint: 'Raise the limits (ulimit -v, ulimit -d).',
      });
    }
    const status = await (await import('./terminal/restart.js')).restartIfNeeded(request, attempt);
    if (status !== null) {
      process.exitCode = status;
      return false;
    }
    if (request.action === 'cluster-task') {
      process.exitCode = await runOneTask(request);
      return false;
    }
    reportWarnings(request.warnings, name, given);
    (await import('./terminal/named-input.js')).noteNamedInput(request.job);
    process.exitCode = await sort(await completeJob(request, attempt));
    const { mode, report, cluster } = request.job;
    return mode === 'sort' && report.explain === 'no' && cluster === null && !isHeapSmall();
  } catch (error) {
    begin();
    // Cleanups close files. The report may load a part of the program, which fails if too many files are open.
    runCleanups();
    // Words of other tools may also be file names, such as SORT_ORDER=coordinate.
    fail(namingOurs(error, rawArguments(), name), name, color());
  } finally {
    process.off('beforeExit', endedEarly);
    if (begun) refuseDebugger();
    if (isMessageLost()) process.exitCode = TROUBLE;
  }
  return false;
}

/** Whether a request is already complete: no file must be read for it, and there is nothing to report. */
function isSimple(request: Request): request is JobRequest {
  return (
    request.action === 'sort' && !request.guesses && request.namesFrom === undefined && request.warnings.length === 0
  );
}

/**
 * Whether this process may block in a system call: a signal must still end it, and it must not have to restart, which
 * would lose what it has read.
 */
const mayWait = (): boolean =>
  !lacksMemory() && !lacksAddresses() && process.env.GPUSORT_HUGE_PAGES !== 'always' && diesLikeOthers();

/**
 * Lowers the number of I/O threads to the number that the user may start. libuv starts all of them at its first read,
 * or aborts.
 */
function limitPool(): void {
  if (poolThreads() < Number(process.env.UV_THREADPOOL_SIZE)) process.env.UV_THREADPOOL_SIZE = String(poolThreads());
}

async function inform(request: Exclude<Request, JobRequest | TaskRequest>, name: string): Promise<void> {
  switch (request.action) {
    case 'help':
      return printOutput((await import('./help/help.js')).helpText(name, request.topic, rawArguments()));
    case 'version':
      return printOutput((await import('./help/version.js')).versionText());
    case 'completions':
      return printOutput((await import('./help/completions.js')).completionScript(request.shell));
    case 'adapters':
      return printAdapters(request.form, request.needsGpu);
  }
}

async function printAdapters(form: Form, needsGpu: boolean): Promise<void> {
  const { adapterBlocks, listAdapters } = await import('../engines/gpu/device/adapters.js');
  const list = await listAdapters();
  if (needsGpu && !list.isUsable) process.exitCode = NO_GPU;
  if (form === 'json') {
    printOutput(`${JSON.stringify(list.adapters)}\n`);
    if (list.problem !== null) warn(list.problem[0].toLowerCase() + list.problem.slice(1));
    return;
  }
  const { note } = (await import('../cluster/devices.js')).placeOnDevices();
  printOutput(joined([...adapterBlocks(list), ...(note === null ? [] : [`--cluster local:N: ${note}`])]));
}

/** Returns the exit status: 0, or 1 if -c or -C found the input out of order. */
async function sort({ job, sources, target }: CompleteJob): Promise<number> {
  if (job.report.explain !== 'no') {
    const { lines, json } = await explainSort(job);
    printOutput(job.report.explain === 'json' ? `${JSON.stringify(json)}\n` : joined(lines));
    return 0;
  }
  if (job.cluster !== null && (await distribute(job))) return 0;
  if (runsPrograms(job)) survivePipes();
  const { runJob } = await import('../run/run-job.js');
  const { PROGRAM } = await import('../run/caller.js');
  try {
    return await observed(job, async (recorder) => {
      (await import('./terminal/huge-pages.js')).notePages(recorder);
      return runJob(job, recorder, { ...PROGRAM, sources, target, expectPrograms: survivePipes });
    });
  } catch (error) {
    if (job.check.quiet && error instanceof GpusortError && error.code === 'disorder') return error.exitCode;
    throw error;
  }
}

/**
 * Whether the sort may write to programs that compress or decompress. Such programs end early if they refuse their
 * input.
 */
const runsPrograms = ({ input, output, resources }: SortJob): boolean =>
  input.decompress ||
  output.compression !== null ||
  output.duplicates?.compression != null ||
  resources.compressProgram !== null;

/** Sorts on a cluster. Returns false if the input is so small that this process should sort it. */
async function distribute(job: SortJob): Promise<boolean> {
  const { runCluster } = await import('../cluster/client.js');
  // A scheduler's command may also end before it has read its input.
  survivePipes();
  const interrupted = new AbortController();
  // Tasks must end before this process dies. After a second signal, it does not wait for them.
  const undo = passSignals((signal) => {
    if (interrupted.signal.aborted && isDeadly(signal)) dieOf(signal);
    interrupted.abort(signal);
  });
  const lines: string[] = [];
  let isDone = false;
  try {
    await observed(job, async (recorder) => {
      isDone = await runCluster(job, recorder, {
        signal: interrupted.signal,
        command: [process.execPath, ...nodeOptions(), process.argv[1]],
        environment: endsWithThis(),
        print: (line) => lines.push(line),
      });
      return 0;
    });
  } catch (error) {
    const signal = interrupted.signal.reason as unknown;
    if (typeof signal !== 'string' || !isDeadly(signal)) throw error;
    if (error !== signal) reportError(error, programName(), job.report.color);
    dieOf(signal);
  } finally {
    undo();
  }
  printOutput(joined(lines));
  return isDone;
}

async function explainSort(job: SortJob): Promise<Explanation> {
  return job.cluster === null
    ? (await import('../run/decide.js')).explainJob(job)
    : (await import('../cluster/explain.js')).explainCluster(job);
}

/** Returns the exit status 0. */
async function runOneTask(request: TaskRequest): Promise<number> {
  const { task, overrides, temporaryDirectory, stats, progress } = request;
  const { runTask } = await import('../cluster/tasks.js');
  survivePipes();
  // A task writes files only.
  return observed(
    { mode: 'sort', output: { file: task, mates: [], duplicates: null }, report: { stats, progress } },
    async (recorder) => {
      await runTask(task, overrides, temporaryDirectory, recorder);
      return 0;
    },
  );
}

/** The parts of a job that progress and statistics need. */
interface ObservedJob {
  readonly mode: SortJob['mode'];
  readonly output: Pick<SortJob['output'], 'file' | 'mates' | 'duplicates'>;
  readonly report: Pick<ReportRequest, 'stats' | 'progress'>;
}

/** Does the work with the requested progress line and statistics. Returns the work's exit status. */
async function observed(job: ObservedJob, work: (recorder: Recorder) => Promise<number>): Promise<number> {
  const { stats } = job.report;
  const print = typeof stats === 'object' ? await drawing(stats.drawing, job.output) : printError;
  const progress = createProgress(job);
  const recorder = createRecorder(progress.advance, { keepsSpans: stats !== 'no' });
  const report = async (exitCode: number): Promise<void> => {
    progress.stop();
    if (stats !== 'no') await print(await statsOf(stats, recorder, exitCode));
  };
  let exitCode: number;
  try {
    exitCode = await work(recorder);
  } catch (error) {
    // An error of the sort takes precedence over an error of its statistics.
    await quiet(report(error instanceof GpusortError ? error.exitCode : TROUBLE));
    throw error;
  }
  await report(exitCode);
  return exitCode;
}

async function drawing(name: Buffer, output: ObservedJob['output']): Promise<(text: string) => Promise<void>> {
  const { openDrawing, outputsOf } = await import('./drawing.js');
  return openDrawing(name, outputsOf(output)).write;
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The statistics as text, JSON or a drawing. */
async function statsOf(
  form: Exclude<ReportRequest['stats'], 'no'>,
  record: ReturnType<typeof createRecorder>,
  exitCode: number,
): Promise<string> {
  const { statsJson, statsText } = await import('../report/print-stats.js');
  const { packageVersion } = await import('../system/installed.js');
  const totals = {
    version: packageVersion(),
    wall: performance.now(),
    exitCode,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  };
  if (typeof form === 'object') return (await import('../report/print-stats.js')).drawTimeline(record, totals);
  return form === 'json' ? statsJson(record, totals) : statsText(record, totals, process.stderr.columns);
}

/**
 * Cleans up and reports the error. After a write to a closed pipe, the process dies of PIPE instead, and at a limit on
 * file sizes it dies of XFSZ, unless these signals are ignored. XFSZ may arrive before its handler is installed.
 */
function fail(error: unknown, name: string, color: When): void {
  if (error instanceof GpusortError && error.code === 'broken-pipe' && !isIgnored('SIGPIPE')) dieOf('SIGPIPE');
  const { code } = ((error as Error | null)?.cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'EFBIG' && !isIgnored('SIGXFSZ')) dieOf('SIGXFSZ');
  runCleanups();
  process.exitCode = error instanceof GpusortError ? error.exitCode : TROUBLE;
  reportError(error, name, color);
}
