/**
 * Decides whether equal records are counted as they are read, so that only distinct ones are sorted
 * (src/engines/cpu/counting/). Pure.
 */
import { type CountingLimits, UNITING_THREADS } from '../contract/engine.js';
import type { SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { isCollated } from '../keys/collation/collation.js';
import { equalsAreIdentical } from '../keys/compare.js';
import { MiB } from '../report/units.js';
import { asBuffer } from '../system/memory.js';
import type { InputFacts, RepeatFacts } from './facts.js';
import { ONE_THREAD_BYTES, READ_AHEAD_BYTES } from './memory.js';
import type { Basis } from './plan.js';

/** Inputs that are compared by a collation take longer to sort, so smaller ones are counted too. */
const COLLATED_BYTES = 1 * MiB;
/** Share of the memory for the tables of all threads. The table that unites them takes the same share. */
const TABLES_SHARE = 1 / 8;
/** The largest table of a thread. Larger ones hardly fit in a processor's cache. */
const MOST = { entries: 2 ** 21, bytes: 64 * MiB } as const;
/** The limits of the tables of all threads together, because a memory of kernels has at most 4 GiB. */
const MOST_UNITED = { entries: 2 ** 25, bytes: 1024 * MiB } as const;
const ENTRY_BYTES = 16;
/** A table grows by a factor of 4. All its sizes together take this many times the last one. */
const TABLE_SIZES = 4 / 3;
/**
 * How many times each thread should meet each distinct record: more often if one thread merges the tables of all. With
 * 30 times, two threads took 0.85 to 0.9 of the time of sorting. With 15 times, 16 threads took 0.78 (-u) and 0.97 of
 * that time, but with 6 times 1.1 and 1.3, because all tables together are too large for the caches (816 MB, H200
 * machine, 29 November 2026).
 */
const LEAST_REPEATS = { few: 16, uniting: 10 } as const;
/**
 * The number of distinct records is an estimate: a table has room for this many times more, plus a few thousand.
 * Counting ends soon if there are far more: 200 MB of 300 distinct lines followed by 50 MB without repeats took 2.1 s
 * with the largest tables, 1.1 s with tables of this size, and 1.1 s without counting.
 */
const ESTIMATE_MARGIN = 4;
const LEAST_ROOM = 8192;
/** Tables must have room for at least this many times the estimate. */
const FIT_MARGIN = 2;
/**
 * The estimate is a lower bound, which says little if nothing occurs twice. It is used if this many records of the
 * sample occur twice, or if at most this share of the sample occurs once.
 */
const LEAST_TWICE = 10;
const MOST_ONCE = 1 / 20;

/**
 * Whether the records of a job may be counted: equal records must have equal bytes. `bytes`: the size of the input;
 * null: unknown, but large.
 */
export function mayCount(job: SortJob, bytes: number | null): boolean {
  const least = isCollated(job.ordering) ? COLLATED_BYTES : ONE_THREAD_BYTES;
  return canTake('repeats', job) && equalsAreIdentical(job.ordering) && (bytes ?? Infinity) >= least;
}

/**
 * Estimates how many records are distinct, from those that a sample has once and twice (Chao, Nonparametric Estimation
 * of the Number of Classes in a Population, 1984). `sample`: records, without delimiters, of each of some places that
 * are spread over what samples show of the input. Only records of different places are compared, because records of one
 * place may be equal just because the input is in order. Null: the sample is empty.
 */
export function repeatsIn(
  sample: readonly (readonly Uint8Array[])[],
  { bytes, sampledPart }: Pick<InputFacts, 'bytes' | 'sampledPart'>,
): RepeatFacts | null {
  const sampled = sample.flat();
  if (sampled.length === 0) return null;
  const recordBytes = sampled.reduce((sum, record) => sum + record.length + 1, 0) / sampled.length;
  const places = new Map<string, number>();
  for (const records of sample)
    for (const text of new Set(records.map((record) => asBuffer(record).toString('latin1'))))
      places.set(text, (places.get(text) ?? 0) + 1);
  const counts = [...places.values()];
  const [once, twice] = [1, 2].map((times) => counts.filter((count) => count === times).length);
  const shown = sampledPart === 'whole' ? Infinity : READ_AHEAD_BYTES;
  const records = Math.min(bytes ?? Infinity, shown) / recordBytes;
  const isKnown = twice >= LEAST_TWICE || once <= sampled.length * MOST_ONCE;
  const distinct = isKnown ? counts.length + once ** 2 / (2 * Math.max(1, twice)) : records;
  return { sampled: sampled.length, records, distinct, recordBytes };
}

/**
 * The limits of the tables if counting saves time; null if it does not, or is not allowed. Adds the reason to
 * `reasons`.
 */
export function planCounting({ memory, input }: Basis, threads: number, reasons: string[]): CountingLimits | null {
  if (input.repeats == null) return null;
  const { sampled, records, distinct, recordBytes } = input.repeats;
  const share = (memory * TABLES_SHARE) / threads / 2;
  const most = {
    entries: Math.min(MOST.entries, MOST_UNITED.entries / threads, share / ENTRY_BYTES / TABLE_SIZES),
    bytes: Math.min(MOST.bytes, MOST_UNITED.bytes / threads, share),
  };
  const repeats = threads < UNITING_THREADS ? LEAST_REPEATS.few : LEAST_REPEATS.uniting;
  const room = Math.max(ESTIMATE_MARGIN * distinct, LEAST_ROOM);
  const fit = Math.min(most.entries / 2, most.bytes / recordBytes) / FIT_MARGIN;
  if (distinct > Math.min(fit, records / threads / repeats)) return null;
  reasons.push(
    `equal records are counted as they are read, and only distinct ones are sorted: ${sampled} sampled records ` +
      `suggest that there are about ${Math.round(distinct)}`,
  );
  return {
    entries: 2 ** Math.floor(Math.log2(Math.min(most.entries, 4 * room))),
    bytes: Math.floor(Math.min(most.bytes, 2 * room * recordBytes)),
  };
}
