/** Prints the statistics of a run as text and as JSON. */
import type { Record } from './recorder.js';
import type { Traffic } from './stats.js';
import { type TieStatistics, tieSentences } from './ties.js';
import { drawBar, type StageSummary, summarise } from './timeline.js';
import { formatBytes, formatRate, formatTime } from './units.js';
import { verifiedJson, verifiedSentences } from './verified.js';

/** Increased when a field of the JSON changes its meaning or disappears. */
const SCHEMA_VERSION = 1;
/** In characters. */
const BAR_WIDTH = 32;

/** Totals known only at the end of the run. */
export interface Totals {
  readonly version: string;
  /** Milliseconds since the process started. */
  readonly wall: number;
  readonly peakMemoryBytes: number;
  readonly exitCode: number;
}

/** A line for each stage with a bar of its busy times, then the totals and the notes. */
export function statsText(record: Record, totals: Totals): string {
  const rows = summarise(record.spans).map((stage) => [
    stage.stage,
    formatTime(stage.firstStart),
    formatTime(stage.lastEnd),
    formatTime(stage.busy),
    formatTime(waiting(stage)),
    formatBytes(stage.bytes),
    formatRate(stage.bytes, stage.busy),
    `|${drawBar(stage.stretches, totals.wall, BAR_WIDTH).padEnd(BAR_WIDTH)}|`,
  ]);
  const table = [['stage', 'from', 'to', 'busy', 'waiting', 'bytes', 'rate', 'when'], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const alignRight = (column: number): boolean => column > 0 && column < 7;
  const lines = table.map((row) =>
    row
      .map((cell, column) => (alignRight(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd(),
  );
  lines.push(`total ${formatTime(totals.wall)}, peak memory ${formatBytes(totals.peakMemoryBytes)}`);
  const ties = record.tieStatistics === null ? [] : tieSentences(record.tieStatistics);
  const traffic = record.deviceTraffic === null ? [] : [trafficSentence(record.deviceTraffic)];
  const verified = record.verification === null ? [] : verifiedSentences(record.verification);
  return [...lines, ...[...record.notes, ...traffic, ...ties, ...verified].map((note) => `- ${note}`)]
    .map((line) => `${line}\n`)
    .join('');
}

/** One object on one line; names include the units. */
export function statsJson(record: Record, totals: Totals): string {
  const stages = summarise(record.spans).map((stage) => ({
    stage: stage.stage,
    spans: stage.spans,
    first_start_ms: round(stage.firstStart),
    last_end_ms: round(stage.lastEnd),
    busy_ms: round(stage.busy),
    waiting_ms: round(waiting(stage)),
    bytes: stage.bytes,
    gb_per_s: stage.busy > 0 ? round(stage.bytes / stage.busy / 1e6) : null,
    busy_from_to_ms: stage.stretches.map((stretch) => stretch.map(round)),
  }));
  return `${JSON.stringify({
    schema_version: SCHEMA_VERSION,
    gpusort_version: totals.version,
    exit_status: totals.exitCode,
    wall_ms: round(totals.wall),
    peak_memory_bytes: totals.peakMemoryBytes,
    stages,
    ...(record.deviceTraffic === null ? {} : { device: trafficJson(record.deviceTraffic) }),
    ...(record.tieStatistics === null ? {} : { ties: tiesJson(record.tieStatistics) }),
    ...(record.verification === null ? {} : { verification: verifiedJson(record.verification) }),
    notes: record.notes,
  })}\n`;
}

/** `device: 10.0 GB sent, 10.1 GB read back`. */
function trafficSentence({ sentBytes, readBackBytes }: Traffic): string {
  return `device: ${formatBytes(sentBytes)} sent, ${formatBytes(readBackBytes)} read back`;
}

function trafficJson({ sentBytes, readBackBytes }: Traffic): object {
  return { sent_bytes: sentBytes, read_back_bytes: readBackBytes };
}

function tiesJson(ties: TieStatistics): object {
  return {
    records: ties.records,
    key_bytes: ties.keyBytes,
    tied: ties.tied,
    refinement_rounds: ties.rounds,
    block_sort_text_reads: ties.blockReads,
    merge_text_reads: ties.mergeReads,
    runs_by_log2_length: ties.runs,
    longest_run: ties.longestRun,
    shared_bytes: ties.sharedBytes,
  };
}

/** Milliseconds between a stage's first and last span in which no span was in progress. */
function waiting(stage: StageSummary): number {
  return stage.lastEnd - stage.firstStart - stage.busy;
}

/** Rounds to a thousandth. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
