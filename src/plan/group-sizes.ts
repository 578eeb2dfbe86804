/** Sizes of the groups in which stored records are sorted, and the memory that they need. Pure. */
import { MiB } from '../report/units.js';

/** A group's share of a merge should have about this many bytes: smaller shares cost more to copy. */
const SLICE_BYTES = 10000;
/** Bytes of text in a group, and in a merge. The smallest fits a processor's own cache. */
const GROUP_BYTES = { least: MiB, most: 64 * MiB } as const;
/** Bytes of a group in an input of unknown size, at most: as for 13 GB of text. */
const UNKNOWN_GROUP_BYTES = 8 * MiB;
/** Memory per thread, in groups: for its kernels, its waiting tasks and its results. */
const GROUPS_PER_THREAD = 10;
/** The share of the memory that groups take if it is small. */
const GROUPS_SHARE = 1 / 4;

/** Bytes of a group, and of a merge, in `text` bytes of text. The smaller groups are, the smaller their shares. */
export function groupBytesOf(text: number): number {
  const even = Math.sqrt(text * SLICE_BYTES);
  return Math.ceil(Math.min(GROUP_BYTES.most, Math.max(GROUP_BYTES.least, even)));
}

/** The maximum bytes of a group. `text`: null if it is not known. */
export function mostGroupBytes(text: number | null, memoryBytes: number, threads: number): number {
  const bytes = text === null ? UNKNOWN_GROUP_BYTES : groupBytesOf(text);
  const most = Math.floor((memoryBytes * GROUPS_SHARE) / (threads * GROUPS_PER_THREAD));
  return Math.min(bytes, Math.max(GROUP_BYTES.least, most));
}

/** The memory that `threads` threads leave for text. */
export function roomForText(memoryBytes: number, threads: number, groupBytes: number): number {
  return Math.max(0, memoryBytes - threads * GROUPS_PER_THREAD * groupBytes);
}
