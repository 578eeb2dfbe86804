/**
 * Tie groups: neighbors in an order that are equal in the bytes compared so far, listed on the device group by group.
 * All string sorts have this one notion of a group. Knows no sort and no form of key.
 */

import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, loadKernels, readWords, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { type Records, recordBindings } from '../../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../records/scan.js';

const WORKGROUP = 256;
/** Bytes of text per unit (kernels/wgsl/strings/ties/units.wgsl). */
const UNIT_BYTES = 64;

/** What all steps that handle the ties of one sort share. */
export interface TieContext {
  readonly gpu: Gpu;
  readonly scratch: Scratch;
  readonly records: Records;
  /** Constants of kernels that read records. */
  readonly constants: KernelConstants;
}

/** Tied items, group by group (kernels/wgsl/strings/ties/tied-items.wgsl). */
export interface TieGroups {
  /** vec4u[count]: place in the order, record, group, ordered bytes known to be equal in the group. */
  readonly items: GPUBuffer;
  readonly count: number;
  readonly groups: number;
  /** The first item of each group; null if records are tagged. */
  readonly begins: GPUBuffer | null;
  /** Scanned: the first unit of text of each item (kernels/wgsl/strings/ties/units.wgsl). */
  readonly units: GPUBuffer;
  /** An upper bound of the number of units. */
  readonly unitCount: number;
  /** A word per group: all ones, and once computed (refine.ts), the ordered bytes that its members share. */
  readonly depths: GPUBuffer;
}

/** How items name their records. */
export interface Tagging {
  /** Whether by tags, with a code above the record's number (../entries.ts). */
  readonly tagged: boolean;
}

/** Sorted entries, some of which may be tied. */
interface SortedItems extends Tagging {
  /** The record number of each. */
  readonly numbers: GPUBuffer;
  readonly count: number;
  /** The groups in which they were sorted; null: they are all records. */
  readonly old: TieGroups | null;
  /** The number of ordered bytes that tied entries are known to share, beyond the depth of their group in `old`. */
  readonly depth: number | Depth;
}

interface Word {
  readonly buffer: GPUBuffer;
  readonly at: number;
}

/** A depth that follows from words on the device, which are read back together with the counts of ties. */
export interface Depth {
  readonly words: readonly Word[];
  of(words: readonly number[]): number;
}

/**
 * Encodes writing, for each entry, whether it is tied (`members`) and whether it is the first of its group (`heads`).
 */
type TieMarker = (pass: GPUComputePassEncoder, members: GPUBuffer, heads: GPUBuffer) => void;

/**
 * Words on the device that are read back together with the counts of ties. `onAnswer` receives whether all are zero.
 */
export interface Precondition {
  readonly zero: readonly Word[];
  onAnswer(holds: boolean): void;
}

/** Compiles what `selectTied` needs. */
export function loadTieGroups(gpu: Gpu, constants: KernelConstants, items: Tagging): Promise<unknown> {
  return Promise.all([loadScan(gpu), loadKernels(kernelsOf(gpu, constants, items))]);
}

function kernelsOf(gpu: Gpu, constants: KernelConstants, { tagged }: Tagging) {
  // Groups of tags are sorted by keys that begin with the group, and need no list of where groups begin.
  const overrides = { TAGGED: tagged ? 1 : 0, LIST_BEGINS: tagged ? 0 : 1 };
  return {
    tiedItems: new Kernel(gpu, 'strings/ties/tied-items', { overrides }),
    units: new Kernel(gpu, 'strings/ties/units', constants),
  };
}

/**
 * Lists the entries that `mark` marks as tied; null if there are none. With a `bound` of their number, the host waits
 * once, at the end, and `sorted.depth` must be a number. Otherwise it waits for their number, to take just the memory
 * that they need; if then a word of `unless` is not zero, it lists nothing and returns null.
 */
