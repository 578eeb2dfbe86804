/** How long keyed lines can become: at most `factor` times the line, its delimiter included, and `constant` bytes. */
import type { KeySpec, PartOrder } from '../job.js';
import { HEADER_BYTES } from './keyed.js';

export interface Bound { readonly factor: number; readonly constant: number }

/** The same of the row of a part (kernels/keys/, one file each). */
const ROWS: Readonly<Record<PartOrder, Bound>> = {
  'bytes': { factor: 2, constant: 1 },
  'numeric': { factor: 1, constant: 8 },
  'general-numeric': { factor: 0, constant: 12 },
  'human-numeric': { factor: 1, constant: 9 },
  'month': { factor: 0, constant: 1 },
  'version': { factor: 2, constant: 6 },
  'random': { factor: 0, constant: 32 },
};

/** Most bytes of keyed lines that one line of `bytes` bytes can become, and the longest line whose keyed line certainly has at most `bytes`. */
export const mostKeyed = (key: KeySpec, bytes: number): number => keyedBound(key).factor * bytes + keyedBound(key).constant;
export const longestLine = (key: KeySpec, bytes: number): number => Math.floor((bytes - keyedBound(key).constant) / keyedBound(key).factor);

/** Most bytes of a row of one part of a line of `bytes` bytes. */
export function longestRow(key: KeySpec, bytes: number): number {
  if (key.kind !== 'normalised') return 0;
  return Math.max(...key.parts.map(({ order }) => ROWS[order].factor * bytes + ROWS[order].constant));
}

/** The bound of lines under `key`: the lines themselves where none are made. */
export function keyedBound(key: KeySpec): Bound {
  if (key.kind !== 'normalised') return { factor: 1, constant: 0 };
  const rows = key.parts.map(({ order }) => ROWS[order]);
  return { factor: rows.reduce((sum, row) => sum + row.factor, 1), constant: rows.reduce((sum, row) => sum + row.constant, HEADER_BYTES) };
}
