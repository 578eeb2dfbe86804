/**
 * The tasks of host threads on records in shared memory. The same function runs in threads and in the calling thread.
 * Knows no device.
 */

import type { Ordering } from '../../../job/ordering.js';
import type { Digest } from '../../../report/digest.js';
import { Summer } from '../../../verify/summer.js';
import { countParts, type MarkedOrder, moveParts, type SplitDigit, sortGroups, sortRange } from './host-groups.js';
import { bytesInOrder, countDelimiters, writeEnds, writeInOrder } from './host-text.js';
import { hostRecords, sharedDepth } from './multikey-quicksort.js';
import { markRange, type PackedWords, type Packing, packRange, type Survey, surveyRange } from './pack-symbols.js';

/** Records that all threads see: views of shared memory, or of the caller's own memory if it does everything. */
export interface TaskRecords {
  readonly ordering: Ordering;
  readonly text: Uint8Array;
  /** [count + 1] */
  readonly starts: Uint32Array;
  /** [count]: indices into `starts`, groups in order. Of equal records the smaller index comes first. */
  readonly order: Uint32Array;
  /** [count]: see host-groups.ts. After the sort, valid only under `unique`. */
  readonly states: Uint32Array;
}

/** Counts the records that end in bytes [from, to) of a text; with `ends`, writes where they end to list[first ...). */
interface EndsTask {
  readonly kind: 'ends';
  readonly text: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly delimiter: number;
  readonly ends: { readonly list: Uint32Array; readonly first: number } | null;
}

interface OrderRange {
  readonly records: TaskRecords;
  readonly from: number;
  readonly to: number;
}

type RecordsTask = OrderRange &
  /**
   * Sorts the groups in [from, to), whose records share `depth` ordered bytes. Returns the number of records in groups.
   */
  (
    | { readonly kind: 'groups'; readonly depth: number }
    /** Sorts a bucket of one group. */
    | { readonly kind: 'range'; readonly depth: number }
    /**
     * Returns the number of ordered bytes that [from, to) share with the record `first`. They are known to share
     * `depth`.
     */
    | { readonly kind: 'shared'; readonly first: number; readonly depth: number }
    /** Returns the number of records of [from, to) in each bucket. */
    | { readonly kind: 'count'; readonly digit: SplitDigit }
    /** Moves [from, to) to the places of their buckets in `target`. */
    | { readonly kind: 'move'; readonly digit: SplitDigit; readonly places: Uint32Array; readonly target: Uint32Array }
    /** Returns the survey of the records [from, to). */
    | { readonly kind: 'survey' }
    | { readonly kind: 'pack'; readonly packing: Packing; readonly packed: PackedWords }
    | { readonly kind: 'mark'; readonly packing: Packing; readonly packed: PackedWords }
    /** Returns the digest of the records [from, to) in the order of the text. */
    | { readonly kind: 'digest' }
    /** Returns the bytes of the records order[from ... to). */
    | { readonly kind: 'bytes' }
    /** Writes the records order[from ... to) to `target`. */
    | { readonly kind: 'write'; readonly target: Uint8Array }
  );

export type HostTask = RecordsTask | EndsTask;

export type HostOutcome = number | Uint32Array | Survey | Digest | null;

/** The role `records` of src/run/worker.ts. */
export function openHostWorker(): (task: HostTask) => HostOutcome {
  return performHostTask;
}

/** Performs the task in this thread. */
export function performHostTask(task: HostTask): HostOutcome {
  if (task.kind !== 'ends') return performRecordsTask(task);
  const { text, from, to, delimiter, ends } = task;
  if (ends === null) return countDelimiters(text, from, to, delimiter);
  writeEnds(text, from, to, delimiter, ends.list.subarray(ends.first));
  return null;
}

/** Hashes the records of this thread's tasks, all of one format. */
let summer: Summer | undefined;

function performRecordsTask(task: RecordsTask): HostOutcome {
  const {
    from,
    to,
    records: { ordering, text, starts, order, states },
  } = task;
  const records = hostRecords(text, starts, ordering);
  const sorted: MarkedOrder = { marks: ordering.unique, records, order, states };
  switch (task.kind) {
    case 'groups':
      return sortGroups(sorted, from, to, task.depth);
    case 'range':
      sortRange(sorted, from, to, task.depth);
      return null;
    case 'shared':
      return sharedDepth(records, order.subarray(from, to), task.first, task.depth);
    case 'count':
      return countParts(sorted, from, to, task.digit);
    case 'move':
      moveParts(sorted, from, to, task.digit, task);
      return null;
    case 'survey':
      return surveyRange(records, from, to);
    case 'pack':
      packRange(records, from, to, task.packing, task.packed);
      return null;
    case 'mark':
      markRange(sorted, from, to, task.packing.ends, task.packed);
      return null;
    case 'digest':
      return (summer ??= new Summer(ordering.format)).digest(text.subarray(starts[from], starts[to]));
    case 'bytes':
      return bytesInOrder(starts, order, from, to);
    case 'write':
      writeInOrder(text, starts, order.subarray(from, to), task.target);
      return null;
  }
}