export async function selectTied(
  context: TieContext,
  sorted: SortedItems,
  mark: TieMarker,
  { bound, unless }: { readonly bound?: number; readonly unless?: Precondition | undefined } = {},
): Promise<TieGroups | null> {
  const { gpu, scratch, records } = context;
  const { count } = sorted;
  const lists: TieLists = {
    members: await scratch.take((count + 1) * 4, 'tie members'),
    heads: await scratch.take((count + 1) * 4, 'tie heads'),
    sums: await scratch.take(scanSumsBytes(Math.max(count, bound ?? 0)), 'scan sums'),
    nothing: await scratch.take(16, 'nothing'),
  };
  const { members, heads, sums } = lists;
  const encodeMarks = (pass: GPUComputePassEncoder): void => {
    mark(pass, members, heads);
    scanExclusive(gpu, pass, members, count, sums);
    scanExclusive(gpu, pass, heads, count, sums);
  };
  const counts = [
    { buffer: members, at: count },
    { buffer: heads, at: count },
  ];
  let result: TieGroups | null = null;
  if (bound !== undefined) {
    const room = await takeGroups(scratch, bound, sorted.tagged ? null : bound);
    submitPass(gpu, 'sort', 'tie groups', (pass) => {
      encodeMarks(pass);
      encodeItems(context, pass, { ...sorted, depth: depthOf(sorted.depth, []) }, lists, room);
    });
    const words = await readWords(gpu, [...counts, { buffer: room.units, at: bound }]);
    const [found, groups, unitCount] = words as unknown as [number, number, number];
    if (found > 0) result = { ...room, count: found, groups, unitCount };
    else dropGroups(scratch, room);
  } else {
    submitPass(gpu, 'sort', 'ties', encodeMarks);
    const zero = unless?.zero ?? [];
    const depthWords = typeof sorted.depth === 'number' ? [] : sorted.depth.words;
    const words = await readWords(gpu, [...counts, ...zero, ...depthWords]);
    const [found, groups, ...more] = words as unknown as [number, number, ...number[]];
    const holds = more.slice(0, zero.length).every((word) => word === 0);
    unless?.onAnswer(holds);
    if (found > 0 && holds) {
      const room = await takeGroups(scratch, found, sorted.tagged ? null : groups);
      const depth = depthOf(sorted.depth, more.slice(zero.length));
      result = { ...room, groups, unitCount: mostUnits(found, records.textBytes) };
      submitPass(gpu, 'sort', 'tied items', (pass) => {
        encodeItems(context, pass, { ...sorted, depth }, lists, room);
      });
    }
  }
  for (const buffer of Object.values(lists)) scratch.drop(buffer);
  return result;
}

function depthOf(depth: number | Depth, words: readonly number[]): number {
  return typeof depth === 'number' ? depth : depth.of(words);
}

/** Returns the buffers of groups. */
export function dropGroups(scratch: Scratch, { items, begins, units, depths }: TieGroups): void {
  for (const buffer of [items, units, depths]) scratch.drop(buffer);
  if (begins !== null) scratch.drop(begins);
}

interface TieLists {
  readonly members: GPUBuffer;
  readonly heads: GPUBuffer;
  readonly sums: GPUBuffer;
  readonly nothing: GPUBuffer;
}

/** Room for `count` items, and to list where `groups` groups begin (null: not listed). */
async function takeGroups(scratch: Scratch, count: number, groups: number | null): Promise<TieGroups> {
  return {
    items: await scratch.take(count * 16, 'tie items'),
    count,
    groups: groups ?? count,
    begins: groups === null ? null : await scratch.take(groups * 4, 'group begins'),
    units: await scratch.take((count + 1) * 4, 'tie units'),
    unitCount: 0,
    depths: await scratch.take(count * 4, 'tie depths'),
  };
}

/** Encodes the listing of tied entries in `room`, with the units of text between neighbors. */
function encodeItems(
  { gpu, records, constants }: TieContext,
  pass: GPUComputePassEncoder,
  { numbers, tagged, count, old, depth }: SortedItems & { readonly depth: number },
  { members, heads, sums, nothing }: TieLists,
  room: TieGroups,
): void {
  const kernels = kernelsOf(gpu, constants, { tagged });
  const read = bind(numbers, count * 4);
  const items = bind(room.items, room.count * 16);
  const scanned = bind(members, (count + 1) * 4);
  kernels.tiedItems.dispatch(
    pass,
    {
      numbers: read,
      members: scanned,
      heads: bind(heads, (count + 1) * 4),
      // Without old groups, any read-only buffer takes their place.
      depths: old === null ? read : bind(old.depths, old.count * 4),
      old_items: old === null ? read : bind(old.items, count * 16),
      items,
      begins: room.begins === null ? nothing : bind(room.begins, room.groups * 4),
    },
    { n: count, grouped: old === null ? 0 : 1, depth },
    Math.ceil(count / WORKGROUP),
  );
  kernels.units.dispatch(
    pass,
    {
      ...recordBindings(records),
      members: scanned,
      items,
      units: bind(room.units, room.count * 4),
      depths: bind(room.depths, room.count * 4),
    },
    { n: count, bound: room.count },
    Math.ceil(room.count / WORKGROUP),
  );
  scanExclusive(gpu, pass, room.units, room.count, sums);
}

/**
 * An upper bound of the units of `count` group members, for a host that does not know their number: one per pair, and
 * one per 64 bytes of text, each of which is in at most two pairs.
 */
function mostUnits(count: number, textBytes: number): number {
  return count + Math.ceil((2 * textBytes) / UNIT_BYTES);
}
