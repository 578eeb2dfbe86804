/**
 * Chooses among the GPU's sorts: the requested one, or the one that a sample of the input recommends, with its reasons.
 * Pure.
 */

import { type KeyForm, keyForm } from '../engines/gpu/engine/fixed-keys/form.js';
import { keyBits } from '../engines/gpu/keys/key-sort.js';
import { type Algorithm, algorithmsOn, type GpuAlgorithm, requestText } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import { formatBytes, formatTime } from '../report/units.js';
import { type Estimate, estimates, fixedKeyEstimates } from './costs.js';
import { COST_TABLE } from './costs-table.js';
import type { InputFacts } from './facts.js';

/**
 * The sort to use without a sample: it needs the least memory, is best for few records, and merges need its kernels
 * anyway.
 */
const UNSAMPLED: GpuAlgorithm = 'string-merge';
/**
 * Milliseconds to compile the kernels of another sort of strings (H200). For keys of at most 128 bits, nothing is
 * added: the locality sort, which may replace the radix sort, has 6 kernels, and the radix sort has 7.
 */
const OTHER_MS = 40;
/**
 * A sample is examined to choose a sort only if the input has at least this size. Examining takes 32 ms (H100: 200 MB
 * of random lines take 0.55 s with it and 0.52 without). With OTHER_MS, that is more than another sort saves in 1.3 GB
 * of URLs (130 ms in 2.4 GB) or in 2.3 GB of a nearly sorted log (38 ms in 1.2 GB). From 2 GiB on, it is at most 2 % of
 * a sort (2 GB: 1.4 s).
 */
const CHOICE_BYTES = 2 ** 31;
const UNKNOWN_CHUNKS = 16;
/** The sort for segments. */
const SEGMENTED: GpuAlgorithm = 'segmented';
/** The sort of keys of at most 128 bits to use without a sample: the fastest one for keys in any order. */
const UNSAMPLED_KEYS: GpuAlgorithm = 'radix';
/** Descriptions for --explain. */
const DESCRIPTION: Readonly<Record<GpuAlgorithm, string>> = {
  merge: 'merge sort of prefixes; ties are read from the text',
  radix: 'radix sort of packed prefixes; ties are sorted in refinement rounds',
  quicksort: 'quicksort of packed prefixes; ties are sorted in refinement rounds',
  'string-merge': 'merge sort of prefixes; ties are read from the text',
  'radix-refine': 'radix sort of packed prefixes; ties are sorted in refinement rounds',
  segmented: 'sort of each segment by packed prefixes; ties are sorted in refinement rounds',
  'msd-radix': 'radix sort of packed prefixes from the most significant digit; ties are sorted in refinement rounds',
  'msd-radix-hybrid':
    "radix sort of packed prefixes, which alone are sent to the GPU; the host's threads sort ties and write the text",
  locality: 'merge of packed prefixes, only where neighbors are out of order; ties are sorted in refinement rounds',
};

/** Descriptions of the sorts of keys of at most 128 bits. */
const KEY_DESCRIPTION: { readonly [algorithm in GpuAlgorithm]?: string } = {
  merge: 'merge sort of keys',
  radix: 'radix sort of keys',
  quicksort: 'quicksort of keys',
  locality: 'locality sort, which merges only what is out of order, of keys',
};
/** The values that move with a key of at most 128 bits. */
const MOVED: Readonly<Record<KeyForm['kind'], string>> = {
  packed: 'which hold whole records',
  carried: 'with the rest of the record',
  numbered: 'with the numbers of records, which are then gathered',
};

function isGpus(algorithm: Algorithm): algorithm is GpuAlgorithm {
  return (algorithmsOn('gpu') as readonly Algorithm[]).includes(algorithm);
}

/** Whether a sort on the GPU takes a sample, to choose its algorithm. --explain takes one to show it. */
export function choosesBySample({ ordering, resources }: PlannedJob, input: InputFacts): boolean {
  return ordering.segments === undefined && resources.algorithm === 'auto' && choicePays(input);
}

/** Whether a sort other than the default could save time. */
function choicePays({ bytes }: InputFacts): boolean {
  return bytes === null || bytes >= CHOICE_BYTES;
}

