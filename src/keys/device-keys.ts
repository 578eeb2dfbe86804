/** Which keys a GPU can make (kernels/keyed-lines/): the planner asks, and loads no more of it. */
import type { KeyPart, KeySpec } from '../job.js';

/** Whether all parts are of orders that the device knows; all others are for the host. */
export function keysOnDevice(key: KeySpec): boolean {
  return key.kind === 'normalised' && key.parts.every(isPartOnDevice);
}

/** Bytes with any filters, and numbers, of which letters are no part, so that it does not matter whether they are folded. */
function isPartOnDevice({ order, dictionary, printing }: KeyPart): boolean {
  return order === 'bytes' || (order === 'numeric' && !dictionary && !printing);
}
