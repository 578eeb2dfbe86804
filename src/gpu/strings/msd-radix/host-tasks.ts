/**
 * The tasks of host threads on records in shared memory. The same function runs in threads and in the calling thread.
 * Knows no device.
 */
import type { Ordering } from '../../../job.js';
import { countParts, type Digit, type HostOrder, moveParts, sortGroups, sortRange } from './host-groups.js';
import { hostRecords, sharedDepth } from './multikey-quicksort.js';
import {
  type Alphabet,
  findAlphabet,
  markRange,
  type PackedWords,
  packRange,
  type SymbolCodes,
} from './pack-symbols.js';

/** Records that all threads see: views of shared memory, or of the caller's own memory if it does everything. */
export interface TaskRecords {
  readonly ordering: Ordering;
  readonly text: Uint8Array;
  /** [count + 1] */
  readonly starts: Uint32Array;
  /** Each record's final value in `order`; among equal records the smaller comes first. Null: its index in `starts`. */
  readonly numbers: Uint32Array | null;
  /** [count]: indices into `starts`, groups in order. */
  readonly order: Uint32Array;
  /** [count]: see host-groups.ts. Valid for sorted records only under `unique`. */
  readonly states: Uint32Array;
}

interface Range {
  readonly records: TaskRecords;
  readonly from: number;
  readonly to: number;
}

export type HostTask = Range &
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
    | { readonly kind: 'count'; readonly digit: Digit }
    /** Moves [from, to) to the places of their buckets in `target`. */
    | { readonly kind: 'move'; readonly digit: Digit; readonly places: Uint32Array; readonly target: Uint32Array }
    /** Returns the alphabet of the records [from, to). */
    | { readonly kind: 'alphabet' }
    | { readonly kind: 'pack'; readonly codes: SymbolCodes; readonly packed: PackedWords }
    | { readonly kind: 'mark'; readonly packed: PackedWords; readonly sorted: Uint32Array }
  );

export type HostOutcome = number | Uint32Array | Alphabet | null;

/** The role `records` of src/worker.ts. */
export function openHostWorker(): (task: HostTask) => HostOutcome {
  return performHostTask;
}

/** Performs the task in this thread. */
export function performHostTask(task: HostTask): HostOutcome {
  const {
    from,
    to,
    records: { ordering, text, starts, numbers, order, states },
  } = task;
  const records = hostRecords(text, starts, ordering, numbers);
  const sorted: HostOrder = { marks: ordering.unique, records, order, states };
  switch (task.kind) {
    case 'groups': {
      const members = sortGroups(sorted, from, to, task.depth);
      putNumbers(sorted, from, to);
      return members;
    }
    case 'range':
      sortRange(sorted, from, to, task.depth);
      putNumbers(sorted, from, to);
      return null;
    case 'shared':
      return sharedDepth(records, order, from, to, task.first, task.depth);
    case 'count':
      return countParts(sorted, from, to, task.digit);
    case 'move':
      moveParts(sorted, from, to, task.digit, task.places, task.target);
      return null;
    case 'alphabet':
      return findAlphabet(records, from, to);
    case 'pack':
      packRange(records, from, to, task.codes, task.packed);
      return null;
    case 'mark':
      markRange(sorted, from, to, task.packed, task.sorted);
      return null;
  }
}

function putNumbers({ records: { numbers }, order }: HostOrder, from: number, to: number): void {
  if (numbers !== null) for (let i = from; i < to; i++) order[i] = numbers[order[i]];
}
