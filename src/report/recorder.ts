/** The recorder of a run: keeps spans and notes for --stats and passes progress on. Prints nothing. */
import type { Phase, Recorder, Span, Stage } from './stats.js';

/** What a run did, for the statistics. */
export interface Record {
  readonly spans: readonly Span[];
  readonly notes: readonly string[];
}

export type Advance = (phase: Phase, bytes: number, totalBytes?: number) => void;

/** A recorder and what it recorded. Spans are dropped unless `keepSpans`: a long run has a great many. */
export function createRecorder(keepSpans: boolean, advance: Advance): Recorder & Record {
  const spans: Span[] = [];
  const notes: string[] = [];
  return {
    spans,
    notes,
    advance,
    span(stage: Stage, start: number, bytes: number): void {
      if (keepSpans) spans.push({ stage, start, end: performance.now(), bytes });
    },
    note(sentence: string): void {
      if (keepSpans && !notes.includes(sentence)) notes.push(sentence);
    },
  };
}
