/** The filters that the ordered stream of a job passes on its way to the sink. */
import type { BlockWriter, RecordForm } from '../contract/engine.js';
import { limitsLate, type SortJob } from '../job/job.js';
import { canTake } from '../job/traits.js';
import { recordFinder } from '../records/record-finder.js';
import { placeDropper } from '../records/shuffled.js';
import { countEqual, countPlace, withCountField } from './count.js';
import { splitEqual } from './duplicates.js';
import { type Filter, passing, preceded, through } from './filter.js';
import { firstOfGroups } from './groups.js';
import { heldInMemory, limitRecords, type Spool } from './limit.js';
import { hasParents, parentsFirst } from './parents.js';
import { restored, restorerOf, restoring } from './restored.js';
import { inInputOrder } from './sampled.js';
import { underlining } from './underline.js';

/** The observers of the ordered stream, which do not change it. */
export interface Watches {
  readonly verification: OutputWatch | null;
  /** Gets the blocks of the stream after --count, --top and --bottom, as engines hold records without keys. */
  readonly tally: ((block: Uint8Array) => void) | null;
}

/** Watches the records of the stream for --verify. */
export interface OutputWatch {
  /**
   * Watches the ordered stream before the first filter that adds text. Without such a filter, watches it as it is
   * written. `afterHeader`: whether the header precedes it.
   */
  stream(next: BlockWriter, place: { readonly afterHeader: boolean }): Filter;
  /** These watch the output of --count, before and after --top and --bottom. */
  countedLines(next: BlockWriter): Filter;
  limitedLines(next: BlockWriter): Filter;
}

/** Where the ordered stream goes. */
export interface Outputs {
  readonly write: BlockWriter;
  /** Takes the records of --dupes-output; null: the job has none. */
  readonly duplicates: BlockWriter | null;
}

/** The number of records at the end of the stream that the filters need; undefined: they may need all. */
export function lastNeeded(job: SortJob): number | undefined {
  const { limit } = job.output;
  const isTail = limit?.end === 'last' && canTake('tail', job) && !hasParents(job.input.genomics, job.ordering);
  return isTail ? limit.count : undefined;
}

/** The part of a job that decides how ordered records are filtered. */
type FilteredJob = Pick<SortJob, 'input' | 'ordering' | 'output' | 'resources'>;

/**
 * The filters before the outputs, for one attempt to write these. `header`: returns the text before all records, called
 * at the first block; null: there is none. `form`: the form of the records in the stream (`streamForm`).
 */
export function outputFilters(
  job: FilteredJob,
  header: (() => Uint8Array) | null,
  space: Spool,
  { write, duplicates }: Outputs,
  { verification: watch, tally }: Watches,
  form: RecordForm,
): Filter {
  const { ordering, output, input } = job;
  const { count, keepsLast, groups, limit, underline } = output;
  const filters: ((next: BlockWriter) => Filter)[] = [];
  // Filters that divide records by equal keys also drop or count records, so verification watches before them.
  const divides = count || keepsLast || duplicates !== null || groups !== null;
  // Counts, underlines and newlines in quotes are not records of the input.
  const watchesBefore = divides || underline || input.framing !== null || input.shuffle !== null;
  if (divides && watch !== null) filters.push((next) => watch.stream(next, { afterHeader: false }));
  const keeps = keepsLast ? 'last' : 1;
  if (duplicates !== null) {
    const others = through(lastFilters(job, header, form), duplicates);
    filters.push((next) => alongside(splitEqual(ordering, next, others.write, keeps), others));
  } else if (keepsLast) {
    filters.push((next) => splitEqual(ordering, next, async () => {}, keeps));
  }
  if (count) filters.push((next) => countEqual(ordering, next, countPlace(input)));
  if (count && watch !== null) filters.push((next) => watch.countedLines(next));
  // With --dupes-output and --unique=last, as with -u, only one record has each start.
  if (duplicates === null && !keepsLast && hasParents(input.genomics, ordering))
    filters.push((next) => parentsFirst(next));
  if (groups !== null) filters.push((next) => firstOfGroups(ordering, groups, next));
  if (limit !== null)
    filters.push((next) => limitRecords(limit, ordering.format, space, next, heldInMemory(job.resources.memoryBytes)));
  if (count && limit !== null && watch !== null) filters.push((next) => watch.limitedLines(next));
  if (tally !== null)
    filters.push((next) =>
      passing((block) => {
        tally(block);
        return next(block);
      }),
    );
  if (watch !== null && watchesBefore && !divides) filters.push((next) => watch.stream(next, { afterHeader: false }));
  if (input.shuffle !== null) filters.push((next) => withoutPlaces(job, next));
  if (underline) filters.push((next) => passing(underlining(ordering, next, input.framing?.kind === 'csv')));
  filters.push(...lastFilters(job, header, form));
  if (watch !== null && !watchesBefore) filters.push((next) => watch.stream(next, { afterHeader: true }));
  return through(filters, write);
}

/** Drops the places of shuffled records, and puts a sample in input order. */
function withoutPlaces({ input: { shuffle }, ordering, output, resources }: FilteredJob, next: BlockWriter): Filter {
  const { delimiter } = recordFinder(ordering.format);
  return output.inInputOrder
    ? inInputOrder({ delimiter: delimiter!, seed: shuffle!.seed!, memoryBytes: resources.memoryBytes }, next)
    : restoring(placeDropper(delimiter!), next);
}

const areRestored = (form: RecordForm): boolean => form === 'newlines' || form === 'bam';

/**
 * Whether the ordered stream of a job that can take the road `deflated` reaches the output as it is, after the header.
 */
export function isUnfiltered({ input, ordering }: Pick<SortJob, 'input' | 'ordering'>, form: RecordForm): boolean {
  return (input.framing === null || areRestored(form)) && !hasParents(input.genomics, ordering);
}

/** The filters just before each output: they restore the form of the records, and write the header. */
function lastFilters(
  { input: { framing, mates }, output: { count } }: FilteredJob,
  header: (() => Uint8Array) | null,
  form: RecordForm,
): ((next: BlockWriter) => Filter)[] {
  const filters: ((next: BlockWriter) => Filter)[] = [];
  // Reads and their mates are restored as they are split (src/output/mates.ts).
  if (framing !== null && mates.length === 0 && !areRestored(form))
    filters.push((next) => restoring(restorerOf(framing), next));
  if (header !== null) {
    // The header of CSV is in the form of its records.
    const text =
      framing?.kind === 'csv'
        ? (): Uint8Array => restored(framing, count ? withCountField(header(), framing.separator) : header())
        : header;
    filters.push((next) => preceded(text, next));
  }
  return filters;
}

/** `filter`, which passes a part of the stream to `other`; `other` finishes after it. */
function alongside(filter: Filter, other: Filter): Filter {
  return {
    ...filter,
    finish: async () => {
      await filter.finish();
      await other.finish();
    },
  };
}

/** The filters before the writer of a run: only a limit, unless equal records are still needed. */
export function runFilters(
  { ordering, output, resources: { memoryBytes } }: FilteredJob,
  space: Spool,
  write: BlockWriter,
): Filter {
  const { limit } = output;
  return limit === null || limitsLate(output)
    ? passing(write)
    : limitRecords(limit, ordering.format, space, write, heldInMemory(memoryBytes));
}
