/** The recorder of a run: keeps spans and notes for --stats and passes on progress. Prints nothing. */
import { addMerges, type MergeStatistics } from './merges.js';
import type { Recorder, Span, Stage, Traffic } from './stats.js';
import { addTies, type TieStatistics } from './ties.js';
import type { Verified } from './verified.js';

/** What a run did, for the statistics. */
export interface Record {
  readonly spans: readonly Span[];
  readonly notes: readonly string[];
  /** The sum over all string sorts; null: nothing was reported. */
  readonly tieStatistics: TieStatistics | null;
  /** The sum over all sorts by tiles; null: there was none. */
  readonly mergeStatistics: MergeStatistics | null;
  /** The sum over all GPUs; null: none was used. */
  readonly deviceTraffic: Traffic | null;
  /** Null: --verify was not given, or failed. */
  readonly verification: Verified | null;
}

export type Advance = Recorder['advance'];

/** A recorder and its record. Keeps spans only if `keepsSpans`, because a long run has very many. */
export function createRecorder(keepsSpans: boolean, advance: Advance): Recorder & Record {
  const spans: Span[] = [];
  const notes: string[] = [];
  let tieStatistics: TieStatistics | null = null;
  let mergeStatistics: MergeStatistics | null = null;
  let deviceTraffic: Traffic | null = null;
  let verification: Verified | null = null;
  return {
    spans,
    notes,
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
    traffic({ sentBytes, readBackBytes }: Traffic): void {
      if (!keepsSpans) return;
      deviceTraffic = {
        sentBytes: sentBytes + (deviceTraffic?.sentBytes ?? 0),
        readBackBytes: readBackBytes + (deviceTraffic?.readBackBytes ?? 0),
      };
    },
  };
}
