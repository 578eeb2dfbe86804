/**
 * Entries: a key of 8 bytes and a tag with a record's number, as string sorts move them, and how kernels compare them
 * (kernels/wgsl/strings/compare.wgsl). Knows no sort.
 */
import type { Ordering } from '../../../job/ordering.js';
import type { MergeStatistics } from '../../../report/merges.js';
import type { TieStatistics } from '../../../report/ties.js';
import type { KernelConstants } from '../device/compose.js';
import type { Gpu } from '../device/device.js';
import { type Binding, type Bindings, bind, type Immediates } from '../device/dispatch.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import { type RecordOrder, type Records, recordBindings, recordOverrides } from '../records/records.js';

/** Merges by workgroups that move windows along pairs of runs, or along parts of them. */
export interface EntryWindows {
  /** Workgroups of a merge, which keep running and take shares in turn (../keys/merge-path/moving-windows.ts). */
  readonly groups: number;
}

/** The device of a sort of entries, and the constants of its kernels. */
export interface SortKernels {
  readonly gpu: Gpu;
  readonly tile: number;
  /** How runs are merged; null: by merge path, a workgroup for each tile of the output. */
  readonly windows: EntryWindows | null;
  /** For kernels that read records. */
  readonly records: KernelConstants;
  /** For kernels that also hold a tile. */
  readonly tiled: KernelConstants;
}

/** `countReads`: count the comparisons that read the text (TextReads). */
export function sortKernels(
  gpu: Gpu,
  ordering: Ordering,
  { tile, windows = null, countReads = false }: { tile: number; windows?: EntryWindows | null; countReads?: boolean },
): SortKernels {
  const overrides = recordOverrides(ordering);
  const COUNT_TEXT_READS = countReads ? 1 : 0;
  const variants = { TEXT_READS: countReads ? 'counted' : 'uncounted' };
  return {
    gpu,
    tile,
    windows,
    records: { consts: { COUNT_TEXT_READS }, overrides, variants },
    tiled: { consts: { TILE: tile, COUNT_TEXT_READS }, overrides, variants },
  };
}

/** How entries are compared (kernels/wgsl/strings/compare.wgsl). */
export interface KeyRule {
  readonly records: Records;
  /** The ordered byte at which keys begin, if they are not grouped. */
  readonly depth: number;
  /**
   * Ordered bytes per key: 4 or 8. If keys are grouped, 4 to 7: the group's number comes first, and `depths` has the
   * first byte of each group.
   */
  readonly keyBytes: number;
  /**
   * Comparisons read the text up to this many bytes after the key's first byte. Equal to keyBytes: they read no text.
   */
  readonly tieBytes: number;
  /** A u32 per group; null: keys are not grouped. */
  readonly depths: GPUBuffer | null;
}

/** Entries in device memory: vec2u keys and u32 tags. */
export interface Entries {
  readonly keys: GPUBuffer;
  readonly tags: GPUBuffer;
}

/** What kernels that compare entries bind: records, and the depths of groups or, if they count, `reads`. */
export function ruleBindings(rule: KeyRule, reads: Binding | null = null): Bindings {
  const records = recordBindings(rule.records);
  // If keys are not grouped, any read-only buffer takes the place of the depths.
  return reads === null ? { ...records, depths: rule.depths ?? records.text } : { ...records, text_reads: reads };
}

/** Immediates of kernels that compare entries. */
export function ruleWords(rule: KeyRule): Immediates {
  const { depth, keyBytes, tieBytes, depths } = rule;
  return { depth, key_bytes: keyBytes, tie_bytes: tieBytes, grouped: depths === null ? 0 : 1 };
}

export function entryBindings(entries: Entries, count: number): { readonly keys: Binding; readonly tags: Binding } {
  return { keys: bind(entries.keys, count * 8), tags: bind(entries.tags, count * 4) };
}

/** Room for `count` entries. */
export async function takeEntries(scratch: Scratch, count: number): Promise<Entries> {
  return { keys: await scratch.take(count * 8, 'keys'), tags: await scratch.take(count * 4, 'tags') };
}

/**
 * The contract of a string sort, or of a merge of slices that are already in order (string-merge/order.ts): records in,
 * record numbers out.
 */
export interface OrderStage {
  load(gpu: Gpu, ordering: Ordering): Promise<unknown>;
  /** Compiles what `order` needs to collect statistics. Absent: it collects none. */
  readonly loadStatistics?: ((gpu: Gpu, ordering: Ordering) => Promise<unknown>) | undefined;
  order(
    gpu: Gpu,
    pool: DevicePool,
    records: Records,
    ordering: Ordering,
    options: {
      slices: readonly number[] | null;
      commonPrefix: number;
      statistics?: ((ties: TieStatistics) => void) | undefined;
      /** Receives statistics of the merges of tiles, if the stage has any. */
      merges?: ((merges: MergeStatistics) => void) | undefined;
    },
  ): Promise<RecordOrder>;
}
