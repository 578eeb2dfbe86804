/**
 * What a run did and when: every stage reports its spans here; --stats prints them. Knows no stage by itself.
 */

export type Stage = 'start' | 'read' | 'upload' | 'order' | 'merge' | 'read-back' | 'write';

export type Phase = 'reading' | 'writing' | 'checking';

export interface Span {
  readonly stage: Stage;
  /** Milliseconds since the process started. */
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

export interface Recorder {
  /** Records a span that began at `start` (performance.now()) and ends now. */
  span(stage: Stage, start: number, bytes: number): void;
  /** For the progress bar: `bytes` more are done of a phase; `totalBytes` where it is known. */
  advance(phase: Phase, bytes: number, totalBytes?: number): void;
  /** A sentence for --stats, such as why an engine was given up. */
  note(sentence: string): void;
}
