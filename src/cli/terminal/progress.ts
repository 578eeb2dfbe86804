/**
 * The progress line on standard error: the phase, its bytes and rate, and the remaining time of the whole sort.
 * cli-progress draws it, and is loaded only when the line is first shown.
 */
import type { Options, Params, SingleBar } from 'cli-progress';
import type { SortJob } from '../../job/job.js';
import { atExit } from '../../report/cleanup.js';
import type { Advance, Phase, TaskCount } from '../../report/recorder.js';
import { formatBytes, formatRate, formatSeconds } from '../../report/units.js';
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
/**
 * The passes over all bytes that a sort makes after each phase. They are expected to be as fast as this phase. -m and
 * -c have one pass.
 */
const LATER_PASSES: Readonly<Record<Phase, number>> = { reading: 1, sorting: 1, merging: 1, writing: 0, checking: 0 };

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

/** What a line shows. */
interface ProgressLine extends PhaseState {
  readonly laterPasses: number;
  /** The width of the terminal in characters; undefined if standard error is not a terminal. */
  readonly columns: number | undefined;
}

/** A progress line for the job, or one that does nothing if the job shows none. */
export function createProgress(job: ProgressSettings): Progress {
  if (!isShown(job)) return { advance: () => {}, stop: () => {} };
  const phases = new Map<Phase, PhaseState>();
  let current: PhaseState | undefined;
  let bar: SingleBar | undefined;
  let isStopped = false;

  const lineOf = (state: PhaseState): ProgressLine => {
    const laterPasses = job.mode === 'sort' ? LATER_PASSES[state.phase] : 0;
    return { ...state, laterPasses, columns: process.stderr.columns };
  };
  const refresh = (): void => {
    if (bar === undefined || current === undefined) return;
    bar.setTotal(current.totalBytes ?? current.bytes);
    bar.update(current.bytes, lineOf(current));
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
    bar.start(current.totalBytes ?? current.bytes, current.bytes, lineOf(current));
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
 * `reading  [=====     ]  1.2 GiB of 2 GiB  3.1 GiB/s  4 s left`. Without a total there is no bar and no time left;
 * before the first bytes there is only the phase and its total. On a narrow terminal, the bar is left out first.
 */
export function formatLine(_options: Options, _params: Params, line: ProgressLine): string {
  const { phase, start, firstBytes, bytes, totalBytes, tasks, columns = Infinity } = line;
  const name = phase.padEnd('checking'.length);
  if (bytes === 0) return totalBytes === undefined ? `${name}  ...` : `${name}  ${formatBytes(totalBytes)} ...`;
  const elapsed = performance.now() - start;
  const rate = formatRate(bytes - firstBytes, elapsed);
  if (totalBytes === undefined || totalBytes === 0) return `${name}  ${formatBytes(bytes)}  ${rate}`;
  const share = Math.min(1, bytes / totalBytes);
  const width = tasks === undefined ? BAR_WIDTH : SHORT_BAR_WIDTH;
  const filled = Math.round(share * width);
  const bar = `[${'='.repeat(filled)}${' '.repeat(width - filled)}]`;
  const counted = tasks === undefined ? '' : `${tasks.done} of ${tasks.all} tasks`;
  const done = `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
  const left =
    share >= LEAST_SHARE_FOR_GUESS && bytes > firstBytes ? remaining(line, elapsed / (bytes - firstBytes)) : '';
  const lines = [
    [name, bar, counted, done, rate, left],
    [name, counted, done, rate, left],
    [name, counted, done, left],
    [name, counted === '' ? done : counted, left],
    [name, left],
  ].map((parts) => parts.filter((part) => part !== '').join('  '));
  return lines.find((text) => text.length < columns) ?? name.trimEnd();
}

/** `12 s left`: the rest of this phase, and the later passes. Shorter times are not worth a guess. */
function remaining({ bytes, totalBytes, laterPasses }: ProgressLine, millisecondsPerByte: number): string {
  const rest = Math.max(0, totalBytes! - bytes) + laterPasses * totalBytes!;
  const seconds = (rest * millisecondsPerByte) / 1000;
  return seconds < 1 ? '' : `${formatSeconds(seconds)} left`;
}
