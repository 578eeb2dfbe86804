/**
 * The choice among the GPU's sorts: the one that is asked for, or the one that a sample of the input recommends, with its reasons. Pure.
 */
import { GPU_ALGORITHMS, type Algorithm, type GpuAlgorithm, type SortJob } from '../job.js';
import { formatTime } from '../report/units.js';
import { amount } from './amount.js';
import { COST_TABLE } from './costs-table.js';
import { estimates, type Estimate } from './costs.js';
import type { InputFacts } from './facts.js';

/** What sorts without a sample: it needs the least memory, is the best of few records, and merges need its kernels in any case. */
const UNSAMPLED: GpuAlgorithm = 'string-merge';
/** What another sort's kernels take to compile, and a sample to be looked at: 70 ms in all (H200, 1 GB of random lines: 1.10 s instead of 1.00). */
const OTHER_MS = 40;
/** Below this no other sort has chunks enough to save as much, whatever a sample says. */
const CHOICE_BYTES = 1 << 30;
const UNKNOWN_CHUNKS = 16;
/** What sorts segments. */
const SEGMENTED: GpuAlgorithm = 'segmented';
/** What each algorithm is, for --explain. */
const DESCRIPTION: Readonly<Record<GpuAlgorithm, string>> = {
  'string-merge': 'merge sort of 8-byte prefixes; ties are read from the text',
  'radix-refine': 'radix sort of packed prefixes; ties are sorted in refinement rounds',
  segmented: 'sort of each segment by packed prefixes; ties are sorted in refinement rounds',
  'msd-radix': 'radix sort of packed prefixes from the most significant digit; ties are sorted in refinement rounds',
  'locality': 'merge of packed prefixes, only where neighbours are out of order; ties are sorted in refinement rounds',
};

export function isGpus(algorithm: Algorithm): algorithm is GpuAlgorithm {
  return (GPU_ALGORITHMS as readonly Algorithm[]).includes(algorithm);
}

/** Whether another sort than the usual one could pay. */
export function choicePays({ bytes }: InputFacts): boolean {
  return bytes === null || bytes >= CHOICE_BYTES;
}

/** The algorithm that is asked for, or the one that all chunks are sorted fastest by, as far as a sample tells. */
export function chooseAlgorithm(job: SortJob, chunkBytes: number, mostRecords: number | null, input: InputFacts,
  reasons: string[]): { algorithm: GpuAlgorithm; estimates: Estimate[] } {
  const { bytes, sample } = input;
  if (job.ordering.segments !== undefined) {
    reasons.push(`algorithm ${SEGMENTED}: the only one that sorts segments; ${DESCRIPTION[SEGMENTED]}`);
    return { algorithm: SEGMENTED, estimates: [] };
  }
  const asked = isGpus(job.algorithm) ? job.algorithm : null;
  if (sample === undefined || sample === null) {
    const algorithm = asked ?? UNSAMPLED;
    const why = asked !== null ? 'as asked' : choicePays(input) ? 'there is no sample of the input to choose by' : `${amount(bytes!)} is too little for another to pay off`;
    reasons.push(`algorithm ${algorithm}: ${why}; ${DESCRIPTION[algorithm]}`);
    return { algorithm, estimates: [] };
  }
  const records = Math.max(1, Math.min(mostRecords ?? Infinity, Math.round(chunkBytes / sample.recordBytes)));
  const total = bytes === null ? records : Math.max(records, Math.round(bytes / sample.recordBytes));
  const compared = estimates({ sample, records, total });
  // A stream is taken for a long one.
  const chunks = bytes === null ? UNKNOWN_CHUNKS : Math.ceil(bytes / chunkBytes);
  const cost = ({ algorithm: name, milliseconds }: Estimate): number => chunks * milliseconds + (name === UNSAMPLED ? 0 : OTHER_MS);
  const best = [...compared].sort((a, b) => cost(a) - cost(b))[0]?.algorithm;
  const algorithm = asked ?? (choicePays(input) ? best : undefined) ?? UNSAMPLED;
  const why = asked !== null ? 'as asked' : !choicePays(input) ? `${amount(bytes!)} is too little for another to pay off`
    : algorithm === compared[0]?.algorithm ? 'the lowest estimate' : `compiling another's kernels would take longer than they save in ${count(chunks)} chunks`;
  reasons.push(`algorithm ${algorithm}: ${why}; ${DESCRIPTION[algorithm]}`,
    `estimates for a chunk of ${count(records)} records: ${compared.map((e) => `${e.algorithm} ${formatTime(e.milliseconds)}`).join(', ')}; from costs measured on ${COST_TABLE.machine}, ${COST_TABLE.date}`,
    `sample of ${count(sample.records)} records: ${sample.recordBytes.toFixed(1)} bytes each, ${sample.alphabet} different bytes, a common prefix of ${sample.commonPrefix} bytes, `
      + `sorted neighbours share ${sample.neighbourPrefix.toFixed(1)}, ${percent(sample.distinct)} are distinct, ${percent(1 - sample.scatter)} in order, `
      + (sample.displaced.displacement === 0 ? 'none far from its place' : `those out of place about ${count(Math.round(sample.displaced.displacement * total))} places from it`));
  return { algorithm, estimates: compared };
}

const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const percent = (share: number): string => `${Math.round(100 * share)} %`;
