/**
 * Completes a job: what orders its records may depend on files that options name, and on the headers of the inputs.
 * Until then a job is what the command line says; afterwards it does not change.
 */
import type { SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { withoutNames } from '../keys/names.js';
import { withBlanks } from '../keys/orders.js';
import { contigsOf, withContigs } from '../records/headers.js';
import { librariesOf, withLibraries } from '../records/libraries.js';
import type { Headers } from './header.js';
import type { OptionFiles } from './option-files.js';

/** The facts that complete a job. */
export interface Completion {
  /** The contents of the files that options name. */
  readonly named: OptionFiles;
  /** The headers of the inputs, as far as they were read; null: inputs have none. */
  readonly headers: Headers | null;
}

/**
 * The job with everything that orders its records: the seed of random orders, the order of contigs, the libraries of read groups,
 * the numbers of the fields that CSV names, and what separates the fields of BED. Until an input with content has been
 * found, the facts from headers are missing, but they are not needed either. Throws `usage` or `bad-records` if a key
 * does not fit the header.
 */
export function completedJob(job: SortJob, completion: Completion): SortJob {
  const { groups } = job.output;
  const ordering = completedOrdering(job.ordering, job, completion);
  const { shuffle } = job.input;
  if (shuffle !== null) return { ...job, ordering, input: { ...job.input, shuffle: { seed: completion.named.seed } } };
  if (groups === null) return { ...job, ordering };
  const { key } = completedOrdering({ ...job.ordering, key: groups.key }, job, completion);
  return { ...job, ordering, output: { ...job.output, groups: { ...groups, key } } };
}

/** The same for one of several orderings by which the records of a job may be sorted. */
export function completedOrdering(
  requested: Ordering,
  { input: { framing, genomics } }: Pick<SortJob, 'input'>,
  { named: { seed, contigs }, headers }: Completion,
): Ordering {
  const { key } = requested;
  const seeded = seed !== null && 'parts' in key ? { ...requested, key: { ...key, seed } } : requested;
  const ordering = contigs === null ? seeded : withContigs(seeded, () => contigs);
  if (headers === null) return ordering;
  if (genomics?.format === 'bed' && headers.areFieldsBlank) return withBlanks(ordering);
  if (genomics !== null) {
    const { unitedText, unitedBam, label } = headers;
    const listed = withContigs(ordering, () => contigsOf(genomics.format, unitedText, unitedBam, label));
    return withLibraries(listed, () => librariesOf(unitedBam?.text ?? unitedText));
  }
  return framing?.kind !== 'csv' || headers.records === 0
    ? ordering
    : withoutNames(ordering, headers.text, framing.separator);
}
