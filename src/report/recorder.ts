/** The recorder of a run: keeps spans and notes for --stats and passes on progress. Prints nothing. */

import type { Verified } from './digest.js';
import { addMerges, type MergeStatistics } from './merges.js';
import { addTies, type TieStatistics } from './ties.js';

/**
 * The passes of a GPU, timed by the device: `keys` adds keys to lines, `sort` orders chunks and settles long ties,
 * `combine` merges slices of runs.
 */
export type DeviceStage = 'inflate' | 'tokenize' | 'keys' | 'prefix' | 'sort' | 'combine' | 'gather' | 'deflate';

/**
 * The host times the other stages. `order` and `merge` are all the work of an engine that reports no finer stages;
 * `spill` and `reload` are writing and reading temporary files.
 */
export type Stage =
  | 'start'
  | 'read'
  | 'upload'
  | DeviceStage
  | 'order'
  | 'spill'
  | 'reload'
  | 'merge'
  | 'read-back'
  | 'write';

export interface Span {
  readonly stage: Stage;
  /** Milliseconds since the process started. */
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** Bytes sent to and read back from a device: texts and all other data, without commands. */
export interface Traffic {
  readonly sentBytes: number;
  readonly readBackBytes: number;
}

/** How many tasks of a distributed sort are done, and how many there are. */
export interface TaskCount {
  readonly done: number;
  readonly all: number;
}

/** What records lack (src/keys/presence.ts), in memory shared by threads. */
export interface Presence {
  /** A number for each key part that is watched. Its bits show whether any record has the part, or lacks it. */
  readonly parts: Int32Array;
  /** The number of lines that are not JSON. */
  readonly invalid: BigInt64Array;
}

/** Receives the reports of a run: every stage reports its spans, and --stats prints them. */
export interface Recorder {
  /** Whether spans are kept; if not, there is no need to measure them. */
  readonly keepsSpans: boolean;
  /** Records a span from `start` to `end` (performance.now()); `end` defaults to now. */
  span(stage: Stage, start: number, bytes: number, end?: number): void;
  /**
   * Updates the progress line: `bytes` more bytes of a phase are done. `totalBytes`: the bytes of the whole phase, if
   * known. A call with 0 bytes announces the phase. `tasks`: given for a phase that consists of tasks.
   */
  advance(phase: Phase, bytes: number, totalBytes?: number, tasks?: TaskCount): void;
  /** A sentence for --stats, for example why an engine was abandoned. */
  note(sentence: string): void;
  /** The ties of a string sort, which are added to earlier ones. */
  ties(ties: TieStatistics): void;
  /** The merges of a sort by tiles, which are added to earlier ones. */
  merges(merges: MergeStatistics): void;
  /** Traffic between the host and a GPU, which is added to earlier traffic. */
  traffic(traffic: Traffic): void;
  /** The kernels that ran on a GPU, with their variants; they are added to earlier ones. */
  kernels(labels: Iterable<string>): void;
  /** Watches this many parts of the keys, from the first one on. */
  watchParts(count: number): void;
  /** The bits of the parts that are watched; null: none are watched. Code that makes keys sets the bits. */
  readonly presence: Presence | null;
  /** The result of --verify. */
  verified(verified: Verified): void;
}

/** The record of a run, for the statistics. */
export interface Record {
  readonly spans: readonly Span[];
  readonly notes: readonly string[];
  /** The sum over all string sorts; null: nothing was reported. */
  readonly tieStatistics: TieStatistics | null;
  /** The sum over all sorts by tiles; null: there was none. */
  readonly mergeStatistics: MergeStatistics | null;
  /** The sum over all GPUs; null: none was used. */
  readonly deviceTraffic: Traffic | null;
  /** The kernels that ran on GPUs. */
  readonly deviceKernels: ReadonlySet<string>;
  /** Null: --verify was not given, or failed. */
  readonly verification: Verified | null;
}

export type Advance = Recorder['advance'];

/** A recorder and its record. Spans are kept only if `keepsSpans`, because a long run has very many. */
export function createRecorder(
  advance: Advance,
  { keepsSpans = false }: { readonly keepsSpans?: boolean } = {},
): Recorder & Record {
  const spans: Span[] = [];
  const notes: string[] = [];
  let tieStatistics: TieStatistics | null = null;
  let mergeStatistics: MergeStatistics | null = null;
  let deviceTraffic: Traffic | null = null;
  const deviceKernels = new Set<string>();
  let verification: Verified | null = null;
  let presence: Presence | null = null;
  return {
    spans,
    notes,
    deviceKernels,
    keepsSpans,
    advance,
    get tieStatistics() {
      return tieStatistics;
    },
    get mergeStatistics() {
      return mergeStatistics;
    },
    get deviceTraffic() {
      return deviceTraffic;
    },
    get verification() {
      return verification;
    },
    get presence() {
      return presence;
    },
    watchParts(count: number): void {
      presence =
        count === 0
          ? null
          : {
              parts: new Int32Array(new SharedArrayBuffer(4 * count)),
              invalid: new BigInt64Array(new SharedArrayBuffer(8)),
            };
    },
    verified(found: Verified): void {
      verification = found;
    },
    span(stage: Stage, start: number, bytes: number, end = performance.now()): void {
      if (keepsSpans) spans.push({ stage, start, end, bytes });
    },
    note(sentence: string): void {
      if (keepsSpans && !notes.includes(sentence)) notes.push(sentence);
    },
    ties(ties: TieStatistics): void {
      if (keepsSpans) tieStatistics = tieStatistics === null ? ties : addTies(tieStatistics, ties);
    },
    merges(merges: MergeStatistics): void {
      if (keepsSpans) mergeStatistics = mergeStatistics === null ? merges : addMerges(mergeStatistics, merges);
    },
    kernels(labels: Iterable<string>): void {
      if (!keepsSpans) return;
      for (const label of labels) deviceKernels.add(label);
    },
    traffic({ sentBytes, readBackBytes }: Traffic): void {
      if (!keepsSpans) return;
      deviceTraffic = {
        sentBytes: sentBytes + (deviceTraffic?.sentBytes ?? 0),
        readBackBytes: readBackBytes + (deviceTraffic?.readBackBytes ?? 0),
      };
    },
  };
}

/** `sorting` begins when all input is read: before that, chunks are sorted as they arrive. */
export type Phase = 'reading' | 'sorting' | 'merging' | 'writing' | 'checking';
