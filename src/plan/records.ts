/** What the planner knows of records: the size of fixed ones, how many are wanted, how keys lengthen them. Pure. */
import type { Limit, SortJob } from '../job/job.js';
import { keyedBound } from '../keys/bounds.js';
import { isKeyed } from '../keys/keyed.js';
import type { InputFacts } from './facts.js';

/** Kernels read slightly past the end of the text. */
export const BINDING_PAD = 64;
/** Assumed growth of most lines by their keys. Their maximum (src/keys/bounds.ts) need only fit where kernels sort. */
const KEYED_GROWTH = 3;

/** The bytes of a fixed record; 0 for lines. */
export function recordBytes(job: SortJob): number {
  return job.ordering.format.kind === 'fixed' ? job.ordering.format.size : 0;
}

/** A chunk holds at least one fixed record. */
export function atLeastOneRecord(job: SortJob, bytes: number): number {
  return Math.max(bytes, recordBytes(job));
}

/**
 * The limit as engines get it: at least 1 record. None with --count: it is unknown how many records will
 * make up the counts wanted.
 */
export function engineLimit({ limit, count }: SortJob): Limit | null {
  return limit === null || count ? null : { ...limit, count: Math.max(1, limit.count) };
}

/** Length of lines of which there is no sample, beside keys that are not longer for longer lines. */
const ASSUMED_LINE_BYTES = 256;

/** The growth of lines by their keys, from a sample or assumed; 1 without keys. */
export function keyedGrowth(job: SortJob, { sample }: InputFacts): number {
  if (!isKeyed(job.ordering)) return 1;
  const { factor, constant } = keyedBound(job.ordering.key);
  return sample === undefined || sample === null
    ? Math.min(factor + Math.floor(constant / ASSUMED_LINE_BYTES), KEYED_GROWTH)
    : sample.keyedBytes / sample.recordBytes;
}
