/**
 * Refinement rounds: groups of records that are equal so far skip what their members share, take their next packed keys
 * and are sorted group by group, until no ties are left. Knows nothing of how groups came about.
 */
import type { Ordering } from '../../../job.js';
import { bind } from '../../device/binding.js';
import type { Gpu } from '../../device/device.js';
import { dispatch, readWords, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { KeyArrays } from '../../keys/key-sort.js';
import { radixSort } from '../../keys/radix-sort/radix-sort.js';
import { segmentedSort } from '../../keys/segmented-sort/segmented-sort.js';
import { type Records, recordBindings } from '../../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../records/scan.js';
import { RADIX_GROUP, RADIX_GROUPED_RECORDS } from '../../thresholds.js';
import { dropEqual } from '../ties/drop-equal.js';
import { comparePairs, mostUnits } from '../ties/tie-prefixes.js';
import { constantsOf, PACKED, packedBindings, WORKGROUP } from './constants.js';
import type { Survey } from './survey.js';

/** Parameters that affect speed but not results. */
export interface RefineTuning {
  /**
   * Average group size from which one radix sort of all groups is faster than a segmented sort, because merging their
   * tiles would take a few passes.
   */
  readonly radixGroup: number;
  /** Minimum number of members of all groups for that. */
  readonly radixCount: number;
}

export const REFINE_TUNING: RefineTuning = { radixGroup: RADIX_GROUP, radixCount: RADIX_GROUPED_RECORDS };

const RADIX = radixSort();
const SEGMENTED = segmentedSort();

export function loadRounds(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  const { records, reverse } = constantsOf(ordering);
  return Promise.all([
    ...['strings/radix-refine/item-keys', 'strings/ties/units', 'strings/ties/prefix'].map((name) =>
      gpu.pipelines.load(name, records),
    ),
    gpu.pipelines.load('strings/radix-refine/place', reverse),
    gpu.pipelines.load('strings/radix-refine/tied-items'),
    gpu.pipelines.load('strings/ties/unique-compact'),
    loadScan(gpu),
    RADIX.load(gpu, PACKED),
    SEGMENTED.load(gpu, PACKED),
  ]);
}

/** What the steps of one sort share. */
export interface Refinement {
  readonly gpu: Gpu;
  readonly scratch: Scratch;
  readonly records: Records;
  readonly ordering: Ordering;
  readonly survey: Survey;
  readonly tuning: RefineTuning;
  /** The record numbers, in order as far as they are sorted. */
  readonly order: GPUBuffer;
  /** Under `unique` a u32 per place: 0 if the record is equal to the one before it. Otherwise unused, a few words. */
  readonly keep: GPUBuffer;
}

/** Room for `count` packed keys and their record numbers. */
export async function takePacked(scratch: Scratch, count: number): Promise<KeyArrays> {
  return { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
}

/** A buffer for Refinement.keep. */
export function keepFlags(scratch: Scratch, ordering: Ordering, count: number): Promise<GPUBuffer> {
  return scratch.take(ordering.unique ? (count + 1) * 4 : 16, 'keep flags');
}

/** Groups of tied records (kernels/wgsl/strings/radix-refine/tied-items.wgsl). */
interface Groups {
  readonly items: GPUBuffer;
  readonly count: number;
  /** The first item of each group. */
  readonly begins: GPUBuffer;
  readonly groups: number;
  /** Scanned: the first unit of text of each item (kernels/wgsl/strings/ties/units.wgsl). */
  readonly units: GPUBuffer;
  /** A word per group: the ordered bytes that its members share, once computed. */
  readonly depths: GPUBuffer;
}

/** Words on the device that are read back together with the counts of ties. `told` receives whether all are zero. */
interface Precondition {
  readonly zero: readonly { readonly buffer: GPUBuffer; readonly at: number }[];
  told(holds: boolean): void;
}

/**
 * Writes for each of `count` entries whether it is tied (`members`) and whether it is the first of its group (`heads`).
 */
type TieMarker = (pass: GPUComputePassEncoder, members: GPUBuffer, heads: GPUBuffer) => void;

/**
 * Lists the entries that `mark` marks as tied; null if there are none. `numbers` are the entries' records, and `old`
 * the groups they were sorted in (null: `numbers` is the order itself). `depth` is the number of ordered bytes known to
 * be equal beyond what `old` shares. If a word of `unless` is not zero, lists nothing and returns null.
 */
export async function selectTied(
  { gpu, scratch, records, ordering }: Refinement,
  numbers: GPUBuffer,
  count: number,
  old: Groups | null,
  depth: number,
  mark: TieMarker,
  unless?: Precondition,
): Promise<Groups | null> {
  const members = await scratch.take((count + 1) * 4, 'tie members');
  const heads = await scratch.take((count + 1) * 4, 'tie heads');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const none = await scratch.take(16, 'nothing');
  submitPass(gpu, 'sort', 'ties', (pass) => {
    mark(pass, members, heads);
    scanExclusive(gpu, pass, members, count, sums);
    scanExclusive(gpu, pass, heads, count, sums);
  });
  const [found, groups, ...left] = (await readWords(gpu, [
    { buffer: members, at: count },
    { buffer: heads, at: count },
    ...(unless?.zero ?? []),
  ])) as unknown as [number, number, ...number[]];
  const holds = left.every((word) => word === 0);
  unless?.told(holds);
  let result: Groups | null = null;
  if (found > 0 && holds) {
    result = {
      items: await scratch.take(found * 16, 'tie items'),
      count: found,
      groups,
      begins: await scratch.take(groups * 4, 'group begins'),
      units: await scratch.take((found + 1) * 4, 'tie units'),
      depths: await scratch.take(found * 4, 'tie depths'),
    };
    const { items, begins, units, depths } = result;
    submitPass(gpu, 'sort', 'tied items', (pass) => {
      dispatch(
        gpu,
        pass,
        'strings/radix-refine/tied-items',
        {},
        {
          numbers: bind(numbers, count * 4),
          members: bind(members, (count + 1) * 4),
          heads: bind(heads, (count + 1) * 4),
          depths: old === null ? none : bind(old.depths, old.count * 4),
          old_items: old === null ? none : bind(old.items, count * 16),
          items: bind(items, found * 16),
          begins: bind(begins, groups * 4),
        },
        { n: count, round: old === null ? 0 : 1, depth },
        Math.ceil(count / WORKGROUP),
      );
      dispatch(
        gpu,
        pass,
        'strings/ties/units',
        constantsOf(ordering).records,
        {
          ...recordBindings(records),
          members: bind(members, (count + 1) * 4),
          items: bind(items, found * 16),
          units: bind(units, found * 4),
          depths: bind(depths, found * 4),
        },
        { n: count, bound: found },
        Math.ceil(found / WORKGROUP),
      );
      scanExclusive(gpu, pass, units, found, sums);
    });
  }
  for (const buffer of [members, heads, sums, none]) scratch.drop(buffer);
  return result;
}

/**
 * Puts `count` sorted entries into their places and lists those that are still tied; null if there are none. `old` are
 * the groups they were sorted in (null in round 0, whose numbers are the order). Keys reach `depth` bytes beyond `old`.
 */
export async function placeAndSelect(
  refinement: Refinement,
  sorted: KeyArrays,
  count: number,
  old: Groups | null,
  depth: number,
  unless?: Precondition,
): Promise<Groups | null> {
  const { gpu, scratch, records, ordering, survey, order, keep } = refinement;
  const none = await scratch.take(16, 'nothing');
  const unwritten = await scratch.take(16, 'nothing');
  const groups = await selectTied(
    refinement,
    sorted.values!,
    count,
    old,
    depth,
    (pass, members, heads) => {
      dispatch(
        gpu,
        pass,
        'strings/radix-refine/place',
        constantsOf(ordering).reverse,
        {
          ...packedBindings(sorted, count),
          items: old === null ? none : bind(old.items, count * 16),
          order: old === null ? unwritten : bind(order, records.count * 4),
          keep: bind(keep, ordering.unique ? records.count * 4 : 16),
          members: bind(members, count * 4),
          heads: bind(heads, count * 4),
        },
        {
          n: count,
          round: old === null ? 0 : 1,
          symbol_bits: survey.alphabet.symbolBits,
          keep_heads: ordering.unique ? 1 : 0,
        },
        Math.ceil(count / WORKGROUP),
      );
    },
    unless,
  );
  scratch.drop(none);
  scratch.drop(unwritten);
  return groups;
}

/** Settles all ties, round by round. `from` and `spare` have room for all members and are overwritten. */
export async function refineGroups(
  refinement: Refinement,
  first: Groups | null,
  from: KeyArrays,
  spare: KeyArrays,
): Promise<void> {
  const {
    gpu,
    scratch,
    records,
    ordering,
    survey: { alphabet, symbols },
  } = refinement;
  const constants = constantsOf(ordering);
  let groups = first;
  while (groups !== null) {
    const { items, count, begins, units, depths } = groups;
    const { groupBits, keySymbols } = roundKeys(refinement, groups);
    submitPass(gpu, 'sort', 'group keys', (pass) => {
      comparePairs(gpu, pass, constants.records, records, mostUnits(count, records.textBytes), groups!);
      dispatch(
        gpu,
        pass,
        'strings/radix-refine/item-keys',
        constants.records,
        {
          ...recordBindings(records),
          symbols: bind(symbols, 1024),
          items: bind(items, count * 16),
          depths: bind(depths, count * 4),
          ...packedBindings(from, count),
        },
        { n: count, group_bits: groupBits, symbol_bits: alphabet.symbolBits, key_symbols: keySymbols },
        Math.ceil(count / WORKGROUP),
      );
    });
    const result: KeyArrays =
      groupBits > 0
        ? await RADIX.sort(gpu, scratch, PACKED, from, spare, count)
        : await SEGMENTED.sort(gpu, scratch, PACKED, from, spare, count, { begins, segments: groups.groups });
    const following = await placeAndSelect(refinement, result, count, groups, keySymbols);
    for (const buffer of [items, begins, units, depths]) scratch.drop(buffer);
    groups = following;
  }
}

/**
 * How a round sorts its groups. If groups are large, merging their tiles would take more passes. Then one radix sort
 * sorts them all, with the group's number before fewer symbols (groupBits above 0). Otherwise a segmented sort sorts
 * each group by itself.
 */
function roundKeys(
  {
    survey: {
      alphabet: { symbolBits, keySymbols },
    },
    tuning,
  }: Refinement,
  { count, groups }: Groups,
): { groupBits: number; keySymbols: number } {
  if (count < tuning.radixGroup * groups || count < tuning.radixCount) return { groupBits: 0, keySymbols };
  const groupBits = Math.max(1, Math.ceil(Math.log2(groups)));
  return { groupBits, keySymbols: Math.min(keySymbols, Math.floor((64 - groupBits) / symbolBits)) };
}

/**
 * The order and its length when all ties are settled; the caller owns the buffer. Under `unique` it omits records that
 * are equal to the one before them.
 */
export async function settledOrder({
  gpu,
  scratch,
  records: { count },
  ordering,
  order,
  keep,
}: Refinement): Promise<{ order: GPUBuffer; count: number }> {
  return ordering.unique ? dropEqual(gpu, scratch, order, keep, count) : { order: scratch.keep(order), count };
}
