/**
 * Radix-refine: strings sorted by radix on packed prefixes, then only what is tied, in rounds (Deshpande and Narayanan: Can GPUs Sort
 * Strings Efficiently?, 2013; shorter alphabets: Drozd and Matsuoka: MSD Radix String Sort on GPU, 2014).
 *
 * 1. The bytes that occur are numbered, so that a key of 64 bits holds as many symbols as can be; what all records share is skipped.
 * 2. A stable radix sort of (packed key, record number) puts them in order as far as keys reach.
 * 3. Neighbours of equal keys whose records go on form groups. In each round groups skip what their members share, take
 *    their next packed keys, and are sorted each by itself: a segmented sort. A group always splits or ends.
 */
import type { Ordering } from '../../job.js';
import type { Gpu } from '../device.js';
import { dispatch, readBack, submitPass, type Binding } from '../dispatch.js';
import type { KeyArrays, KeySpec } from '../keys.js';
import type { KernelConstants } from '../kernels.js';
import { dropEqual } from '../drop-equal.js';
import { part } from '../part.js';
import { Scratch, type BufferPool } from '../pool.js';
import { radixSort } from '../radix-sort/radix-sort.js';
import { recordOverrides, textBufferBytes, type Records } from '../records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../scan.js';
import { segmentedSort } from '../segmented-sort/segmented-sort.js';
import { alphabetOf, type Alphabet } from '../../keys/alphabet.js';

const NONE: KernelConstants = {};
const WORKGROUP = 256;
/** Text a workgroup of alphabet.wgsl looks at, and records one of common-prefix.wgsl. */
const ALPHABET_BYTES = 65536;
const PREFIX_RECORDS = 4096;
/** What all records share is looked for in so many bytes: one thread compares a record, and one of megabytes would take seconds. Ties find the rest. */
const PREFIX_BYTES = 4096;
/** Bytes of text that a thread of tie-prefix.wgsl compares. */
const UNIT_BYTES = 64;
/** Packed keys, with the numbers of records. */
const SPEC: KeySpec = { type: 'prefix', descending: false, values: true };

/** What speed depends on and results do not. */
export interface RefineTuning {
  /** Members of a group on average from which a radix sort of all groups takes less time than a segmented sort: a few passes of merging tiles. */
  readonly radixGroup: number;
  /** Members of all groups from which that holds. */
  readonly radixCount: number;
}

export const REFINE_TUNING: RefineTuning = { radixGroup: 8192, radixCount: 1 << 20 };

const RADIX = radixSort();
const SEGMENTED = segmentedSort();

/** What kernels that read records are compiled with, and those that know only whether the order is reversed. */
function constantsOf(ordering: Ordering): { records: KernelConstants; reverse: KernelConstants } {
  const overrides = recordOverrides(ordering);
  return { records: { overrides }, reverse: { overrides: { REVERSE: overrides['REVERSE']! } } };
}

export function loadRadixRefine(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  const { records, reverse } = constantsOf(ordering);
  return Promise.all([
    ...['radix-refine/common-prefix', 'radix-refine/record-keys', 'radix-refine/item-keys', 'tie-units', 'tie-prefix'].map((name) => gpu.kernels.load(name, records)),
    gpu.kernels.load('radix-refine/place', reverse), gpu.kernels.load('radix-refine/alphabet'), gpu.kernels.load('radix-refine/tied-items'),
    gpu.kernels.load('unique-compact'), loadScan(gpu), RADIX.load(gpu, SPEC), SEGMENTED.load(gpu, SPEC),
  ]);
}

/** What the steps of one sort share. */
interface Sort {
  readonly gpu: Gpu;
  readonly scratch: Scratch;
  readonly records: Records;
  readonly constants: ReturnType<typeof constantsOf>;
  readonly alphabet: Alphabet;
  /** u32[256] on the device. */
  readonly symbols: GPUBuffer;
  readonly order: GPUBuffer;
  /** u32 a place under `unique`: 0 where the record is equal to the one before it; else a few words. */
  readonly keep: GPUBuffer;
  readonly unique: boolean;
  readonly tuning: RefineTuning;
}

/** Entries that are still tied, group by group (kernels/radix-refine/tied-items.wgsl). */
interface Groups {
  readonly items: GPUBuffer;
  readonly count: number;
  /** Where groups begin. */
  readonly begins: GPUBuffer;
  readonly groups: number;
  /** Scanned: where each item's units of text begin (kernels/tie-units.wgsl). */
  readonly units: GPUBuffer;
  /** A word a group: what its members share, once that is looked for. */
  readonly depths: GPUBuffer;
}

/**
 * The numbers of the records in sorted order, as u32 in a buffer of the pool that the caller gives back; under `unique` only the first of
 * records with equal ordered bytes. `commonPrefix` ordered bytes are known to be the same in all records.
 */
