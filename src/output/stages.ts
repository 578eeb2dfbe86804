/** What the ordered stream of a job passes on its way to the sink. */
import type { BlockWriter } from '../engine.js';
import type { SortJob } from '../job.js';
import { isCollated } from '../keys/collation/collation.js';
import { countCollated } from './count-collated.js';
import { countEqual } from './count.js';
import { passing, preceded, through, type Filter } from './filter.js';
import { limitRecords, type Space } from './limit.js';
import { endingInNewlines } from './newlines.js';
import { underlining } from './underline.js';

/** The stages before `write`, for one time that the output is begun. `header`: what comes before all records, asked when the first ones come; null: nothing. Under `count` the stream is of records as runs have them. */
export function outputStages({ ordering, count, limit, csvSeparator, debug }: SortJob, header: (() => Uint8Array) | null, space: Space, write: BlockWriter): Filter {
  const stages: ((next: BlockWriter) => Filter)[] = [];
  if (count) stages.push((next) => (isCollated(ordering) ? countCollated : countEqual)(ordering, next));
  if (limit !== null) stages.push((next) => limitRecords(limit, ordering.format, space, next));
  if (debug) stages.push((next) => passing(underlining(ordering, next)));
  if (header !== null) stages.push((next) => preceded(header, next));
  if (csvSeparator !== null) stages.push((next) => passing(endingInNewlines(next)));
  return through(stages, write);
}
