/**
 * The progress line on standard error: the phase, its bytes, rate and remaining time. cli-progress draws it, and is
 * loaded only when the line is first shown.
 */
import type { Options, Params, SingleBar } from 'cli-progress';
import type { SortJob } from '../../job/job.js';
import { atExit } from '../../report/cleanup.js';
import type { Advance, Phase, TaskCount } from '../../report/recorder.js';
import { formatBytes, formatRate, formatTime } from '../../report/units.js';
import { fileSystem, isTerminal } from '../../system/file-system.js';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Runs shorter than this show nothing. */
const DELAY_MS = 500;
const UPDATES_PER_SECOND = 8;
/** Interval between lines if standard error is not a terminal (--progress always into a file). */
const LINE_INTERVAL_MS = 1000;
/** The remaining time is shown once this fraction of a phase is done; before that, it would be a guess. */
const LEAST_SHARE_FOR_GUESS = 0.02;
const BAR_WIDTH = 24;
/** The width of the bar if the number of tasks is also shown. */
const SHORT_BAR_WIDTH = 12;

interface Progress {
  readonly advance: Advance;
  /** Erases the line permanently. */
  stop(): void;
}

/** The settings of a job that decide whether the line is shown. */
interface ProgressSettings {
  readonly mode: SortJob['mode'];
  readonly output: Pick<SortJob['output'], 'file'>;
  readonly report: Pick<SortJob['report'], 'progress'>;
}

interface PhaseState {
  readonly phase: Phase;
  /** performance.now() at the beginning of the phase. */
  readonly start: number;
  /** Bytes that were done when the phase was first shown; they are not included in its rate. */
  readonly firstBytes: number;
  bytes: number;
  totalBytes: number | undefined;
  tasks: TaskCount | undefined;
}

/** A progress line for the job, or one that does nothing if the job shows none. */
export function createProgress(job: ProgressSettings): Progress {
  if (!isShown(job)) return { advance: () => {}, stop: () => {} };
  const phases = new Map<Phase, PhaseState>();
  let current: PhaseState | undefined;
  let bar: SingleBar | undefined;
  let isStopped = false;

  const refresh = (): void => {
    if (bar === undefined || current === undefined) return;
    bar.setTotal(current.totalBytes ?? current.bytes);
    bar.update(current.bytes, { ...current });
  };
  const show = async (): Promise<void> => {
    const { SingleBar } = (await import('cli-progress')).default;
    if (isStopped || current === undefined) return;
    bar = new SingleBar({
      stream: process.stderr,
      format: formatLine,
      fps: UPDATES_PER_SECOND,
      barsize: BAR_WIDTH,
      clearOnComplete: true,
      gracefulExit: false,
      noTTYOutput: job.report.progress === 'always',
      notTTYSchedule: LINE_INTERVAL_MS,
      emptyOnZero: true,
      forceRedraw: true,
    });
    process.stderr.on('error', () => {}); // if the terminal goes away, the sort continues
    bar.start(current.totalBytes ?? current.bytes, current.bytes, { ...current });
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    bar?.stop();
    bar = undefined;
    forget();
  };
  // The first bytes may come before or after the end of the delay.
  let isDue = false;
  const timer = setTimeout(() => {
    isDue = true;
    if (current !== undefined) void show();
  }, DELAY_MS);
  timer.unref();
  const forget = atExit(stop);

  const advance: Advance = (phase, bytes, totalBytes, tasks) => {
    if (isStopped) return;
    let state = phases.get(phase);
    if (state === undefined)
      phases.set(phase, (state = { phase, start: performance.now(), firstBytes: bytes, bytes: 0, totalBytes, tasks }));
    state.bytes += bytes;
    state.totalBytes = totalBytes ?? state.totalBytes;
    state.tasks = tasks ?? state.tasks;
    const isFirst = current === undefined;
    // With segments, reading and writing overlap. The line shows the phase whose total is known, until it is complete.
    if (current === undefined || isOver(current) || state.totalBytes !== undefined) current = state;
    if (isFirst && isDue) void show();
    refresh();
  };
  return { advance, stop };
}

function isOver({ bytes, totalBytes }: PhaseState): boolean {
  return totalBytes !== undefined && bytes >= totalBytes;
}

/** Unless --progress always is given, the line is never shown on the terminal to which the data goes. */
function isShown(job: ProgressSettings): boolean {
  if (job.report.progress !== 'auto') return job.report.progress === 'always';
  if (!isTerminal(STANDARD_ERROR)) return false;
  const writesToTerminal = job.mode !== 'check' && job.output.file === null && isTerminal(STANDARD_OUTPUT);
  return !(
    writesToTerminal && fileSystem.fstatSync(STANDARD_OUTPUT).rdev === fileSystem.fstatSync(STANDARD_ERROR).rdev
  );
}

/**
 * `reading  [=====     ]  1.2 GiB of 2 GiB  3.1 GiB/s  0.3 s left`. Without a total there is no bar and no time left;
 * before the first bytes there is only the phase and its total.
 */
export function formatLine(_options: Options, _params: Params, payload: PhaseState): string {
  const { phase, start, firstBytes, bytes, totalBytes, tasks } = payload;
  const name = phase.padEnd('checking'.length);
  if (bytes === 0) return totalBytes === undefined ? `${name}  ...` : `${name}  ${formatBytes(totalBytes)} ...`;
  const elapsed = performance.now() - start;
  const rate = formatRate(bytes - firstBytes, elapsed);
  if (totalBytes === undefined || totalBytes === 0) return `${name}  ${formatBytes(bytes)}  ${rate}`;
  const share = Math.min(1, bytes / totalBytes);
  const width = tasks === undefined ? BAR_WIDTH : SHORT_BAR_WIDTH;
  const done = Math.round(share * width);
  const bar = `[${'='.repeat(done)}${' '.repeat(width - done)}]`;
  const counted = tasks === undefined ? '' : `  ${tasks.done} of ${tasks.all} tasks`;
  const left =
    share >= LEAST_SHARE_FOR_GUESS && bytes > firstBytes
      ? `  ${formatTime((elapsed / (bytes - firstBytes)) * Math.max(0, totalBytes - bytes))} left`
      : '';
  return `${name}  ${bar}${counted}  ${formatBytes(bytes)} of ${formatBytes(totalBytes)}  ${rate}${left}`;
}
