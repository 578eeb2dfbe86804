/** Prints the statistics of a run as text and as JSON. */
import { type MergeStatistics, mergeSentence } from './merges.js';
import type { Record } from './recorder.js';
import { SCHEMA_VERSION } from './schema.js';
import type { Statistics, TiesStatistics, TilesStatistics } from './statistics.js';
import type { Traffic } from './stats.js';
import { type TieStatistics, tieSentences } from './ties.js';
import { drawBar, type StageSummary, summarise } from './timeline.js';
import { formatBytes, formatRate, formatTime } from './units.js';
import { verifiedJson, verifiedSentences } from './verified.js';

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
  const merges = record.mergeStatistics === null ? [] : [mergeSentence(record.mergeStatistics)];
  const traffic = record.deviceTraffic === null ? [] : [trafficSentence(record.deviceTraffic)];
  const verified = record.verification === null ? [] : verifiedSentences(record.verification);
  return [...lines, ...[...record.notes, ...traffic, ...ties, ...merges, ...verified].map((note) => `- ${note}`)]
    .map((line) => `${line}\n`)
    .join('');
}

/** One object on one line, with the fields of docs/json.md. */
export function statsJson(record: Record, totals: Totals): string {
  return `${JSON.stringify(statsObject(record, totals))}\n`;
}

/** The fields of docs/json.md. */
export function statsObject(record: Record, totals: Totals): Statistics {
  const stages = summarise(record.spans).map((stage) => ({
    stage: stage.stage,
    spans: stage.spans,
    firstStartMs: round(stage.firstStart),
    lastEndMs: round(stage.lastEnd),
    busyMs: round(stage.busy),
    waitingMs: round(waiting(stage)),
    bytes: stage.bytes,
    bytesPerSecond: stage.busy > 0 && stage.bytes > 0 ? Math.round((stage.bytes / stage.busy) * 1000) : null,
    busyFromToMs: stage.stretches.map((stretch) => stretch.map(round)),
  }));
  return {
    schemaVersion: SCHEMA_VERSION,
    gpusortVersion: totals.version,
    exitStatus: totals.exitCode,
    wallMs: round(totals.wall),
    peakMemoryBytes: totals.peakMemoryBytes,
    stages,
    ...(record.deviceTraffic === null ? {} : { device: record.deviceTraffic }),
    ...(record.tieStatistics === null ? {} : { ties: tiesJson(record.tieStatistics) }),
    ...(record.mergeStatistics === null ? {} : { tiles: tilesJson(record.mergeStatistics) }),
    ...(record.verification === null ? {} : { verification: verifiedJson(record.verification) }),
    notes: record.notes,
  };
}

/** `device: 9.31 GiB sent, 9.4 GiB read back`. */
function trafficSentence({ sentBytes, readBackBytes }: Traffic): string {
  return `device: ${formatBytes(sentBytes)} sent, ${formatBytes(readBackBytes)} read back`;
}

function tiesJson(ties: TieStatistics): TiesStatistics {
  return {
    records: ties.records,
    keyBytes: ties.keyBytes,
    tied: ties.tied,
    refinementRounds: ties.rounds,
    blockSortTextReads: ties.blockReads,
    mergeTextReads: ties.mergeReads,
    runsByLog2Length: ties.runs,
    longestRun: ties.longestRun,
    sharedBytes: ties.sharedBytes,
  };
}

function tilesJson({ tiles, levels, copied }: MergeStatistics): TilesStatistics {
  return {
    sorted: tiles,
    mergedByLevel: levels.map(({ merged }) => merged),
    settledInPlaceByLevel: levels.map(({ inPlace }) => inPlace),
    copied,
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
