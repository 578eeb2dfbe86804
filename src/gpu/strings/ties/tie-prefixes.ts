/**
 * Finds what the members of tie groups share: the dispatch of kernels/wgsl/strings/ties/prefix.wgsl.
 */

import { bind } from '../../device/binding.js';
import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { dispatch } from '../../device/dispatch.js';
import { type Records, recordBindings } from '../../records/records.js';

const WORKGROUP = 256;
/** Bytes of text per unit. */
const UNIT_BYTES = 64;
/** Enough workgroups to keep a large GPU busy; each takes batches of 256 units in turn. */
const MOST_WORKGROUPS = 2048;

/** Tie groups as lists of items (kernels/wgsl/strings/ties/compact.wgsl). */
interface TiedItems {
  readonly items: GPUBuffer;
  readonly count: number;
  /** Scanned counts of units (kernels/wgsl/strings/ties/units.wgsl). */
  readonly units: GPUBuffer;
  /** A word per group, lowered to the number of bytes that its members share. */
  readonly depths: GPUBuffer;
}

/**
 * An upper bound of the units of `count` group members, for a host that does not know their number: one per pair, and
 * one per 64 bytes of text, each of which is in at most two pairs.
 */
export function mostUnits(count: number, textBytes: number): number {
  return count + Math.ceil((2 * textBytes) / UNIT_BYTES);
}

/**
 * Records the comparison of all neighbours in groups, of at most `unitCount` units.
 */
export function comparePairs(
  gpu: Gpu,
  pass: GPUComputePassEncoder,
  constants: KernelConstants,
  records: Records,
  unitCount: number,
  { items, count, units, depths }: TiedItems,
): void {
  const workgroups = Math.min(MOST_WORKGROUPS, Math.ceil(unitCount / WORKGROUP));
  dispatch(
    gpu,
    pass,
    'strings/ties/prefix',
    constants,
    {
      ...recordBindings(records),
      items: bind(items, count * 16),
      units: bind(units, (count + 1) * 4),
      depths: bind(depths, count * 4),
    },
    { n: count, workgroups },
    workgroups,
  );
}
