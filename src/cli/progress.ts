/**
 * The progress line on standard error: which phase, how much of it in bytes, how fast, how long still. Drawn by cli-progress,
 * which is loaded only when the line is first shown.
 */
import { isatty } from 'node:tty';
import type { Options, Params, SingleBar } from 'cli-progress';
import { fileSystem } from '../file-system.js';
import type { SortJob } from '../job.js';
import { atExit } from '../report/cleanup.js';
import type { Advance } from '../report/recorder.js';
import type { Phase } from '../report/stats.js';
import { formatBytes, formatRate, formatTime } from '../report/units.js';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Shorter runs show nothing. */
const DELAY_MS = 500;
const UPDATES_PER_SECOND = 8;
/** Between lines where standard error is no terminal (--progress always into a file). */
const LINE_INTERVAL_MS = 1000;
/** The time still to go is a guess before this much of a phase is done. */
const LEAST_SHARE_FOR_GUESS = 0.02;
const BAR_WIDTH = 24;

export interface Progress {
  readonly advance: Advance;
  /** Erases the line; nothing is shown after it. */
  stop(): void;
}

interface PhaseState {
  readonly phase: Phase;
  /** performance.now() at its first bytes. */
  readonly start: number;
  bytes: number;
  totalBytes: number | undefined;
}

/** A progress line for the job, or one that does nothing where it is not to be seen. */
export function createProgress(job: SortJob): Progress {
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
      stream: process.stderr, format: formatLine, fps: UPDATES_PER_SECOND, barsize: BAR_WIDTH, clearOnComplete: true, gracefulExit: false,
      noTTYOutput: job.progress === 'always', notTTYSchedule: LINE_INTERVAL_MS, emptyOnZero: true, forceRedraw: true,
    });
    process.stderr.on('error', () => {}); // a terminal that went away takes the line with it, not the sort
    bar.start(current.totalBytes ?? current.bytes, current.bytes, { ...current });
  };
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    bar?.stop();
    bar = undefined;
    forget();
  };
  // The first bytes may come before or after the delay is over.
  let isDue = false;
  const timer = setTimeout(() => { isDue = true; if (current !== undefined) void show(); }, DELAY_MS);
  timer.unref();
  const forget = atExit(stop);

  const advance: Advance = (phase, bytes, totalBytes) => {
    if (isStopped) return;
    let state = phases.get(phase);
    if (state === undefined) phases.set(phase, state = { phase, start: performance.now(), bytes: 0, totalBytes });
    state.bytes += bytes;
    state.totalBytes = totalBytes ?? state.totalBytes;
    const isFirst = current === undefined;
    // Segments are written while others are read: of two phases the line shows the one whose end is known, until that is reached.
    if (current === undefined || isOver(current) || state.totalBytes !== undefined) current = state;
    if (isFirst && isDue) void show();
    refresh();
  };
  return { advance, stop };
}

function isOver({ bytes, totalBytes }: PhaseState): boolean {
  return totalBytes !== undefined && bytes >= totalBytes;
}

/** Never beside the data on the same terminal, unless it is asked for. */
function isShown(job: SortJob): boolean {
  if (job.progress !== 'auto') return job.progress === 'always';
  if (!isatty(STANDARD_ERROR)) return false;
  const writesToTerminal = job.mode !== 'check' && job.output === null && isatty(STANDARD_OUTPUT);
  return !(writesToTerminal && fileSystem.fstatSync(STANDARD_OUTPUT).rdev === fileSystem.fstatSync(STANDARD_ERROR).rdev);
}

/** `reading  [=====     ]  1.20 GB of 2.00 GB  3.10 GB/s  0.3 s left`; without a total only what is done and how fast. */
export function formatLine(_options: Options, params: Params, payload: PhaseState): string {
  const { phase, start, bytes, totalBytes } = payload;
  const elapsed = performance.now() - start;
  const name = phase.padEnd('checking'.length);
  const rate = formatRate(bytes, elapsed);
  if (totalBytes === undefined || totalBytes === 0) return `${name}  ${formatBytes(bytes)}  ${rate}`;
  const done = Math.round(Math.min(1, params.progress) * BAR_WIDTH);
  const share = Math.min(1, bytes / totalBytes);
  const left = share >= LEAST_SHARE_FOR_GUESS ? `  ${formatTime(elapsed / share - elapsed)} left` : '';
  return `${name}  [${'='.repeat(done)}${' '.repeat(BAR_WIDTH - done)}]  ${formatBytes(bytes)} of ${formatBytes(totalBytes)}  ${rate}${left}`;
}
