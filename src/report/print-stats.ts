/** Prints the statistics of a run as text and as JSON. */
import { verifiedJson, verifiedSentences } from './digest.js';
import { type MergeStatistics, mergeSentence } from './merges.js';
import type { Record, Traffic } from './recorder.js';
import { SCHEMA_VERSION, type Statistics, type TiesStatistics, type TilesStatistics } from './statistics.js';
import { type TieStatistics, tieSentences } from './ties.js';
import { busyShares, drawBar, type StageSummary, summarize } from './timeline.js';
import { formatBytes, formatRate, formatTime } from './units.js';

/** The width of the table in characters, and the least width of its bars. */
const TABLE_WIDTH = 80;
const LEAST_BAR_WIDTH = 4;

/** Totals known only at the end of the run. */
interface Totals {
  readonly version: string;
  /** Milliseconds since the process started. */
  readonly wall: number;
  readonly peakMemoryBytes: number;
  readonly exitCode: number;
}

/**
 * A line for each stage with a bar of its busy times, then the totals and the notes. On a terminal of `columns`, long
 * notes are broken between words.
 */
export function statsText(record: Record, totals: Totals, columns = Infinity): string {
  const stages = summarize(record.spans);
  const table = [
    ['stage', 'from', 'to', 'busy', 'waiting', 'bytes', 'rate'],
    ...stages.map((stage) => [
      stage.stage,
      formatTime(stage.firstStart),
      formatTime(stage.lastEnd),
      formatTime(stage.busy),
      formatTime(waiting(stage)),
      formatBytes(stage.bytes),
      formatRate(stage.bytes, stage.busy),
    ]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const numbers = table.map((row) =>
    row.map((cell, column) => (column > 0 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join('  '),
  );
  const barWidth = Math.max(LEAST_BAR_WIDTH, TABLE_WIDTH - numbers[0].length - '  ||'.length);
  const bars = stages.map(({ stretches }) => `|${drawBar(stretches, totals.wall, barWidth).padEnd(barWidth)}|`);
  const lines = numbers.map((row, i) => `${row}  ${i === 0 ? 'when' : bars[i - 1]}`);
  lines.push(`total ${formatTime(totals.wall)}, peak memory ${formatBytes(totals.peakMemoryBytes)}`);
  const ties = record.tieStatistics === null ? [] : tieSentences(record.tieStatistics);
  const merges = record.mergeStatistics === null ? [] : [mergeSentence(record.mergeStatistics)];
  const traffic = record.deviceTraffic === null ? [] : [trafficSentence(record.deviceTraffic)];
  const kernels = kernelsSentences(record.deviceKernels);
  const verified = record.verification === null ? [] : verifiedSentences(record.verification);
  return [
    ...lines,
    ...[...record.notes, ...traffic, ...kernels, ...ties, ...merges, ...verified].map((note) =>
      wrapped(`- ${note}`, columns),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Breaks a line between words. Further lines are indented by two blanks. */
function wrapped(line: string, columns: number): string {
  let room = columns;
  return line.replace(/(^| )(\S+)/g, (text, blank: string, word: string) => {
    room -= text.length;
    if (room > 0 || blank === '') return text;
    room = columns - 2 - word.length;
    return `\n  ${word}`;
  });
}

/** One object on one line, with the fields of docs/json.md. */
export function statsJson(record: Record, totals: Totals): string {
  return `${JSON.stringify(statsObject(record, totals))}\n`;
}

/** The fields of docs/json.md. */
export function statsObject(record: Record, totals: Totals): Statistics {
  const stages = summarize(record.spans).map((stage) => ({
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
    ...(record.deviceTraffic === null
      ? {}
      : { device: { ...record.deviceTraffic, kernels: [...record.deviceKernels].sort() } }),
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

/** The folders of kernels that sort and merge. */
const SORTING = /^(?:keys|strings|segments)\//;

/** `kernels of the sort: keys/merge-path/merge, keys/merge-path/search-binary, ...`; nothing if none ran. */
function kernelsSentences(kernels: ReadonlySet<string>): string[] {
  const sorting = [...kernels].filter((label) => SORTING.test(label)).sort();
  return sorting.length === 0 ? [] : [`kernels of the sort: ${sorting.join(', ')}`];
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

/** Positions and sizes in pixels. */
const LEFT = 90;
const WIDTH = 640;
const RIGHT = 190;
const ROW = 24;
const TOP = 48;
/** The number of opacity grades that show how busy a stage was during a pixel. */
const GRADES = 4;

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#24292f}.small{font-size:10px}.tick{stroke:#d0d7de}.busy{fill:#1a7f64}' +
  '@media(prefers-color-scheme:dark){text{fill:#d8dee4}.tick{stroke:#444c56}.busy{fill:#3fb950}}';

/** A distance between ticks that gives five to ten ticks: 1, 2 or 5 times a power of ten. */
function tickStep(total: number): number {
  const power = 10 ** Math.floor(Math.log10(total / 5));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => total / step <= 10)!;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A rectangle for each stretch of pixels of the same grade, from pixel 0. Idle stretches have none. */
function* bars(shares: Float64Array): Generator<{ x: number; width: number; opacity: number }> {
  // Shares are sums: a rounding error must not raise the grade.
  const grades = Array.from(shares, (share) => Math.ceil(share * GRADES - 1e-9));
  for (let x = 0, next = 0; x < grades.length; x = next) {
    while (next < grades.length && grades[next] === grades[x]) next++;
    if (grades[x] > 0) yield { x, width: next - x, opacity: grades[x] / GRADES };
  }
}

/**
 * Draws the statistics of a run as an SVG document for light and dark backgrounds: a bar for each stage over time,
 * paler where the stage waited more, which shows the bottleneck. The picture stays small for any number of spans.
 * Writes no file.
 */
export function drawTimeline(record: Record, totals: Totals): string {
  const stages = summarize(record.spans);
  const x = (time: number): string => (LEFT + (time / totals.wall) * WIDTH).toFixed(1);
  const bottom = TOP + stages.length * ROW;
  const parts: string[] = [];
  const step = tickStep(totals.wall);
  for (let time = 0; time <= totals.wall; time += step) {
    parts.push(
      `<line x1="${x(time)}" x2="${x(time)}" y1="${TOP - 6}" y2="${bottom}" class="tick"/>`,
      `<text x="${x(time)}" y="${TOP - 10}" text-anchor="middle" class="small">${formatTime(time)}</text>`,
    );
  }
  stages.forEach((stage, i) => {
    const y = TOP + i * ROW;
    parts.push(`<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${stage.stage}</text>`);
    for (const bar of bars(busyShares(stage.stretches, totals.wall, WIDTH))) {
      parts.push(
        `<rect x="${LEFT + bar.x}" y="${y + 2}" width="${bar.width}" height="16" ` +
          `opacity="${bar.opacity}" class="busy"/>`,
      );
    }
    const work = `${formatBytes(stage.bytes)}, busy ${formatTime(stage.busy)}, ${formatRate(stage.bytes, stage.busy)}`;
    parts.push(`<text x="${LEFT + WIDTH + 8}" y="${y + 14}" class="small">${work}</text>`);
  });
  const notes = record.notes.map(
    (note, i) => `<text x="${LEFT}" y="${bottom + 22 + i * 14}" class="small">${escaped(note)}</text>`,
  );
  const size = `${LEFT + WIDTH + RIGHT} ${bottom + 24 + notes.length * 14}`;
  const cost = `${formatTime(totals.wall)} in all, peak memory ${formatBytes(totals.peakMemoryBytes)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" role="img" aria-label="Timeline of a sort">
<style>${STYLE}</style>
<text x="${LEFT}" y="18">gpusort ${escaped(totals.version)}: ${cost}</text>
${[...parts, ...notes].join('\n')}
</svg>
`;
}
