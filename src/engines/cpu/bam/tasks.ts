/**
 * The tasks of threads that sort BAM: inflate a group of blocks and sort its records; merge the slices of a range, that
 * is, sort them again, and compress them. Texts and blocks lie in shared memory.
 */
import { writeBlocks } from '../../../codecs/bgzf.js';
import { Inflater } from '../../../codecs/inflate.js';
import { inflateBlocks } from '../../../codecs/inflate-blocks.js';
import { copyBytes, newMemory } from '../../../system/memory.js';
import { finish, type Resumable } from '../../../system/resumable.js';
import { RecordSorter } from './record-sorter.js';

/** Whole blocks of BGZF, [at, to) of `from`, whose text of `text` bytes is to be sorted. */
export interface GroupTask {
  readonly kind: 'group';
  readonly from: SharedArrayBuffer;
  readonly at: number;
  readonly to: number;
  readonly text: number;
  readonly references: number;
  /** Where the first record begins in the text; null: it is to be guessed. */
  readonly begin: number | null;
  /** Where the sorted records go, and their index (indexAt). */
  readonly target: SharedArrayBuffer;
  readonly textAt: number;
  readonly indexAt: number;
}

/** The records of a group. `head` and `tail` are the text before and after them. */
export interface SortedGroup {
  readonly count: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** `tail` does not begin with a record. */
  readonly isMalformed: boolean;
}

export interface BrokenGroup {
  readonly broken: string;
}

/** Slices of sorted texts: the records of a range of the output, and those that fill its last block. */
interface RangeTask {
  readonly kind: 'range';
  readonly texts: readonly SharedArrayBuffer[];
  /** Three numbers a slice, in the order of the input: the text, and where the slice begins and ends in it. */
  readonly slices: Float64Array;
  readonly references: number;
  /** The part of the sorted text that is compressed. */
  readonly begin: number;
  readonly end: number;
  readonly level: number;
  /** Where the blocks go, and after them, from `textAt` on, their text; null: it is not wanted. */
  readonly target: SharedArrayBuffer;
  readonly textAt: number | null;
  /** Whether the text before `begin` is wanted. */
  readonly head: boolean;
}

/** The blocks of a range, by their bytes, and what precedes their text. */
export interface MadeRange {
  readonly blocks: readonly number[];
  readonly head: Uint8Array | null;
}

export type BamTask = GroupTask | RangeTask;
export type BamOutcome = SortedGroup | BrokenGroup | MadeRange;

/** The kernels of a thread, and of the sort for which it works. */
export interface BamTools {
  readonly inflater: Inflater;
  readonly sorter: RecordSorter;
}

export function openTools(): BamTools {
  const memory = newMemory();
  return { inflater: new Inflater(memory), sorter: new RecordSorter(memory) };
}

/** The steps of a task: the calling thread executes some of them. */
export function* bamSteps(tools: BamTools, task: BamTask): Resumable<BamOutcome> {
  return task.kind === 'group' ? sortGroup(tools, task) : yield* makeRange(tools, task);
}

function sortGroup({ inflater, sorter }: BamTools, task: GroupTask): SortedGroup | BrokenGroup {
  const { from, at, to, references, begin, target, textAt, indexAt } = task;
  const text = inflateBlocks({ memory: from, from: at, to }, task.text, inflater);
  if ('broken' in text) return { broken: text.broken };
  const sorted = sorter.sort(text, references, begin);
  const shared = new Uint8Array(target);
  copyBytes(sorted.text, shared, textAt);
  copyBytes(sorter.index(sorted.count), shared, indexAt);
  const inflated = inflater.output;
  return {
    ...{ count: sorted.count, isMalformed: sorted.isMalformed },
    ...{ head: inflated.slice(0, sorted.from), tail: inflated.slice(sorted.to) },
  };
}

function* makeRange({ sorter }: BamTools, task: RangeTask): Resumable<MadeRange> {
  const { texts, slices, references, begin, end, level, target, textAt } = task;
  let bytes = 0;
  for (let i = 0; i < slices.length; i += 3) bytes += slices[i + 2] - slices[i + 1];
  const place = sorter.place(bytes);
  let filled = 0;
  for (let i = 0; i < slices.length; i += 3) {
    const length = slices[i + 2] - slices[i + 1];
    copyBytes(new Uint8Array(texts[slices[i]], slices[i + 1], length), place, filled);
    filled += length;
  }
  const { text } = sorter.sort(place, references, 0);
  const compressed = text.subarray(begin, end);
  const out = new Uint8Array(target);
  const blocks = yield* writeBlocks(compressed, level, out);
  if (textAt !== null) copyBytes(compressed, out, textAt);
  return { blocks, head: task.head ? text.slice(0, begin) : null };
}

/** The role `bam` of src/engines/worker.ts. */
export function openBamWorker(): (task: BamTask) => BamOutcome {
  const tools = openTools();
  return (task) => finish(bamSteps(tools, task));
}
