/** Which keys a GPU can make (kernels/keyed-lines/), and what others take: the planner asks, and loads no more of it. */
import type { KeyPart, KeySpec } from '../job.js';
import { isPlainPart } from './fields.js';

/** Chunks under way where the host makes the keys, in its memory: one is read, keys of one are made, one is sorted. */
export const HOST_KEY_CHUNKS = 3;

/** Whether all parts are of orders that the device knows; all others are for the host. */
export function keysOnDevice(key: KeySpec): boolean {
  return key.kind === 'normalised' && key.parts.every(isPartOnDevice);
}

/** Bytes with any filters, and numbers, of which letters are no part, so that it does not matter whether they are folded; of fields as they are written. */
function isPartOnDevice(part: KeyPart): boolean {
  const { order, dictionary, printing } = part;
  return isPlainPart(part) && (order === 'bytes' || (order === 'numeric' && !dictionary && !printing));
}
