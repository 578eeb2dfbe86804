/** The plan as text and as JSON, for --explain. */
import type { SortJob } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { SCHEMA_VERSION } from '../report/statistics.js';
import { collatingReason } from './collated.js';
import type { Plan } from './plan.js';

export interface Explanation {
  readonly lines: readonly string[];
  readonly json: object;
}

const MODE_REASON: Readonly<Record<'merge' | 'check', string>> = {
  merge:
    'merge: sorted inputs are merged range by range on the CPU as they are read; ' +
    'inputs that are not sorted are merged record by record',
  check:
    'check: neighbors are compared while the input is read, up to the first record out of order; no engine is started',
};

/** The reasons of the plan that is tried first. */
export const reasonsOf = (plan: Plan): readonly string[] => plan.bam?.reasons ?? plan.reasons;

/** `plan` is null for modes without a plan. */
export function explanation(job: SortJob, plan: Plan | null): Explanation {
  const chosen = (plan && reasonsOf(plan)) ?? [
    MODE_REASON[job.mode as 'merge' | 'check'],
    ...(isCollated(job.ordering) ? [collatingReason(job.ordering)] : []),
  ];
  const reasons = [...formatReasons(job), ...chosen];
  return {
    lines: reasons,
    json: { schemaVersion: SCHEMA_VERSION, mode: job.mode, ...(plan === null ? {} : planJson(plan)), reasons },
  };
}

/** The facts known before planning: options in the environment, the records and the output. */
export function formatReasons({
  mode,
  input: { genomics },
  output: { compression, convertsTo },
  check,
  report,
}: SortJob): string[] {
  const reasons = report.presets.map((option) => `${option}: preset by GPUSORT_OPTIONS`);
  if (genomics !== null) {
    const { format, guessed, by, as } = genomics;
    const why = guessed ? 'guessed from the name and the first bytes' : 'as requested';
    reasons.push(`format ${format}: ${why}`);
    if (!check.orders) reasons.push(`order ${by}${as === null ? '' : `, with the rules of ${as}`}`);
  }
  if (convertsTo !== null && mode !== 'check') reasons.push(`output ${convertsTo}: alignments are converted`);
  if (compression !== null && mode !== 'check')
    reasons.push(`output ${compression.kind}: compressed at level ${compression.level}`);
  return reasons;
}

/** The fields of docs/json.md. */
function planJson(plan: Plan): object {
  return {
    engine: plan.engine,
    algorithm: plan.algorithm,
    tunings: plan.engine === 'gpu' ? plan.tunings : [],
    estimates: (plan.engine === 'gpu' ? plan.estimates : []).map(({ algorithm, milliseconds }) => ({
      algorithm,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    })),
    buckets: plan.engine === 'cpu' ? plan.buckets : 0,
    countsRecords: plan.engine === 'cpu' && plan.counting !== null,
    limit: plan.limit,
    workers: plan.workers,
    mainThreadSorts: plan.engine === 'cpu' && plan.helps,
    deviceMakesKeys: plan.engine === 'gpu' && plan.deviceKeys,
    chunkBytes: plan.chunkBytes,
    firstChunkBytes: plan.engine === 'cpu' ? plan.firstChunkBytes : null,
    // A chunk of the CPU engine is one piece.
    pieceBytes: plan.engine === 'gpu' ? plan.pieceBytes : plan.chunkBytes,
    rangeBytes: plan.rangeBytes,
    mergeBytes: plan.engine === 'gpu' ? plan.mergeBytes : plan.chunkBytes,
    chunkRecords: plan.engine === 'gpu' ? plan.mostRecords : null,
    residentBytes: plan.residentBytes,
    hostBytes: plan.hostBytes,
    windowsBytes: plan.windows.bytes,
    leastWindowBytes: plan.windows.least,
    smallHeap: plan.smallHeap,
  };
}
