/**
 * The tasks of threads that sort into BAM: inflate a group of blocks, or convert one of lines, and sort its records;
 * merge the slices of a range (by sorting them again) and compress the result. Texts and blocks lie in shared memory.
 */
import { writeBlocks } from '../../../codecs/bgzf.js';
import { Inflater } from '../../../codecs/inflate.js';
import { inflateBlocks } from '../../../codecs/inflate-blocks.js';
import type { BamInput } from '../../../contract/bam-sort.js';
import { AlignmentConverter, mostConverted } from '../../../records/convert.js';
import type { Presence } from '../../../report/recorder.js';
import { GpusortError } from '../../../system/errors.js';
import { copyBytes, newMemory } from '../../../system/memory.js';
import { finish, type Resumable } from '../../../system/resumable.js';
import { slicesIn } from './ranges.js';
import { RecordSorter } from './record-sorter.js';

/** A group to sort: whole blocks of BGZF or lines of SAM, [at, to) of `from`. Their text has `text` bytes. */
export interface GroupTask {
  readonly kind: 'group';
  readonly from: SharedArrayBuffer;
  readonly at: number;
  readonly to: number;
  readonly text: number;
  readonly references: number;
  /** Where the first record begins in the inflated text; null: the thread guesses it. */
  readonly begin: number | null;
  readonly place: TextPlace;
}

/** A place for sorted text in shared memory, and for its index (see indexAt in keys.ts). */
export interface TextPlace {
  /** The number of the memory. */
  readonly text: number;
  readonly memory: SharedArrayBuffer;
  readonly at: number;
  /** Maximum bytes of the text. */
  readonly bytes: number;
  readonly indexAt: number;
  /** Maximum bytes of the index. */
  readonly indexBytes: number;
}

/** The records of a group. `head` and `tail` are the text before and after them. */
export interface SortedGroup {
  readonly count: number;
  readonly size: GroupSize;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Whether `tail` cannot be the beginning of a record. */
  readonly isMalformed: boolean;
}

/** The bytes of a sorted group, and of its index. */
export interface GroupSize {
  readonly bytes: number;
  readonly indexBytes: number;
}

/** A group whose records, or their index, do not fit into their place. */
interface LargeGroup {
  readonly needs: GroupSize;
}

/** A group that cannot be sorted this way, and why. */
interface BrokenGroup {
  readonly broken: string;
}

/** Slices of sorted texts: the records of a range of the output, and those that fill its last block. */
interface RangeTask {
  readonly kind: 'range';
  readonly texts: readonly SharedArrayBuffer[];
  /** In the order of the input (slicesIn). */
  readonly slices: Float64Array;
  readonly references: number;
  /** The part of the sorted text that is compressed. */
  readonly begin: number;
  readonly end: number;
  readonly level: number;
  /** Where the blocks go. Their text follows at `textAt`; null: it is not wanted. */
  readonly target: SharedArrayBuffer;
  readonly textAt: number | null;
  /** Whether the text before `begin` is wanted. */
  readonly head: boolean;
}

/** The bytes of each block of a range, and the text before the blocks, if it was wanted. */
export interface MadeRange {
  readonly blocks: readonly number[];
  readonly head: Uint8Array | null;
}

const NOTHING = new Uint8Array();

export type BamTask = GroupTask | RangeTask;
export type GroupOutcome = SortedGroup | LargeGroup | BrokenGroup;
export type BamOutcome = GroupOutcome | MadeRange;

/** The kernels of a thread, for one sort. */
export interface BamTools {
  readonly sorter: RecordSorter;
  readonly inflater: Inflater;
  /** Null: the input is BAM. */
  readonly converter: AlignmentConverter | null;
}

/** The settings that all tasks of a sort share. */
export type BamSetting = Pick<BamInput, 'rows' | 'contigs'> & { readonly presence: Presence | null };

export function openTools({ rows, contigs, presence }: BamSetting): BamTools {
  const memory = newMemory();
  const sorter = new RecordSorter(memory, rows, presence);
  return {
    sorter,
    inflater: new Inflater(memory, sorter.free),
    converter: contigs && new AlignmentConverter('bam', contigs),
  };
}

