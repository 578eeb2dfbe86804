/** The stages that the ordered stream of a job passes on its way to the sink. */
import type { BlockWriter } from '../engines/contract.js';
import type { SortJob } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { countCollated, countEqual } from './count.js';
import { type Filter, passing, preceded, through } from './filter.js';
import { heldInMemory, limitRecords, type Spool } from './limit.js';
import { restored, restorerOf, restoring } from './restored.js';
import { underlining } from './underline.js';

/** Watches the records of the stream for --verify. */
export interface OutputWatch {
  /**
   * Watches the ordered stream as it is written. If a stage adds anything that is not a record of the input, watches
   * the stream before that stage. `afterHeader`: the header precedes it.
   */
  stream(next: BlockWriter, afterHeader: boolean): Filter;
  /** Watch the output of --count, before and after --top and --bottom. */
  countedLines(next: BlockWriter): Filter;
  limitedLines(next: BlockWriter): Filter;
}

/**
 * The stages before `write`, for one attempt at the output. `header`: returns the text before all records, called at
 * the first block; null: there is none. Under `count` the stream has records as runs hold them.
 */
export function outputStages(
  { ordering, input: { framing, genomics, mates }, output, resources: { memoryBytes } }: SortJob,
  header: (() => Uint8Array) | null,
  space: Spool,
  write: BlockWriter,
  watch: OutputWatch | null = null,
): Filter {
  const { count, limit, underline } = output;
  const stages: ((next: BlockWriter) => Filter)[] = [];
  // Counts, underlines and newlines in quotes are not records of the input.
  const watchesBefore = count || underline || framing !== null;
  if (count && watch !== null) stages.push((next) => watch.stream(next, false));
  if (count)
    stages.push((next) =>
      isCollated(ordering) ? countCollated(ordering, next) : countEqual(ordering, next, genomics !== null),
    );
  if (count && watch !== null) stages.push((next) => watch.countedLines(next));
  if (limit !== null)
    stages.push((next) => limitRecords(limit, ordering.format, space, next, heldInMemory(memoryBytes)));
  if (count && limit !== null && watch !== null) stages.push((next) => watch.limitedLines(next));
  if (watch !== null && watchesBefore && !count) stages.push((next) => watch.stream(next, false));
  if (underline) stages.push((next) => passing(underlining(ordering, next)));
  // Reads and their mates are restored when they are split (mates.ts).
  if (framing !== null && mates.length === 0 && ordering.outputDelimiter === undefined)
    stages.push((next) => restoring(restorerOf(framing), next));
  if (header !== null) {
    // The header of CSV has the form of its records.
    const text = framing?.kind === 'csv' ? (): Uint8Array => restored(framing, header()) : header;
    stages.push((next) => preceded(text, next));
  }
  if (watch !== null && !watchesBefore) stages.push((next) => watch.stream(next, true));
  return through(stages, write);
}

/** The stages before the writer of a run: only a limit, unless equal lines are still to be counted. */
export function runStages(
  { ordering, output: { count, limit }, resources: { memoryBytes } }: SortJob,
  space: Spool,
  write: BlockWriter,
): Filter {
  return limit === null || count
    ? passing(write)
    : limitRecords(limit, ordering.format, space, write, heldInMemory(memoryBytes));
}
