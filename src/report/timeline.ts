/** Spans of time of one stage, several of which may be under way at once: how long it was busy, and when. */
import type { Span, Stage } from './stats.js';

export interface StageSummary {
  readonly stage: Stage;
  readonly spans: number;
  /** Milliseconds since the process started. */
  readonly firstStart: number;
  readonly lastEnd: number;
  /** Milliseconds during which at least one span was under way. */
  readonly busy: number;
  readonly bytes: number;
  /** The times of `busy`: start and end of each stretch, in order, none touching the next. */
  readonly stretches: readonly (readonly [number, number])[];
}

/** One summary a stage, in the order in which the stages began. */
export function summarise(spans: readonly Span[]): StageSummary[] {
  const byStage = new Map<Stage, Span[]>();
  for (const span of spans) {
    const list = byStage.get(span.stage);
    if (list === undefined) byStage.set(span.stage, [span]);
    else list.push(span);
  }
  return [...byStage].map(([stage, list]) => summariseStage(stage, list)).sort((a, b) => a.firstStart - b.firstStart);
}

function summariseStage(stage: Stage, spans: Span[]): StageSummary {
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
  return { stage, spans: spans.length, firstStart: stretches[0][0], lastEnd: stretches.at(-1)![1], busy, bytes, stretches };
}

/**
 * The stage's stretches as a bar of `width` characters over [0, total): `#` where it was busy for at least half of the
 * character's time, `.` where for less, a blank where idle.
 */
export function drawBar(stretches: StageSummary['stretches'], total: number, width: number): string {
  const cell = total / width;
  const busy = new Float64Array(width);
  for (const [start, end] of stretches) {
    const last = Math.min(width - 1, Math.floor(end / cell));
    for (let i = Math.max(0, Math.floor(start / cell)); i <= last; i++) {
      busy[i] += Math.max(0, Math.min(end, (i + 1) * cell) - Math.max(start, i * cell));
    }
  }
  return Array.from(busy, time => time >= cell / 2 ? '#' : time > 0 ? '.' : ' ').join('').trimEnd();
}
