/**
 * Which keys the GPU can make (kernels/wgsl/records/keyed-lines/), and the chunks that other keys need. The planner
 * imports this file, and nothing else of the keys of lines (test/structure/imports.test.ts).
 */
import type { KeyPart, PartOrder, SortKey } from '../../../../job/ordering.js';
import { isPlainPart } from '../../../../keys/fields.js';

/** Chunks in host memory if the host makes the keys or holds the text: one is read, one gets keys, one is sorted. */
export const HOST_CHUNKS = 3;

/** Whether the device can make all parts of the key; otherwise the host makes it. */
export function keysOnDevice(key: SortKey): boolean {
  return key.kind === 'normalized' && key.parts.every(isPartOnDevice);
}

/** The orders that the device knows, and the filters that they can have. */
const FILTERS_ON_DEVICE: Readonly<Partial<Record<PartOrder, 'any' | 'fold' | 'none'>>> = {
  bytes: 'any',
  // Numbers contain no letters, so -f does not matter.
  numeric: 'fold',
  natural: 'none',
  length: 'any',
  contig: 'none',
  integer: 'none',
  strand: 'none',
  template: 'none',
  alleles: 'none',
  comment: 'none',
  'mapped-contig': 'none',
  empty: 'none',
};

/** Whether a part has one of these orders and is a field as it is written. */
function isPartOnDevice(part: KeyPart): boolean {
  const { order, dictionary, printing, fold } = part;
  const filters = FILTERS_ON_DEVICE[order];
  if (!isPlainPart(part) || filters === undefined) return false;
  return filters === 'any' || !(dictionary || printing || (fold && filters === 'none'));
}
