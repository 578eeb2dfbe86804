/** Summarizes the spans of a stage, which may overlap: how long it was busy, and when. */
import type { Span, Stage } from './recorder.js';

export interface StageSummary {
  readonly stage: Stage;
  readonly spans: number;
  /** Milliseconds since the process started. */
  readonly firstStart: number;
  readonly lastEnd: number;
  /** Milliseconds during which at least one span was in progress. */
  readonly busy: number;
  readonly bytes: number;
  /** The busy times: start and end of each stretch, in order and disjoint. */
  readonly stretches: readonly (readonly [number, number])[];
}

/** A summary for each stage, ordered by the start of the stage. */
export function summarize(spans: readonly Span[]): StageSummary[] {
  const byStage = new Map<Stage, Span[]>();
  for (const span of spans) {
    const list = byStage.get(span.stage);
    if (list === undefined) byStage.set(span.stage, [span]);
    else list.push(span);
  }
  return [...byStage].map(([stage, list]) => summarizeStage(stage, list)).sort((a, b) => a.firstStart - b.firstStart);
}

function summarizeStage(stage: Stage, spans: Span[]): StageSummary {
  spans.sort((a, b) => a.start - b.start);
  const stretches: [number, number][] = [];
  let bytes = 0;
  for (const span of spans) {
    const last = stretches.at(-1);
    if (last !== undefined && span.start <= last[1]) last[1] = Math.max(last[1], span.end);
    else stretches.push([span.start, span.end]);
    bytes += span.bytes;
  }
  const busy = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
  return {
    stage,
    spans: spans.length,
    firstStart: stretches[0][0],
    lastEnd: stretches.at(-1)![1],
    busy,
    bytes,
    stretches,
  };
}

/** The share of time, 0 to 1, that the stage was busy in each of `count` equal parts of [0, total). */
export function busyShares(stretches: StageSummary['stretches'], total: number, count: number): Float64Array {
  const part = total / count;
  const shares = new Float64Array(count);
  for (const [start, end] of stretches) {
    const last = Math.min(count - 1, Math.floor(end / part));
    for (let i = Math.max(0, Math.floor(start / part)); i <= last; i++) {
      shares[i] += Math.max(0, Math.min(end, (i + 1) * part) - Math.max(start, i * part)) / part;
    }
  }
  return shares;
}

/**
 * A bar of `width` characters over [0, total): `#` if the stage was busy at least half the time, `.` if
 * less, a blank if idle.
 */
export function drawBar(stretches: StageSummary['stretches'], total: number, width: number): string {
  return Array.from(busyShares(stretches, total, width), (share) => (share >= 0.5 ? '#' : share > 0 ? '.' : ' '))
    .join('')
    .trimEnd();
}
