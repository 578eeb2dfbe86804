/**
 * The task that sorts stored bytes: inflates whole blocks of BAM, or converts lines of SAM, and sorts the records in
 * them, while they are in a processor's cache. Records lie across blocks: a group has those that begin in its text, and
 * reads on in the blocks after it to complete the last one. Where the first one begins is known once the group before
 * it is sorted, so the thread guesses.
 */
import { Inflater } from '../../codecs/inflate.js';
import { inflateBlocks, inflateOn } from '../../codecs/inflate-blocks.js';
import type { KeyMaker } from '../../keys/key-maker.js';
import { AlignmentConverter, mostConverted } from '../../records/convert.js';
import { GpusortError } from '../../system/errors.js';
import { copyBytes, growTo, KERNEL_SLACK, uint32 } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import type { ArenaPlace } from './arena.js';
import {
  type CpuKernels,
  copyIn,
  ITEM_BYTES,
  layOut,
  NATURAL,
  RANGE_BYTES,
} from './kernels.js';
import type { Outcome } from './outcome.js';

/** What the stored bytes are. */
export interface StoredRecords {
  /** The number of references that records may refer to. */
  readonly references: number;
  /** If they are SAM: the names of the references, each followed by a newline. Null: they are BAM. */
  readonly contigs: Uint8Array | null;
  /** Whether a record of SAM with a reference and no position has another place as BAM, so that there must be none. */
  readonly refusesUnplaced: boolean;
}

/** Whole blocks or lines, bytes [at, to) of `from`; the input's next bytes follow them up to `until`. */
export interface GroupTask {
  readonly kind: 'group';
  readonly from: SharedArrayBuffer;
  readonly at: number;
  readonly to: number;
  readonly until: number;
  /** Bytes of their text. */
  readonly text: number;
  /** Where the first record begins in the text; null: the thread guesses it. May lie after the text. */
  readonly begin: number | null;
  /** For the sorted records, if they fit. */
  readonly target: ArenaPlace;
}

/** Where the records of a group were, in the text that begins with the group. `end` may lie after the group's text. */
export interface GroupReport {
  readonly begin: number;
  readonly end: number;
  /** Why the group cannot be sorted this way; null: it is sorted. */
  readonly problem: string | null;
}

/** The outcome of a group, at byte `at` of a buffer. */
export interface GroupResult {
  readonly report: GroupReport;
  readonly outcome: Outcome;
  readonly buffer: SharedArrayBuffer;
  readonly at: number;
}

/** The tools of a thread for groups. */
export interface GroupTools {
  readonly stored: StoredRecords;
  /** Inflates groups in the memory of the kernels. */
  readonly inflater: Inflater;
  /** Inflates the blocks after a group elsewhere. */
  readonly onward: Inflater;
  readonly converter: AlignmentConverter | null;
}

/** Blocks are inflated in the memory of the kernels, which they may use from `free` on. */
export function openGroupTools(stored: StoredRecords, { memory, free }: CpuKernels): GroupTools {
  const { contigs } = stored;
  return {
    stored,
    inflater: new Inflater(memory, Math.ceil(free / 16) * 16),
    onward: new Inflater(),
    converter: contigs === null ? null : new AlignmentConverter('bam', contigs),
  };
}

/** Bytes of text that are inflated first after a group: most records of short reads end there. */
const FIRST_BYTES = 2048;
/** Bytes of a record's length, and of the fields that are checked before its length is trusted. */
const LENGTH_BYTES = 4;
const FIXED_BYTES = 36;

/** The whole records of a group: bytes [begin, end) of the kernels' memory. */
interface WholeRecords {
  readonly begin: number;
  readonly end: number;
  readonly report: GroupReport;
}

export function* orderGroup(
  kernels: CpuKernels,
  keys: KeyMaker,
  tools: GroupTools,
  task: GroupTask,
): Resumable<GroupResult> {
  const failed = (report: GroupReport): GroupResult => ({
    report,
    outcome: { bytes: 0, records: 0 },
    buffer: task.target.buffer,
    at: task.target.at,
  });
  const whole =
    tools.converter === null
      ? recordsOfBlocks(kernels, keys, tools, task)
      : yield* recordsOfLines(kernels, keys, tools, tools.converter, task);
  const { begin, end, report } = whole;
  if (report.problem !== null) return failed(report);
  try {
    const { text, entries, index, records } = yield* sortRecords(kernels, keys, begin, end);
    let target: ArenaPlace = task.target;
    const even = (n: number): number => Math.ceil(n / 8) * 8;
    const entriesAt = even(text.length);
    const indexAt = entriesAt + even(entries.length);
    const bytes = indexAt + index.length;
    if (bytes > target.bytes) target = { buffer: new SharedArrayBuffer(bytes), at: 0, bytes };
    const memory = new Uint8Array(target.buffer, target.at, bytes);
    copyBytes(text, memory);
    copyBytes(entries, memory, entriesAt);
    copyBytes(index, memory, indexAt);
    const place = { begin: target.at, bytes: text.length, entriesAt: target.at + entriesAt, entryBytes: entries.length, indexAt: target.at + indexAt, records };
    return { report, outcome: { bytes, records, place }, buffer: target.buffer, at: target.at };
  } catch (error) {
    if (!(error instanceof GpusortError) || error.code !== 'bad-records') throw error;
    return failed({ ...report, problem: error.message });
  }
}

