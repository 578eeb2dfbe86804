/** Placeholder until the ordering is written. */
import { put } from './digits';

/** Writes the row of [at, end). */
export function putMonth(at: u32, end: u32): void { put(0); }