/** The steps of a task: the calling thread executes some of them. */
export function* bamSteps(tools: BamTools, task: BamTask): Resumable<BamOutcome> {
  if (task.kind === 'range') return yield* makeRange(tools, task);
  try {
    return tools.converter === null ? sortBlocks(tools, task) : yield* sortLines(tools, tools.converter, task);
  } catch (error) {
    // A record has no key. It is reported as a line.
    if (error instanceof GpusortError && error.code === 'bad-records') return { broken: error.message };
    throw error;
  }
}

function sortBlocks({ inflater, sorter }: BamTools, task: GroupTask): GroupOutcome {
  const { from, at, to, references, begin } = task;
  const text = inflateBlocks({ memory: from, from: at, to }, task.text, inflater);
  if ('broken' in text) return { broken: `a block ${text.broken}` };
  const { count, isMalformed, ...sorted } = sorter.sort(text, references, begin);
  const { size, fits } = putSorted(sorter, sorted.text, count, task);
  if (!fits) return { needs: size };
  const inflated = inflater.output;
  return { count, size, isMalformed, head: inflated.slice(0, sorted.from), tail: inflated.slice(sorted.to) };
}

function* sortLines({ sorter }: BamTools, converter: AlignmentConverter, task: GroupTask): Resumable<GroupOutcome> {
  const { from, at, to, references } = task;
  const lines = new Uint8Array(from, at, to - at);
  const { text: place } = sorter.place(mostConverted(lines.length));
  const { bytes, unconverted } = yield* converter.steps(lines, place);
  if (unconverted !== null) return { broken: 'a line cannot be converted' };
  const { text, count, isMalformed, hasUnplaced } = sorter.sort(place.subarray(0, bytes), references, 0);
  // Sorted as SAM, they come last in their reference; sorted as BAM, first.
  if (hasUnplaced && !sorter.hasRows) return { broken: 'a record has a reference, but no position' };
  const { size, fits } = putSorted(sorter, text, count, task);
  return fits ? { count, size, isMalformed, head: NOTHING, tail: NOTHING } : { needs: size };
}

/** Copies sorted records and their index to their place, if they fit. */
function putSorted(
  sorter: RecordSorter,
  text: Uint8Array,
  count: number,
  { place }: GroupTask,
): { readonly size: GroupSize; readonly fits: boolean } {
  const index = sorter.index(count);
  const size = { bytes: text.length, indexBytes: index.length };
  const fits = size.bytes <= place.bytes && size.indexBytes <= place.indexBytes;
  if (fits) fill(place, text, index);
  return { size, fits };
}

/** Copies sorted text and its index to their place. */
export function fill(place: TextPlace, text: Uint8Array, index: Uint8Array): void {
  const shared = new Uint8Array(place.memory);
  copyBytes(text, shared, place.at);
  copyBytes(index, shared, place.indexAt);
}

function* makeRange({ sorter }: BamTools, task: RangeTask): Resumable<MadeRange> {
  const { texts, slices, references, begin, end, level, target, textAt } = task;
  const parts = slicesIn(slices);
  const textBytes = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const entryBytes = parts.reduce((sum, { entriesFrom, entriesTo }) => sum + entriesTo - entriesFrom, 0);
  const place = sorter.place(textBytes, entryBytes);
  let filled = 0;
  let entries = 0;
  for (const { memory, from, to, entriesFrom, entriesTo } of parts) {
    copyBytes(new Uint8Array(texts[memory], from, to - from), place.text, filled);
    copyBytes(new Uint8Array(texts[memory], entriesFrom, entriesTo - entriesFrom), place.entries, entries);
    filled += to - from;
    entries += entriesTo - entriesFrom;
  }
  const { text } = sorter.sortPlaced(place, references);
  const compressed = text.subarray(begin, end);
  const out = new Uint8Array(target);
  const blocks = yield* writeBlocks(compressed, level, out);
  if (textAt !== null) copyBytes(compressed, out, textAt);
  return { blocks, head: task.head ? text.slice(0, begin) : null };
}

/** The role `bam` of src/run/worker.ts. */
export function openBamWorker(setting: BamSetting): (task: BamTask) => BamOutcome {
  const tools = openTools(setting);
  return (task) => finish(bamSteps(tools, task));
}
