/**
 * Refinement of entries (../entries.ts): settles ties that a bounded comparison left. A round sorts entries by (group,
 * next bytes, text beyond) and goes at least tieBytes deeper: few rounds are usual, at most longest record / tieBytes.
 * Members that are equal to their ends are ordered by number and done. Knows no sort of entries.
 */

import type { Ordering } from '../../../../job/ordering.js';
import { bind, Kernel, loadKernels, readBack, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { recordBindings } from '../../records/records.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';
import { dropEqual } from './drop-equal.js';
import { loadRefineTies, refineTies } from './refine.js';
import { selectTied, type TieContext, type TieGroups } from './tie-groups.js';

const WORKGROUP = 256;

/** The destination of sorted records. */
interface SortedDestination {
  /** u32 record numbers. */
  readonly order: GPUBuffer;
  /** A u32 per place: 0 if the record is equal to the one before it, otherwise 1. Null: not wanted. */
  readonly keep: GPUBuffer | null;
}

/** A placement of `count` records in `order`. */
export async function placementIn(
  order: GPUBuffer,
  scratch: Scratch,
  { unique }: Ordering,
  count: number,
): Promise<SortedDestination> {
  return { order, keep: unique ? await scratch.take((count + 1) * 4, 'keep flags') : null };
}

/** The order and its length when all ties are settled, in a buffer that the caller owns. */
export async function placedOrder(
  scratch: Scratch,
  { order, keep }: SortedDestination,
  count: number,
): Promise<{ order: GPUBuffer; count: number }> {
  return keep === null ? { order: scratch.keep(order), count } : dropEqual(scratch, order, keep, count);
}

/** Compiles what `placeAndRefine` needs, except the sort of entries. */
export function loadEntryTies(kernels: SortKernels): Promise<unknown> {
  return Promise.all([loadRefineTies(kernels.gpu, kernels.records, { tagged: true }), loadKernels(kernelsOf(kernels))]);
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
  rule: KeyRule,
  from: Entries,
  spare: Entries,
  count: number,
) => Promise<Entries>;

/** How ties of entries are refined. */
interface EntryRefinement {
  readonly scratch: Scratch;
  readonly kernels: SortKernels;
  readonly placement: SortedDestination;
  /** The number of bytes that comparisons of round 1, 2, ... read. */
  readonly tieBytes: (round: number, entries: number) => number;
  readonly sort: SortEntries;
}

/** Entries sorted by `rule`, in groups or (null) all together. */
interface SortedEntries extends Entries {
  readonly rule: KeyRule;
  readonly count: number;
  readonly old: TieGroups | null;
}

/** What the steps of a refinement share. */
interface EntryTies extends TieContext {
  readonly kernels: SortKernels;
  readonly placement: SortedDestination;
  /** The `keep` of the placement; any buffer if it has none. */
  readonly keep: GPUBuffer;
  /** How each sorted entry compares to the one before it, and the number of those that are unresolved. */
  readonly states: GPUBuffer;
  readonly unresolved: GPUBuffer;
}

/** The key bytes that fit in 64 bits along with a group's number. */
function keyBytesBeside(groups: number): number {
  for (let bytes = 7; bytes > 4; bytes--) if (groups <= 2 ** (64 - 8 * bytes)) return bytes;
  return 4;
}

/**
 * Puts the sorted entries of all records into the placement and refines until nothing is unresolved; returns the number
 * of rounds. `entries` and `spare` are overwritten.
 */
export async function placeAndRefine(
  { scratch, kernels, placement, tieBytes, sort }: EntryRefinement,
  rule: KeyRule,
  entries: Entries,
  spare: Entries,
): Promise<number> {
  const { records } = rule;
  const { count } = records;
  const ties: EntryTies = {
    gpu: kernels.gpu,
    scratch,
    records,
    constants: kernels.records,
    kernels,
    placement,
    states: await scratch.take(count * 4, 'tie states'),
    unresolved: await scratch.take(16, 'tie count'),
    keep: placement.keep ?? (await scratch.take(16, 'no keep flags')),
  };
  const all: SortedEntries = { ...entries, rule, count, old: null };
  markAndPut(ties, all);
  const joined = new Uint32Array((await readBack(kernels.gpu, ties.unresolved, 0, 4)).buffer)[0];
  if (joined === 0) return 0;

  const first = await selectUnresolved(ties, all, Math.min(count, 2 * joined));
  return refineTies(ties, first, (groups, round) => {
    const next = roundRule(rule, groups, (n) => tieBytes(round, n));
    return {
      encodeKeys: (pass) => {
        encodeKeys(ties, pass, groups, next, entries);
      },
      sortAndSelect: async () => {
        const sorted = await sort(scratch, next, entries, spare, groups.count);
        const members: SortedEntries = { ...sorted, rule: next, count: groups.count, old: groups };
        markAndPut(ties, members);
        return selectUnresolved(ties, members, groups.count);
      },
    };
  });
}

/** How the entries of a round are compared: the number of their group, then bytes after what the group shares. */
function roundRule(
  { records }: KeyRule,
  { groups, count, depths }: TieGroups,
  tieBytes: (entries: number) => number,
): KeyRule {
  const keyBytes = keyBytesBeside(groups);
  return { records, depth: 0, keyBytes, tieBytes: Math.max(keyBytes, tieBytes(count)), depths };
}

/** Encodes the creation of the entries of a round. */
function encodeKeys(
  { kernels, records }: EntryTies,
  pass: GPUComputePassEncoder,
  { items, depths, count }: TieGroups,
  { keyBytes }: KeyRule,
  to: Entries,
): void {
  kernelsOf(kernels).keys.dispatch(
    pass,
    {
      ...recordBindings(records),
      items: bind(items, count * 16),
      depths: bind(depths, count * 4),
      ...entryBindings(to, count),
    },
    { n: count, key_bytes: keyBytes },
    Math.ceil(count / WORKGROUP),
  );
}

/**
 * Marks how each sorted entry compares to the one before it, counts the unresolved ones, and puts all into the
 * placement. Entries of a round go into the places of their items.
 */
function markAndPut(
  { gpu, kernels, records, placement, keep, states, unresolved }: EntryTies,
  sorted: SortedEntries,
): void {
  const { rule, count, old } = sorted;
  const { mark, put } = kernelsOf(kernels);
  const encoder = gpu.device.createCommandEncoder();
  encoder.clearBuffer(unresolved, 0, 4);
  gpu.device.queue.submit([encoder.finish()]);
  const workgroups = Math.ceil(count / WORKGROUP);
  const entries = entryBindings(sorted, count);
  const state = bind(states, count * 4);
  submitPass(gpu, 'sort', 'tie mark', (pass) => {
    mark.dispatch(
      pass,
      { ...ruleBindings(rule), ...entries, states: state, unresolved: bind(unresolved, 4) },
      { ...ruleWords(rule), n: count },
      workgroups,
    );
    put.dispatch(
      pass,
      {
        tags: entries.tags,
        states: state,
        // Without groups, any read-only buffer takes the place of their items.
        items: old === null ? entries.tags : bind(old.items, count * 16),
        order: bind(placement.order, records.count * 4),
        keep: placement.keep === null ? keep : bind(keep, records.count * 4),
      },
      { n: count, by_items: old === null ? 0 : 1, keep_heads: placement.keep === null ? 0 : 1 },
      workgroups,
    );
  });
}

/** Lists the unresolved entries, at most `bound`; null: there are none. */
function selectUnresolved(
  ties: EntryTies,
  { tags, rule, count, old }: SortedEntries,
  bound: number,
): Promise<TieGroups | null> {
  return selectTied(
    ties,
    { numbers: tags, tagged: true, count, old, depth: rule.depth + rule.tieBytes },
    (pass, members, heads) => {
      kernelsOf(ties.kernels).flags.dispatch(
        pass,
        { states: bind(ties.states, count * 4), members: bind(members, count * 4), heads: bind(heads, count * 4) },
        { n: count },
        Math.ceil(count / WORKGROUP),
      );
    },
    { bound },
  );
}
