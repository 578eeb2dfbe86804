/**
 * Refinement of entries (../entries.ts): settles ties that a bounded comparison left. A round sorts entries by (group,
 * next bytes, text beyond) and goes at least tieBytes deeper: few rounds are usual, at most longest record / tieBytes.
 * Members that are equal to their ends are ordered by number and done. Knows no sort of entries.
 */

import { bind, Kernel, loadKernels, readBack, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { recordBindings } from '../../records/records.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';
import { loadRefineTies, refineTies } from './refine.js';
import { selectTied, type TieContext, type TieGroups } from './tie-groups.js';

const WORKGROUP = 256;

/** The destination of sorted records. */
export interface Placement {
  /** u32 record numbers. */
  readonly order: GPUBuffer;
  /** A u32 per place: 0 if the record is equal to the one before it, otherwise 1. Null: not wanted. */
  readonly keep: GPUBuffer | null;
}

/** Compiles what `placeAndRefine` needs, but for the sort of entries. */
export function loadEntryTies(kernels: SortKernels): Promise<unknown> {
  return Promise.all([loadRefineTies(kernels.gpu, kernels.records, true), loadKernels(kernelsOf(kernels))]);
}

function kernelsOf({ gpu, records }: SortKernels) {
  return {
    mark: new Kernel(gpu, 'strings/ties/mark', records),
    keys: new Kernel(gpu, 'strings/ties/keys', records),
    put: new Kernel(gpu, 'strings/ties/put'),
    flags: new Kernel(gpu, 'strings/ties/flags'),
  };
}

/** A sort of `count` entries by `rule`, in rounds of refinement. Returns whichever of the two arrays has the result. */
export type SortEntries = (
  scratch: Scratch,
  kernels: SortKernels,
  rule: KeyRule,
  entries: Entries,
  other: Entries,
  count: number,
) => Promise<Entries>;

/** The key bytes that fit in 64 bits beside a group's number. */
function keyBytesBeside(groups: number): number {
  for (let bytes = 7; bytes > 4; bytes--) if (groups <= 2 ** (64 - 8 * bytes)) return bytes;
  return 4;
}

/**
 * Puts sorted entries into `placement` and refines until nothing is unresolved; returns the number of rounds. `sorted`
 * and `spare`, both of `count` entries, are overwritten. `tieBytes(round, entries)` is the number of bytes that
 * comparisons of round 1, 2, ... read. `sort` sorts that many entries into either of the two arrays it is given.
 */
export async function placeAndRefine(
  scratch: Scratch,
  kernels: SortKernels,
  rule: KeyRule,
  sorted: Entries,
  spare: Entries,
  count: number,
  placement: Placement,
  tieBytes: (round: number, entries: number) => number,
  sort: SortEntries,
): Promise<number> {
  const { gpu } = kernels;
  const states = await scratch.take(count * 4, 'tie states');
  const counter = await scratch.take(16, 'tie count');
  const keep = placement.keep ?? (await scratch.take(16, 'no keep flags'));
  markAndPut(kernels, rule, sorted, count, states, counter, null, placement, keep);
  const joined = new Uint32Array((await readBack(gpu, counter, 0, 4)).buffer)[0];
  if (joined === 0) return 0;

  const context: TieContext = { gpu, scratch, records: rule.records, constants: kernels.records };
  const first = await selectUnresolved(
    context,
    kernels,
    rule,
    sorted,
    count,
    states,
    null,
    Math.min(count, 2 * joined),
  );
  return refineTies(context, first, (groups, round) => {
    const { items, count: n, depths } = groups;
    const keyBytes = keyBytesBeside(groups.groups);
    const next: KeyRule = {
      records: rule.records,
      depth: 0,
      keyBytes,
      tieBytes: Math.max(keyBytes, tieBytes(round, n)),
      depths,
    };
    return {
      encodeKeys: (pass) => {
        kernelsOf(kernels).keys.dispatch(
          pass,
          {
            ...recordBindings(rule.records),
            items: bind(items, n * 16),
            depths: bind(depths, n * 4),
            ...entryBindings(sorted, n),
          },
          { n, key_bytes: keyBytes },
          Math.ceil(n / WORKGROUP),
        );
      },
      sortAndSelect: async () => {
        const result = await sort(scratch, kernels, next, sorted, spare, n);
        markAndPut(kernels, next, result, n, states, counter, items, placement, keep);
        return selectUnresolved(context, kernels, next, result, n, states, groups, n);
      },
    };
  });
}

/**
 * Marks how each of `count` sorted entries compares to the one before it, counts the unresolved ones, and puts all into
 * `placement`. Entries of a round go into the places of their `items`. `keep` is the placement's, or any buffer.
 */
function markAndPut(
  kernels: SortKernels,
  rule: KeyRule,
  sorted: Entries,
  count: number,
  states: GPUBuffer,
  counter: GPUBuffer,
  items: GPUBuffer | null,
  placement: Placement,
  keep: GPUBuffer,
): void {
  const { gpu } = kernels;
  const { mark, put } = kernelsOf(kernels);
  const encoder = gpu.device.createCommandEncoder();
  encoder.clearBuffer(counter, 0, 4);
  gpu.device.queue.submit([encoder.finish()]);
  const workgroups = Math.ceil(count / WORKGROUP);
  const { tags } = entryBindings(sorted, count);
  const state = bind(states, count * 4);
  submitPass(gpu, 'sort', 'tie mark', (pass) => {
    mark.dispatch(
      pass,
      { ...ruleBindings(rule), ...entryBindings(sorted, count), states: state, unresolved: bind(counter, 4) },
      { ...ruleWords(rule), n: count },
      workgroups,
    );
    put.dispatch(
      pass,
      {
        tags,
        states: state,
        items: items === null ? tags : bind(items, count * 16),
        order: bind(placement.order, rule.records.count * 4),
        keep: placement.keep === null ? keep : bind(keep, rule.records.count * 4),
      },
      { n: count, by_items: items === null ? 0 : 1, keep_heads: placement.keep === null ? 0 : 1 },
      workgroups,
    );
  });
}

/**
 * Lists the unresolved ones of `count` entries sorted by `rule`, of which there are at most `bound`; null: none. `old`
 * are the groups in which they were sorted.
 */
function selectUnresolved(
  context: TieContext,
  kernels: SortKernels,
  rule: KeyRule,
  sorted: Entries,
  count: number,
  states: GPUBuffer,
  old: TieGroups | null,
  bound: number,
): Promise<TieGroups | null> {
  const entries = { numbers: sorted.tags, tagged: true, count, old, depth: rule.depth + rule.tieBytes };
  return selectTied(
    context,
    entries,
    (pass, members, heads) => {
      kernelsOf(kernels).flags.dispatch(
        pass,
        { states: bind(states, count * 4), members: bind(members, count * 4), heads: bind(heads, count * 4) },
        { n: count },
        Math.ceil(count / WORKGROUP),
      );
    },
    { bound },
  );
}
