/** Sizes of the units of a sort into BAM, and the memory that they need. Pure: the planner forecasts by them. */
import { MiB } from '../../../report/units.js';

/** A group's share of a range should have about this many bytes: smaller shares cost more to copy. */
const SLICE_BYTES = 5000;
/** Bytes of text in a group, and in a range. The smallest fits a processor's own cache. */
const GROUP_BYTES = { least: MiB, most: 64 * MiB } as const;
/** Expected memory for each byte of text, keys included, until some is sorted: keys by coordinate are numbers. */
export const firstShare = (hasRows: boolean): number => (hasRows ? 1.5 : 1.1);
/** Memory per thread, in groups or longest records: for its kernels, its waiting tasks and its results. */
const GROUPS_PER_THREAD = 10;

/** Bytes of a group, and of a range, in `text` bytes of text. The smaller groups are, the smaller their shares. */
export function groupBytesOf(text: number): number {
  const even = Math.sqrt(text * SLICE_BYTES);
  return Math.ceil(Math.min(GROUP_BYTES.most, Math.max(GROUP_BYTES.least, even)));
}

/** The memory that `threads` threads leave for text. `longest`: bytes of the longest group or record so far. */
export function roomForText(memoryBytes: number, threads: number, longest: number = GROUP_BYTES.least): number {
  return Math.max(0, memoryBytes - threads * GROUPS_PER_THREAD * longest);
}