export async function radixRefine(gpu: Gpu, pool: BufferPool, records: Records, ordering: Ordering, commonPrefix: number,
  tuning: RefineTuning = REFINE_TUNING): Promise<{ order: GPUBuffer; count: number }> {
  const { count } = records;
  if (count === 0) return { order: await pool.take(16, 'order'), count };
  const scratch = new Scratch(pool);
  try {
    const constants = constantsOf(ordering);
    const { alphabet, depth } = await survey(gpu, scratch, records, ordering, constants.records, commonPrefix);
    const symbols = await scratch.take(1024, 'symbols');
    gpu.device.queue.writeBuffer(symbols, 0, alphabet.numbers);
    const takeArrays = async (): Promise<KeyArrays> => ({ keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') });
    const [first, second] = [await takeArrays(), await takeArrays()];
    submitPass(gpu, 'prefix', 'packed keys', (pass) => {
      dispatch(gpu, pass, 'radix-refine/record-keys', constants.records, [...recordBindings(records), part(symbols, 1024), ...arrayBindings(first, count)],
        [count, depth, alphabet.symbolBits, alphabet.keySymbols], Math.ceil(count / WORKGROUP));
    });
    const sorted = await RADIX.sort(gpu, scratch, SPEC, first, second, count);
    const other = sorted === first ? second : first;
    const { unique } = ordering;
    const keep = await scratch.take(unique ? (count + 1) * 4 : 16, 'keep flags');
    const sort: Sort = { gpu, scratch, records, constants, alphabet, symbols, order: sorted.values!, keep, unique, tuning };
    await refine(sort, sorted, other, depth);
    if (!unique) return { order: scratch.keep(sort.order), count };
    return await dropEqual(gpu, scratch, sort.order, keep, count);
  } finally {
    scratch.end();
  }
}

/** The alphabet of the text, and how many ordered bytes all records share. */
async function survey(gpu: Gpu, scratch: Scratch, records: Records, ordering: Ordering, constants: KernelConstants,
  commonPrefix: number): Promise<{ alphabet: Alphabet; depth: number }> {
  const { text, textBytes, count } = records;
  const present = await scratch.take(48, 'alphabet');
  const shared = await scratch.take(16, 'common prefix');
  gpu.device.queue.writeBuffer(shared, 0, Uint32Array.of(commonPrefix + PREFIX_BYTES));
  submitPass(gpu, 'prefix', 'survey', (pass) => {
    const tiles = Math.ceil(textBytes / ALPHABET_BYTES);
    dispatch(gpu, pass, 'radix-refine/alphabet', NONE, [part(text, textBufferBytes(textBytes)), part(present, 32)], [textBytes, tiles], tiles);
    dispatch(gpu, pass, 'radix-refine/common-prefix', constants, [...recordBindings(records), part(shared, 16)], [count, commonPrefix], Math.ceil(count / PREFIX_RECORDS));
  }, (encoder) => { encoder.clearBuffer(present, 0, 48); });
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(shared, 0, present, 32, 4);
  gpu.device.queue.submit([encoder.finish()]);
  const words = new Uint32Array((await readBack(gpu, present, 0, 36)).buffer);
  scratch.drop(present);
  scratch.drop(shared);
  const { format } = ordering;
  return { alphabet: alphabetOf(words.subarray(0, 8), format.kind === 'lines' ? format.delimiter : null), depth: words[8]! };
}

/** Places sorted records, and settles what is tied in rounds. `sorted` and `other` are used up. */
async function refine(sort: Sort, sorted: KeyArrays, other: KeyArrays, depth: number): Promise<void> {
  const { gpu, scratch, records, constants, alphabet, symbols } = sort;
  let groups = await placeAndSelect(sort, sorted, records.count, null, depth + alphabet.keySymbols);
  // The numbers of round 0 are the order that is to be returned.
  const from: KeyArrays = { keys: sorted.keys, values: other.values };
  const spare: KeyArrays = { keys: other.keys, values: groups === null ? null : await scratch.take(groups.count * 4, 'numbers') };
  while (groups !== null) {
    const { items, count, begins, units, depths } = groups;
    const { groupBits, keySymbols } = roundKeys(sort, groups);
    submitPass(gpu, 'sort', 'tie prefixes', (pass) => {
      // A unit for each pair, and one for each 64 bytes of text at most.
      const mostUnits = count + Math.ceil(2 * records.textBytes / UNIT_BYTES);
      dispatch(gpu, pass, 'tie-prefix', constants.records, [...recordBindings(records), part(items, count * 16), part(units, (count + 1) * 4), part(depths, count * 4)],
        [count], Math.ceil(mostUnits / WORKGROUP));
    });
    submitPass(gpu, 'sort', 'group keys', (pass) => {
      dispatch(gpu, pass, 'radix-refine/item-keys', constants.records, [...recordBindings(records), part(symbols, 1024), part(items, count * 16),
        part(depths, count * 4), ...arrayBindings(from, count)], [count, groupBits, alphabet.symbolBits, keySymbols], Math.ceil(count / WORKGROUP));
    });
    const result: KeyArrays = groupBits > 0 ? await RADIX.sort(gpu, scratch, SPEC, from, spare, count)
      : await SEGMENTED.sort(gpu, scratch, SPEC, from, spare, count, { begins, segments: groups.groups });
    const following = await placeAndSelect(sort, result, count, groups, keySymbols);
    for (const buffer of [items, begins, units, depths]) scratch.drop(buffer);
    groups = following;
  }
}

/**
 * How a round's groups are sorted: all together by radix, the group's number before fewer symbols (groupBits above 0), where groups are large, so that
 * merging their tiles would take more passes; else each by itself.
 */
function roundKeys({ alphabet: { symbolBits, keySymbols }, tuning }: Sort, { count, groups }: Groups): { groupBits: number; keySymbols: number } {
  if (count < tuning.radixGroup * groups || count < tuning.radixCount) return { groupBits: 0, keySymbols };
  const groupBits = Math.max(1, Math.ceil(Math.log2(groups)));
  return { groupBits, keySymbols: Math.min(keySymbols, Math.floor((64 - groupBits) / symbolBits)) };
}

/**
 * Puts `count` sorted entries into their places and lists those that are still tied, null if none are. `old` are the groups that they were
 * sorted in, null in round 0; `depth` is how much deeper than what `old` shares keys reach.
 */
async function placeAndSelect({ gpu, scratch, records, constants, alphabet, order, keep, unique }: Sort, sorted: KeyArrays, count: number, old: Groups | null,
  depth: number): Promise<Groups | null> {
  const members = await scratch.take((count + 1) * 4, 'tie members');
  const heads = await scratch.take((count + 1) * 4, 'tie heads');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const totals = await scratch.take(16, 'tie totals');
  const none = await scratch.take(16, 'nothing');
  const round = old === null ? 0 : 1;
  const workgroups = Math.ceil(count / WORKGROUP);
  const [keys, numbers] = arrayBindings(sorted, count);
  const oldItems = old === null ? none : part(old.items, count * 16);
  submitPass(gpu, 'sort', 'ties', (pass) => {
    // In round 0 the order is in place, and nothing is written there.
    dispatch(gpu, pass, 'radix-refine/place', constants.reverse, [keys!, numbers!, oldItems, old === null ? part(totals, 16) : part(order, records.count * 4),
      part(keep, unique ? records.count * 4 : 16),
      part(members, count * 4), part(heads, count * 4)], [count, round, alphabet.symbolBits, unique ? 1 : 0], workgroups);
    scanExclusive(gpu, pass, members, count, sums);
    scanExclusive(gpu, pass, heads, count, sums);
  });
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(members, count * 4, totals, 0, 4);
  encoder.copyBufferToBuffer(heads, count * 4, totals, 4, 4);
  gpu.device.queue.submit([encoder.finish()]);
  const [found, groups] = new Uint32Array((await readBack(gpu, totals, 0, 8)).buffer) as unknown as [number, number];
  let result: Groups | null = null;
  if (found > 0) {
    result = {
      items: await scratch.take(found * 16, 'tie items'), count: found, groups,
      begins: await scratch.take(groups * 4, 'group begins'), units: await scratch.take((found + 1) * 4, 'tie units'), depths: await scratch.take(found * 4, 'tie depths'),
    };
    const { items, begins, units, depths } = result;
    submitPass(gpu, 'sort', 'tied items', (pass) => {
      dispatch(gpu, pass, 'radix-refine/tied-items', NONE, [numbers!, part(members, (count + 1) * 4), part(heads, (count + 1) * 4),
        old === null ? none : part(old.depths, old.count * 4), oldItems, part(items, found * 16), part(begins, groups * 4)],
        [count, round, depth], workgroups);
      dispatch(gpu, pass, 'tie-units', constants.records, [part(records.starts, (records.count + 1) * 4), part(members, (count + 1) * 4),
        part(items, found * 16), part(units, found * 4), part(depths, found * 4)], [count, found], Math.ceil(found / WORKGROUP));
      scanExclusive(gpu, pass, units, found, sums);
    });
  }
  for (const buffer of [members, heads, sums, totals, none]) scratch.drop(buffer);
  return result;
}

function recordBindings({ text, textBytes, starts, count }: Records): Binding[] {
  return [part(text, textBufferBytes(textBytes)), part(starts, (count + 1) * 4)];
}

function arrayBindings({ keys, values }: KeyArrays, count: number): Binding[] {
  return [part(keys, count * 8), part(values!, count * 4)];
}
