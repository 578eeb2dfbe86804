/**
 * What a run did and when: every stage reports its spans here; --stats prints them. Knows no stage by itself.
 */
import type { TieStatistics } from './ties.js';
import type { Verified } from './verified.js';

/** What the passes of a GPU do, timed by the device: keys are put before lines, sort orders chunks and settles long ties, combine merges slices of runs. */
export type DeviceStage = 'tokenize' | 'keys' | 'prefix' | 'sort' | 'combine' | 'gather';

/**
 * The others are timed by the host: order and merge are all that an engine does, where nothing finer is known; spill and
 * reload are what temporary files are written and read.
 */
export type Stage = 'start' | 'read' | 'upload' | DeviceStage | 'order' | 'spill' | 'reload' | 'merge' | 'read-back' | 'write';

export type Phase = 'reading' | 'writing' | 'checking';

export interface Span {
  readonly stage: Stage;
  /** Milliseconds since the process started. */
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** Bytes that were sent to a device and read back from it: texts and all else that is no command. */
export interface Traffic {
  readonly sentBytes: number;
  readonly readBackBytes: number;
}

export interface Recorder {
  /** Whether spans are kept: otherwise nothing needs to be measured for them. */
  readonly keepsSpans: boolean;
  /** Records a span from `start` to `end` (performance.now()), which is now unless said. */
  span(stage: Stage, start: number, bytes: number, end?: number): void;
  /** For the progress bar: `bytes` more are done of a phase; `totalBytes` where it is known. */
  advance(phase: Phase, bytes: number, totalBytes?: number): void;
  /** A sentence for --stats, such as why an engine was given up. */
  note(sentence: string): void;
  /** How ties went in a sort of strings; added to what was told before. */
  ties(ties: TieStatistics): void;
  /** What crossed between the host and a GPU; added to what was told before. */
  traffic(traffic: Traffic): void;
  /** What --verify found. */
  verified(verified: Verified): void;
}
