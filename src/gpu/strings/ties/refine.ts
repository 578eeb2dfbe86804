/**
 * Refinement: settles ties that a bounded comparison left. Unresolved neighbours form tie groups. Each round finds what
 * each group shares (in parallel over bytes), sorts all members by (group, next bytes, text beyond) and puts them back
 * into their groups' places. Members that are equal to their ends are ordered by number and done. A group always
 * splits, and a round goes at least tieBytes deeper: few rounds are usual, at most longest record / tieBytes.
 */

import { bind } from '../../device/binding.js';
import type { Gpu } from '../../device/device.js';
import { dispatch, readBack, readWords, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { recordBindings } from '../../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../records/scan.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';
import { comparePairs } from './tie-prefixes.js';

const NONE = {};
const WORKGROUP = 256;

/** The destination of sorted records. */
export interface Placement {
  /** u32 record numbers. */
  readonly order: GPUBuffer;
  /** A u32 per place: 0 if the record is equal to the one before it, otherwise 1. Null: not wanted. */
  readonly keep: GPUBuffer | null;
}

export function loadRefine(gpu: Gpu, kernels: SortKernels): Promise<unknown> {
  return Promise.all([
    ...['strings/ties/mark', 'strings/ties/units', 'strings/ties/prefix', 'strings/ties/keys'].map((name) =>
      gpu.pipelines.load(name, kernels.records),
    ),
    ...['strings/ties/put', 'strings/ties/flags', 'strings/ties/compact'].map((name) => gpu.pipelines.load(name)),
    loadScan(gpu),
  ]);
}

/** The unresolved entries, group by group. */
interface Groups {
  /** vec4u[count]: place in the order, record, group, depth known to be shared. */
  readonly items: GPUBuffer;
  readonly count: number;
  readonly groups: number;
  /** Scanned: the first unit of text of each item. */
  readonly units: GPUBuffer;
  readonly unitCount: number;
  /** A u32 per group: initially all ones, later its depth. */
  readonly depths: GPUBuffer;
}

/** A sort of `count` entries by `rule`, in rounds of refinement. Returns whichever of the two arrays has the result. */
export type SortEntries = (
  gpu: Gpu,
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
  gpu: Gpu,
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
  const states = await scratch.take(count * 4, 'tie states');
  const counter = await scratch.take(16, 'tie count');
  const keep = placement.keep ?? (await scratch.take(16, 'no keep flags'));
  markAndPut(gpu, kernels, rule, sorted, count, states, counter, null, placement, keep);
  const joined = new Uint32Array((await readBack(gpu, counter, 0, 4)).buffer)[0];
  if (joined === 0) return 0;

  let groups = await selectGroups(
    gpu,
    scratch,
    kernels,
    rule,
    sorted,
    count,
    Math.min(count, 2 * joined),
    states,
    null,
  );
  let round = 0;
  while (groups.count > 0) {
    round++;
    const { items, depths } = groups;
    const n = groups.count;
    const keyBytes = keyBytesBeside(groups.groups);
    const next: KeyRule = {
      records: rule.records,
      depth: 0,
      keyBytes,
      tieBytes: Math.max(keyBytes, tieBytes(round, n)),
      depths,
    };
    submitPass(gpu, 'sort', 'tie keys', (pass) => {
      comparePairs(gpu, pass, kernels.records, rule.records, groups.unitCount, groups);
      dispatch(
        gpu,
        pass,
        'strings/ties/keys',
        kernels.records,
        {
          ...recordBindings(rule.records),
          items: bind(items, n * 16),
          depths: bind(depths, n * 4),
          ...entryBindings(sorted, n),
        },
        { n, key_bytes: keyBytes },
        Math.ceil(n / WORKGROUP),
      );
    });
    const result = await sort(gpu, scratch, kernels, next, sorted, spare, n);
    markAndPut(gpu, kernels, next, result, n, states, counter, items, placement, keep);
    const following = await selectGroups(gpu, scratch, kernels, next, result, n, n, states, items);
    for (const buffer of [items, groups.units, depths]) scratch.drop(buffer);
    groups = following;
  }
  return round;
}

/**
 * Marks how each of `count` sorted entries compares to the one before it, counts the unresolved ones, and puts all into
 * `placement`. Entries of a round go into the places of their `items`. `keep` is the placement's, or any buffer.
 */
export function markAndPut(
  gpu: Gpu,
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
  const encoder = gpu.device.createCommandEncoder();
  encoder.clearBuffer(counter, 0, 4);
  gpu.device.queue.submit([encoder.finish()]);
  const workgroups = Math.ceil(count / WORKGROUP);
  const { tags } = entryBindings(sorted, count);
  const state = bind(states, count * 4);
  submitPass(gpu, 'sort', 'tie mark', (pass) => {
    dispatch(
      gpu,
      pass,
      'strings/ties/mark',
      kernels.records,
      { ...ruleBindings(rule), ...entryBindings(sorted, count), states: state, unresolved: bind(counter, 4) },
      { ...ruleWords(rule), n: count },
      workgroups,
    );
    dispatch(
      gpu,
      pass,
      'strings/ties/put',
      NONE,
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

/** Lists the unresolved ones of `count` sorted entries; there are at most `bound`. */
export async function selectGroups(
  gpu: Gpu,
  scratch: Scratch,
  kernels: SortKernels,
  rule: KeyRule,
  sorted: Entries,
  count: number,
  bound: number,
  states: GPUBuffer,
  oldItems: GPUBuffer | null,
): Promise<Groups> {
  const members = await scratch.take((count + 1) * 4, 'tie members');
  const heads = await scratch.take((count + 1) * 4, 'tie heads');
  const sums = await scratch.take(scanSumsBytes(Math.max(count, bound)), 'scan sums');
  const items = await scratch.take(bound * 16, 'tie items');
  const units = await scratch.take((bound + 1) * 4, 'tie units');
  const depths = await scratch.take(bound * 4, 'tie depths');
  const { keys, tags } = entryBindings(sorted, count);
  const workgroups = Math.ceil(count / WORKGROUP);
  submitPass(gpu, 'sort', 'tie groups', (pass) => {
    dispatch(
      gpu,
      pass,
      'strings/ties/flags',
      NONE,
      { states: bind(states, count * 4), members: bind(members, count * 4), heads: bind(heads, count * 4) },
      { n: count },
      workgroups,
    );
    scanExclusive(gpu, pass, members, count, sums);
    scanExclusive(gpu, pass, heads, count, sums);
    dispatch(
      gpu,
      pass,
      'strings/ties/compact',
      NONE,
      {
        keys,
        tags,
        members: bind(members, (count + 1) * 4),
        heads: bind(heads, (count + 1) * 4),
        depths: rule.depths ?? tags,
        old_items: oldItems === null ? tags : bind(oldItems, count * 16),
        items: bind(items, bound * 16),
      },
      { ...ruleWords(rule), n: count },
      workgroups,
    );
    dispatch(
      gpu,
      pass,
      'strings/ties/units',
      kernels.records,
      {
        ...recordBindings(rule.records),
        members: bind(members, (count + 1) * 4),
        items: bind(items, bound * 16),
        units: bind(units, bound * 4),
        depths: bind(depths, bound * 4),
      },
      { n: count, bound },
      Math.ceil(bound / WORKGROUP),
    );
    scanExclusive(gpu, pass, units, bound, sums);
  });
  const [found, groups, unitCount] = await readWords(gpu, [
    { buffer: members, at: count },
    { buffer: heads, at: count },
    { buffer: units, at: bound },
  ]);
  for (const buffer of [members, heads, sums]) scratch.drop(buffer);
  return { items, count: found!, groups: groups!, units, unitCount: unitCount!, depths };
}
