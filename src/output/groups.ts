/**
 * --top with --per: passes on the first records of each group. A group is adjacent records with equal group keys. These
 * keys are made again here, because a record's key does not show where its group key ends.
 */
import type { BlockWriter } from '../contract/engine.js';
import type { GroupLimit } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { KeyMaker } from '../keys/key-maker.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import { splitEqual } from './duplicates.js';
import { type Filter, oneByOne } from './filter.js';

/**
 * The filter for lines without keys, in the order of `ordering`, which begins with the group keys. Both orderings are
 * complete (src/input/complete.ts).
 */
export function firstOfGroups(
  { format, reverse }: Pick<Ordering, 'format' | 'reverse'>,
  { key, count }: GroupLimit,
  write: BlockWriter,
): Filter {
  const group: Ordering = { format, key, reverse, unique: true, lastResort: false };
  const split = splitEqual(group, write, async () => {}, count);
  if (key.kind !== 'normalized') return split;
  const records = new WholeRecords(recordFinder(format));
  const maker = new KeyMaker(group);
  return oneByOne({
    take: async (block) => {
      for (const text of records.texts(block)) for (const keyed of maker.blocks(text)) await split.write(keyed);
    },
    finish: split.finish,
  });
}