/** The requested algorithm, or the one that should sort all chunks fastest according to the sample. */
export function chooseAlgorithm(
  job: PlannedJob,
  chunkBytes: number,
  mostRecords: number | null,
  input: InputFacts,
  reasons: string[],
): { algorithm: GpuAlgorithm; estimates: Estimate[] } {
  const { bytes, sample, sampledPart } = input;
  if (job.ordering.segments !== undefined) {
    reasons.push(`algorithm ${SEGMENTED}: the only one that sorts segments; ${DESCRIPTION[SEGMENTED]}`);
    return { algorithm: SEGMENTED, estimates: [] };
  }
  const requested = isGpus(job.resources.algorithm) ? job.resources.algorithm : null;
  // Tunings are those of the requested algorithm.
  const nameOf = (algorithm: GpuAlgorithm): string => requestText({ algorithm, tunings: job.resources.tunings });
  const form = keyForm(job.ordering);
  const unsampled = form === null ? UNSAMPLED : UNSAMPLED_KEYS;
  if (sample === undefined || sample === null) {
    const algorithm = requested ?? unsampled;
    const why =
      requested !== null
        ? 'as requested'
        : choicePays(input)
          ? 'there is no sample of the input to base a choice on'
          : `${formatBytes(bytes!)} is too little for another algorithm to pay off`;
    reasons.push(`algorithm ${nameOf(algorithm)}: ${why}; ${descriptionOf(algorithm, form)}`);
    return { algorithm, estimates: [] };
  }
  const records = Math.max(1, Math.min(mostRecords ?? Infinity, Math.round(chunkBytes / sample.recordBytes)));
  const total = bytes === null ? records : Math.max(records, Math.round(bytes / sample.recordBytes));
  const workload = { sample, records, total };
  const compared = form === null ? estimates(workload, COST_TABLE) : fixedKeyEstimates(workload, form);
  // Assume that an input of unknown size is long.
  const chunks = bytes === null ? UNKNOWN_CHUNKS : Math.ceil(bytes / chunkBytes);
  const cost = ({ algorithm: name, milliseconds }: Estimate): number =>
    chunks * milliseconds + (form !== null || name === unsampled ? 0 : OTHER_MS);
  // The beginning does not show the order of the rest, and `locality` is slow if the rest is unordered.
  const eligible = sampledPart === 'whole' ? compared : compared.filter(({ algorithm: name }) => name !== 'locality');
  const best = [...eligible].sort((a, b) => cost(a) - cost(b))[0]?.algorithm;
  const algorithm = requested ?? (choicePays(input) ? best : undefined) ?? unsampled;
  const why =
    requested !== null
      ? 'as requested'
      : !choicePays(input)
        ? `${formatBytes(bytes!)} is too little for another algorithm to pay off`
        : algorithm === compared[0]?.algorithm
          ? 'the lowest estimate'
          : algorithm === eligible[0]?.algorithm
            ? 'the lowest estimate apart from locality, because the rest of the input may be in another order'
            : `compiling the kernels of a faster one would take longer than it saves in ${countOf(chunks, 'chunk')}`;
  const times = compared.map((e) => `${e.algorithm} ${formatTime(e.milliseconds)}`).join(', ');
  reasons.push(
    `algorithm ${nameOf(algorithm)}: ${why}; ${descriptionOf(algorithm, form)}`,
    `estimates for a chunk of ${count(records)} records: ${times}; ` +
      `from costs measured on ${COST_TABLE.machine}, ${COST_TABLE.date}`,
    `sample of ${count(sample.records)} records: ${sample.recordBytes.toFixed(1)} bytes each, ` +
      `${sample.alphabet} different bytes, a common prefix of ${sample.commonPrefix} bytes, ` +
      `sorted neighbors share ${sample.neighborPrefix.toFixed(1)}, ` +
      `${percent(sample.distinct)} are distinct, ${percent(1 - sample.scatter)} in order, ` +
      (sample.displaced.displacement === 0
        ? 'none far from its place'
        : `records out of order are about ${count(Math.round(sample.displaced.displacement * total))} places off`),
  );
  return { algorithm, estimates: compared };
}

function descriptionOf(algorithm: GpuAlgorithm, form: KeyForm | null): string {
  const sort = KEY_DESCRIPTION[algorithm];
  return form === null || sort === undefined
    ? DESCRIPTION[algorithm]
    : `${sort} of ${keyBits(form.spec)} bits, ${MOVED[form.kind]}`;
}

const countOf = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const percent = (share: number): string => `${Math.round(100 * share)} %`;
