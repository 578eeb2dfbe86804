/**
 * What the members of groups of ties share: the launch of kernels/ties/prefix.wgsl.
 */
import { dispatch, type Binding } from '../device/dispatch.js';
import type { Gpu } from '../device/device.js';
import type { KernelConstants } from '../kernels.js';
import { part } from '../device/part.js';

const WORKGROUP = 256;
/** Bytes of text in a unit. */
const UNIT_BYTES = 64;
/** As many workgroups as keep a large GPU busy; each takes 256 units after another. */
const MOST_WORKGROUPS = 2048;

/** Groups of ties as lists of items (kernels/ties/compact.wgsl). */
interface TiedItems {
  readonly items: GPUBuffer;
  readonly count: number;
  /** Scanned numbers of units (kernels/ties/units.wgsl). */
  readonly units: GPUBuffer;
  /** A word a group, to be lowered to what its members share. */
  readonly depths: GPUBuffer;
}

/** As many units as `count` members of groups can have, where the host does not know: one for each pair, and one for each 64 bytes of text, which is in two pairs at most. */
export function mostUnits(count: number, textBytes: number): number {
  return count + Math.ceil(2 * textBytes / UNIT_BYTES);
}

/** Records the comparison of all neighbours in groups, of at most `unitCount` units; `records` are the text and starts. */
export function comparePairs(gpu: Gpu, pass: GPUComputePassEncoder, constants: KernelConstants, records: readonly Binding[], unitCount: number,
  { items, count, units, depths }: TiedItems): void {
  const workgroups = Math.min(MOST_WORKGROUPS, Math.ceil(unitCount / WORKGROUP));
  dispatch(gpu, pass, 'ties/prefix', constants, [...records, part(items, count * 16), part(units, (count + 1) * 4), part(depths, count * 4)],
    [count, workgroups], workgroups);
}
