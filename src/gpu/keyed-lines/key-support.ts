/**
 * Which keys the GPU can make (kernels/wgsl/keyed-lines/), and the chunks that other keys need. The planner loads this
 * file only, and nothing else of the GPU's keys.
 */
import type { KeyPart, SortKey } from '../../job.js';
import { isPlainPart } from '../../keys/fields.js';

/** Chunks in host memory if the host makes the keys or holds the text: one is read, one gets keys, one is sorted. */
export const HOST_CHUNKS = 3;

/** Whether the device can make all parts of the key; otherwise the host makes it. */
export function keysOnDevice(key: SortKey): boolean {
  return key.kind === 'normalised' && key.parts.every(isPartOnDevice);
}

/**
 * Parts compared as bytes, with any filters, or as numbers, if they are fields as written. -f does not matter for
 * numbers, which contain no letters.
 */
function isPartOnDevice(part: KeyPart): boolean {
  const { order, dictionary, printing } = part;
  return isPlainPart(part) && (order === 'bytes' || (order === 'numeric' && !dictionary && !printing));
}