/** The minimum bytes of a record. */
const LEAST_RECORD = 36;

function* sortRecords(
  kernels: CpuKernels,
  keys: KeyMaker,
  begin: number,
  end: number,
): Resumable<{ text: Uint8Array; entries: Uint8Array; index: Uint8Array; records: number }> {
  const most = Math.ceil((end - begin) / LEAST_RECORD) + 1;
  const [items, room, ranges, entries] = layOut(
    kernels,
    [most * ITEM_BYTES, most * ITEM_BYTES, (most * ITEM_BYTES) / 2 + RANGE_BYTES, 0],
    end + KERNEL_SLACK,
  ) as [number, number, number, number];
  const made = yield* keys.entrySteps(begin, end, entries, items);
  const indexBytes = 8 * Math.ceil(made.count / 16);
  const [target, sortedEntries, index] = layOut(kernels, [end - begin, made.end - entries, indexBytes], made.end + KERNEL_SLACK) as [number, number, number];
  if (made.count > 0 && (kernels.notice(items, 0, made.count) & NATURAL.rising) === 0)
    kernels.order(items, made.count, room - items, ranges);
  yield;
  const textEnd = kernels.gatherRecords(items, made.count, target);
  const entriesEnd = kernels.writeEntries(items, made.count, sortedEntries, index);
  const { buffer } = kernels.memory;
  return {
    text: new Uint8Array(buffer, target, textEnd - target),
    entries: new Uint8Array(buffer, sortedEntries, entriesEnd - sortedEntries),
    index: new Uint8Array(buffer, index, indexBytes),
    records: made.count,
  };
}

function recordsOfBlocks(
  kernels: CpuKernels,
  { records }: KeyMaker,
  { inflater, onward, stored: { references } }: GroupTools,
  { from: memory, at, to, until, text, begin: known }: GroupTask,
): WholeRecords {
  const inflated = inflateBlocks({ memory, from: at, to }, text, inflater);
  if ('broken' in inflated) return refused(0, `a block ${inflated.broken}`);
  const place = inflated.byteOffset;
  const begin = known ?? records.findFirstRecord(place, place + text, references) - place;
  // The record before this group's first one ends after it.
  if (begin >= text) return { begin: place, end: place, report: { begin, end: begin, problem: null } };
  let end = records.checkRecords(place + begin, place + text, place + text, references) - place;
  for (let wanted = FIRST_BYTES; end < text && records.isMalformed() === 0; ) {
    const more = inflateOn({ memory, from: to, to: until }, wanted, onward);
    if ('broken' in more) return refused(begin, `a block ${more.broken}`);
    growTo(kernels.memory, place + text + more.length + KERNEL_SLACK);
    copyIn(kernels, more, place + text);
    const held = text + more.length;
    end = records.checkRecords(place + end, place + text, place + held, references) - place;
    if (end >= text) break;
    if (more.length < wanted) return refused(begin, 'a record is cut off, or too long');
    const size = held - end < LENGTH_BYTES ? FIXED_BYTES : sizeAt(kernels, place + end);
    wanted = Math.max(2 * FIXED_BYTES, end + size - text);
  }
  if (records.isMalformed() !== 0) return refused(begin, 'a record is malformed');
  return { begin: place + begin, end: place + end, report: { begin, end, problem: null } };
}

function* recordsOfLines(
  kernels: CpuKernels,
  { records }: KeyMaker,
  { stored: { references, refusesUnplaced } }: GroupTools,
  converter: AlignmentConverter,
  { from, at, to, text }: GroupTask,
): Resumable<WholeRecords> {
  const lines = new Uint8Array(from, at, to - at);
  const most = mostConverted(lines.length);
  const [place] = layOut(kernels, [most]) as [number];
  const { bytes, unconverted } = yield* converter.steps(lines, new Uint8Array(kernels.memory.buffer, place, most));
  if (unconverted !== null) return refused(0, 'a line cannot be converted');
  const end = place + bytes;
  const checked = records.checkRecords(place, end, end, references);
  if (checked < end || records.isMalformed() !== 0) return refused(0, 'a record is malformed');
  if (refusesUnplaced && records.hasUnplaced() !== 0) return refused(0, 'a record has a reference, but no position');
  return { begin: place, end, report: { begin: 0, end: text, problem: null } };
}

const refused = (begin: number, problem: string): WholeRecords => ({
  begin: 0,
  end: 0,
  report: { begin, end: begin, problem },
});

/** The bytes of the record at an address, its length included. */
const sizeAt = ({ memory }: CpuKernels, address: number): number =>
  LENGTH_BYTES + uint32(new Uint8Array(memory.buffer, address, LENGTH_BYTES), 0);
