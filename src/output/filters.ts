/** The filters that the ordered stream of a job passes on its way to the sink. */
import type { BlockWriter } from '../engines/contract.js';
import type { SortJob } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { countCollated, countEqual } from './count.js';
import { type Filter, passing, preceded, through } from './filter.js';
import { heldInMemory, limitRecords, type Spool } from './limit.js';
import { hasParents, parentsFirst } from './parents.js';
import { restored, restorerOf, restoring } from './restored.js';
import { underlining } from './underline.js';

/** What looks at the ordered stream without changing it. */
export interface Watches {
  readonly verification: OutputWatch | null;
  /** Gets the blocks of the stream after --count, --top and --bottom, as engines hold records without keys. */
  readonly tally: ((block: Uint8Array) => void) | null;
}

/** Watches the records of the stream for --verify. */
export interface OutputWatch {
  /**
   * Watches the ordered stream as it is written. If a filter adds anything that is not a record of the input, watches
   * the stream before that filter. `afterHeader`: the header precedes it.
   */
  stream(next: BlockWriter, afterHeader: boolean): Filter;
  /** Watch the output of --count, before and after --top and --bottom. */
  countedLines(next: BlockWriter): Filter;
  limitedLines(next: BlockWriter): Filter;
}

/** The part of a job that decides what happens to ordered records on their way out. */
type FilteredJob = Pick<SortJob, 'input' | 'ordering' | 'output' | 'resources'>;

/**
 * The filters before `write`, for one attempt at the output. `header`: returns the text before all records, called at
 * the first block; null: there is none. Under `count` the stream has records as runs hold them.
 */
export function outputFilters(
  { ordering, input: { framing, genomics, mates }, output, resources: { memoryBytes } }: FilteredJob,
  header: (() => Uint8Array) | null,
  space: Spool,
  write: BlockWriter,
  { verification: watch, tally }: Watches,
): Filter {
  const { count, limit, underline } = output;
  const filters: ((next: BlockWriter) => Filter)[] = [];
  // Counts, underlines and newlines in quotes are not records of the input.
  const watchesBefore = count || underline || framing !== null;
  if (count && watch !== null) filters.push((next) => watch.stream(next, false));
  if (count)
    filters.push((next) =>
      isCollated(ordering) ? countCollated(ordering, next) : countEqual(ordering, next, genomics !== null),
    );
  if (count && watch !== null) filters.push((next) => watch.countedLines(next));
  if (hasParents(genomics, ordering)) filters.push((next) => parentsFirst(next));
  if (limit !== null)
    filters.push((next) => limitRecords(limit, ordering.format, space, next, heldInMemory(memoryBytes)));
  if (count && limit !== null && watch !== null) filters.push((next) => watch.limitedLines(next));
  if (tally !== null)
    filters.push((next) =>
      passing((block) => {
        tally(block);
        return next(block);
      }),
    );
  if (watch !== null && watchesBefore && !count) filters.push((next) => watch.stream(next, false));
  if (underline) filters.push((next) => passing(underlining(ordering, next)));
  // Reads and their mates are restored as they are split (src/output/mates.ts).
  if (framing !== null && mates.length === 0 && ordering.outputDelimiter === undefined)
    filters.push((next) => restoring(restorerOf(framing), next));
  if (header !== null) {
    // The header of CSV has the form of its records.
    const text = framing?.kind === 'csv' ? (): Uint8Array => restored(framing, header()) : header;
    filters.push((next) => preceded(text, next));
  }
  if (watch !== null && !watchesBefore) filters.push((next) => watch.stream(next, true));
  return through(filters, write);
}

/** The filters before the writer of a run: only a limit, unless equal lines are still to be counted. */
export function runFilters(
  { ordering, output: { count, limit }, resources: { memoryBytes } }: FilteredJob,
  space: Spool,
  write: BlockWriter,
): Filter {
  return limit === null || count
    ? passing(write)
    : limitRecords(limit, ordering.format, space, write, heldInMemory(memoryBytes));
}
